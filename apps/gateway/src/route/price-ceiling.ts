import type { Catalogue, Model } from '@tollgate/catalogue';
import { multiplyRatios, parseRatio, type Ratio } from '@tollgate/money';

/** The dearest that a token can be, in pico-USD, over the tiers of a model's price list. */
interface PriceCeiling {
  readonly input: bigint;
  readonly output: bigint;
}

export interface PriceCeilings {
  /** Of requests without sound and drawn pictures. */
  readonly text: PriceCeiling;
  /** Over every kind of token. */
  readonly every: PriceCeiling;
}

const NOT_TEXT = new Set(['input_audio', 'output_audio', 'output_image']);

export function priceCeilings({ prices, tiers }: Pick<Model, 'prices' | 'tiers'>): PriceCeilings {
  const every = [prices, ...tiers.map((tier) => tier.prices)].flatMap((each) => Object.entries(each));
  return { text: dearest(every.filter(([kind]) => !NOT_TEXT.has(kind))), every: dearest(every) };
}

function dearest(stated: readonly (readonly [kind: string, price: number])[]): PriceCeiling {
  const most = (output: boolean) =>
    BigInt(
      Math.max(
        0,
        ...stated.flatMap(([kind, price]) => (kind.startsWith('output') === output ? [price] : [])),
      ),
    );
  return { input: most(false), output: most(true) };
}

/** What an account pays as a share of a group's price; undefined where it pays all of it. */
export type Discounts = ReadonlyMap<
  string,
  readonly { readonly models: readonly string[]; readonly ratio: Ratio }[]
>;

export function discountsOf({ discounts }: Pick<Catalogue, 'discounts'>): Discounts {
  const byAccount = Map.groupBy(discounts, ({ account_id }) => account_id);
  return new Map(
    [...byAccount].map(([accountId, own]) => [
      accountId,
      own.map(({ models, ratio }) => ({ models, ratio: parseRatio(ratio) })),
    ]),
  );
}

/** The group's ratio times the account's discount: the first that names the model. */
export function ratioFor(group: Ratio, discounts: Discounts, accountId: string, model: string): Ratio {
  const discount = discounts
    .get(accountId)
    ?.find(({ models }) => models.includes('*') || models.includes(model));
  return discount ? multiplyRatios(group, discount.ratio) : group;
}
