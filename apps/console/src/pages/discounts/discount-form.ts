import type { AccountDiscount, Catalogue } from '../../api/catalogue.ts';
import { isRatio } from '../catalogue/group-form.ts';

interface DiscountRow {
  readonly everyModel: boolean;
  readonly models: readonly string[];
  readonly ratio: string;
}

/** Discounts of one account as their form holds them, in the order in which they are tried. */
export interface DiscountForm {
  readonly account: string;
  readonly rows: readonly DiscountRow[];
}

export interface AccountDiscounts {
  readonly account: string;
  readonly discounts: readonly AccountDiscount[];
}

/** The discounts of a catalogue by account. */
export function byAccount({ discounts }: Pick<Catalogue, 'discounts'>): readonly AccountDiscounts[] {
  const found = new Map<string, AccountDiscount[]>();
  for (const { account_id, models, ratio } of discounts)
    found.set(account_id, [...(found.get(account_id) ?? []), { models, ratio }]);
  return [...found].map(([account, own]) => ({ account, discounts: own }));
}

export const newRow: DiscountRow = { everyModel: true, models: [], ratio: '0.9' };

export const toDiscountForm = (existing: AccountDiscounts | undefined): DiscountForm => ({
  account: existing?.account ?? '',
  rows: existing?.discounts.map(({ models, ratio }) => ({
    everyModel: models.includes('*'),
    models: models.filter((model) => model !== '*'),
    ratio,
  })) ?? [newRow],
});

export const toDiscounts = ({ rows }: DiscountForm): readonly AccountDiscount[] =>
  rows.map(({ everyModel, models, ratio }) => ({
    models: everyModel ? ['*'] : [...models],
    ratio: ratio.trim(),
  }));

type DiscountFault = 'accountRequired' | 'accountTaken' | 'ratioRequired' | 'modelsRequired';

/**
 * What is wrong in a form, by the path of the field.
 *
 * @param taken accounts that have discounts already
 */
export function discountFaults(
  form: DiscountForm,
  taken: ReadonlySet<string> = new Set(),
): Record<string, DiscountFault> {
  const faults: Record<string, DiscountFault> = {};
  if (form.account === '') faults['account'] = 'accountRequired';
  if (taken.has(form.account)) faults['account'] = 'accountTaken';
  form.rows.forEach(({ everyModel, models, ratio }, index) => {
    if (!isRatio(ratio)) faults[`rows.${index}.ratio`] = 'ratioRequired';
    if (!everyModel && models.length === 0) faults[`rows.${index}.models`] = 'modelsRequired';
  });
  return faults;
}
