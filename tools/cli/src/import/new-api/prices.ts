import { z } from 'zod';
import { Failure } from '../../failure.ts';
import { type Decimal, decimal, times, whole } from '../decimal.ts';
import type { NewApi } from './rows.ts';

/** What stands in an option that maps names to numbers. @throws Failure when it is no such thing. */
export function numbersIn({ options }: Pick<NewApi, 'options'>, option: string): ReadonlyMap<string, number> {
  const text = options.get(option);
  if (!text) return new Map();
  try {
    return new Map(Object.entries(z.record(z.string(), z.number().nonnegative()).parse(JSON.parse(text))));
  } catch {
    throw new Failure(
      `The option ${option} is no JSON of names and numbers.`,
      'Fix it in new-api and try again.',
    );
  }
}

const DEFAULT_QUOTA_PER_USD = 500_000;

/** How much quota is one USD: 500,000, unless an option says otherwise. */
export function quotaPerUsd({ options }: Pick<NewApi, 'options'>): bigint {
  const stated = Number(options.get('QuotaPerUnit') ?? DEFAULT_QUOTA_PER_USD);
  if (Number.isSafeInteger(stated) && stated > 0) return BigInt(stated);
  throw new Failure(`The option QuotaPerUnit is ${stated}.`, 'It is a whole number above zero.');
}

interface RatedModel {
  readonly prices: { input: number; output: number; cache_read?: number; cache_write?: number };
  readonly request_price: number;
}

/** A model's prices, or why it has none. `notes` gets what is assumed or rounded. */
type PriceOf = (model: string, notes: string[]) => RatedModel | undefined;

/**
 * Prices out of new-api's ratios: a ratio of 1 is one unit of quota for a token, which is 2 USD for a million of them
 * where 500,000 are one USD.
 */
export function priceLookup(source: NewApi): PriceOf {
  const of = (option: string) => numbersIn(source, option);
  const [input, output, fixed] = [of('ModelRatio'), of('CompletionRatio'), of('ModelPrice')];
  const [cacheRead, cacheWrite] = [of('CacheRatio'), of('CreateCacheRatio')];
  const perUsd = quotaPerUsd(source);
  // In micro-USD for a million tokens; nine places are enough for every quota that divides evenly.
  const unit: Decimal = { digits: 10n ** 21n / perUsd, places: 9 };
  return (model, notes) => {
    const perRequest = fixed.get(model);
    if (perRequest !== undefined) {
      const price = whole(times(decimal(perRequest), { digits: 1_000_000n, places: 0 }));
      if (!price.isExact) notes.push(`model ${model}: its price for a request is rounded to a micro-USD`);
      return { prices: { input: 0, output: 0 }, request_price: price.value };
    }
    const ratio = input.get(model);
    if (ratio === undefined) return undefined;
    const base = times(decimal(ratio), unit);
    let isExact = true;
    const price = (...ratios: (number | undefined)[]): number => {
      const found = whole(ratios.reduce((product, each) => times(product, decimal(each ?? 1)), base));
      isExact &&= found.isExact;
      return found.value;
    };
    if (!output.has(model))
      notes.push(`model ${model}: no CompletionRatio is stored, so output costs what input does; check it`);
    const prices = {
      input: price(),
      output: price(output.get(model)),
      ...(cacheRead.has(model) ? { cache_read: price(cacheRead.get(model)) } : {}),
      ...(cacheWrite.has(model) ? { cache_write: price(cacheWrite.get(model)) } : {}),
    };
    if (!isExact) notes.push(`model ${model}: prices are rounded to a micro-USD for a million tokens`);
    return { prices, request_price: 0 };
  };
}
