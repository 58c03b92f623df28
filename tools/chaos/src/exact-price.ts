import type { ModelPrices, PriceList, Tokens } from './evidence.ts';

// Written again from what `GET /api/pricing` says, on purpose without libs/money: an auditor who asks the bookkeeper how
// to add up finds nothing.

const PICO_IN_MICRO = 1_000_000n;

/**
 * What tokens cost by a public price list, in pico-USD: all kinds and the request itself, times the ratio of the group,
 * rounded once, half to even.
 *
 * @throws for a model, group or kind that the list does not price.
 */
export function exactPrice(list: PriceList, model: string, group: string, tokens: Tokens): bigint {
  const card = list.models.get(model);
  if (!card) throw new Error(`the public prices have no model ${model}`);
  const ratio = list.groupRatios.get(group);
  if (ratio === undefined) throw new Error(`the public prices have no ratio of ${group}`);
  const prices = pricesAt(card, tokens);
  let pico = card.requestMicro * PICO_IN_MICRO;
  for (const [kind, count] of Object.entries(tokens)) {
    if (count === 0) continue;
    const price = prices.get(kind);
    if (price === undefined) throw new Error(`the public prices of ${model} have no ${kind}`);
    pico += BigInt(count) * price;
  }
  const [whole = '0', places = ''] = ratio.split('.');
  return roundHalfEven(pico * BigInt(whole + places), 10n ** BigInt(places.length));
}

function pricesAt(card: ModelPrices, tokens: Tokens): ReadonlyMap<string, bigint> {
  let read = 0n;
  for (const [kind, count] of Object.entries(tokens)) if (!kind.startsWith('output')) read += BigInt(count);
  let prices = card.prices;
  for (const tier of card.tiers) if (read > tier.above) prices = tier.prices;
  return prices;
}

function roundHalfEven(numerator: bigint, denominator: bigint): bigint {
  const down = numerator / denominator;
  const rest = 2n * (numerator - down * denominator);
  if (rest < denominator) return down;
  if (rest > denominator) return down + 1n;
  return down % 2n === 0n ? down : down + 1n;
}

/** Reads the body of `GET /api/pricing`; every number is taken as it is written, digit for digit. */
export function readPriceList(text: string): PriceList {
  const body = JSON.parse(text, (_name, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? context?.source : value,
  ) as PublicPricing;
  const kinds = (prices: Readonly<Record<string, string>>) =>
    new Map(Object.entries(prices).map(([kind, price]) => [kind, BigInt(price)]));
  return {
    models: new Map(
      body.data.map((entry) => [
        entry.model_name,
        {
          prices: kinds(entry.prices),
          tiers: entry.tiers.map((tier) => ({
            above: BigInt(tier.above_input_tokens),
            prices: kinds(tier.prices),
          })),
          requestMicro: BigInt(entry.request_price),
        },
      ]),
    ),
    groupRatios: new Map(Object.entries(body.group_ratio)),
  };
}

interface PublicPricing {
  readonly data: readonly {
    readonly model_name: string;
    readonly prices: Readonly<Record<string, string>>;
    readonly tiers: readonly {
      readonly above_input_tokens: string;
      readonly prices: Readonly<Record<string, string>>;
    }[];
    readonly request_price: string;
  }[];
  readonly group_ratio: Readonly<Record<string, string>>;
}
