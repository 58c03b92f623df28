import { type Decimal, decimal, times, whole } from '@tollgate/money';
import { type ModelPrices, sellWhatIsPriced } from '@tollgate/providers';
import type { Task } from '@tollgate/vocabulary';
import { z } from 'zod';
import { Failure } from '../../failure.ts';
import { findVendor } from '../move.ts';
import { findCompletionRatio } from './completion-ratios.ts';
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

/** A model's prices, or why it has none. `notes` gets what is assumed or rounded. */
type PriceOf = (model: string, notes: string[], task: Task | undefined) => ModelPrices | undefined;

const WRITES_NOTHING: ReadonlySet<Task | undefined> = new Set(['embed', 'rerank', 'moderate']);
const DRAWS: ReadonlySet<Task | undefined> = new Set(['draw', 'edit']);
/** What has a price for each is priced by the million. */
const UNITS = 1_000_000;

/**
 * Prices out of new-api's ratios: a ratio of 1 is one unit of quota for a token, which is 2 USD for a million of them
 * where 500,000 are one USD.
 */
export function priceLookup(source: NewApi): PriceOf {
  const of = (option: string) => numbersIn(source, option);
  const [input, output, fixed] = [of('ModelRatio'), of('CompletionRatio'), of('ModelPrice')];
  const [cacheRead, cacheWrite] = [of('CacheRatio'), of('CreateCacheRatio')];
  const [image, audio, audioOutput] = [of('ImageRatio'), of('AudioRatio'), of('AudioCompletionRatio')];
  const unitPricesOf = unitPriceLookup(source);
  const perUsd = quotaPerUsd(source);
  // In micro-USD for a million tokens; nine places are enough for every quota that divides evenly.
  const unit: Decimal = { digits: 10n ** 21n / perUsd, places: 9 };
  return (model, notes, task) => {
    const writes = !WRITES_NOTHING.has(task);
    const perRequest = fixed.get(model);
    if (perRequest !== undefined) {
      const price = whole(times(decimal(perRequest), { digits: 1_000_000n, places: 0 }));
      if (!price.isExact) notes.push(`model ${model}: its price for a request is rounded to a micro-USD`);
      const unit_prices = unitPricesOf(model, notes);
      const prices = { input: 0, output: 0 };
      // It counts each picture as a request.
      if (DRAWS.has(task))
        return sellWhatIsPriced({
          prices,
          request_price: 0,
          unit_prices: { ...unit_prices, images: price.value * UNITS },
        });
      return sellWhatIsPriced({ prices, request_price: price.value, unit_prices });
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
    const ofOutput = findCompletionRatio(model, output.get(model));
    if (ofOutput !== output.get(model) && writes)
      notes.push(
        `model ${model}: new-api holds its output at ${ofOutput} times its input${output.has(model) ? `, whatever is stored (${output.get(model)})` : ', which it does not store'}; check it`,
      );
    const prices = {
      input: price(),
      output: writes ? price(ofOutput) : 0,
      ...(cacheRead.has(model) ? { cache_read: price(cacheRead.get(model)) } : {}),
      ...(cacheWrite.has(model) ? { cache_write: price(cacheWrite.get(model)) } : {}),
      ...(image.has(model) ? { input_image: price(image.get(model)) } : {}),
      ...(audio.has(model) ? { input_audio: price(audio.get(model)) } : {}),
      ...(audio.has(model) || audioOutput.has(model)
        ? { output_audio: price(audio.get(model), audioOutput.get(model)) }
        : {}),
    };
    if (!isExact) notes.push(`model ${model}: prices are rounded to a micro-USD for a million tokens`);
    return sellWhatIsPriced({ prices, request_price: 0, unit_prices: unitPricesOf(model, notes) });
  };
}

/** USD for 1,000 calls of a tool, by its name; behind a colon may stand what the names of models begin with. */
const TOOL_PRICES = 'tool_price_setting.prices';

/** What is charged beside tokens, as far as it is stored: what new-api knows by heart stands in no option. */
function unitPriceLookup(source: NewApi): (model: string, notes: string[]) => ModelPrices['unit_prices'] {
  const prices = numbersIn(source, TOOL_PRICES);
  const priceOf = (tool: string, model: string): number | undefined => {
    const own = [...prices.keys()]
      .filter((key) => key.startsWith(`${tool}:`) && key.endsWith('*'))
      .filter((key) => model.startsWith(key.slice(tool.length + 1, -1)))
      .sort((a, b) => b.length - a.length);
    return prices.get(own[0] ?? tool);
  };
  const toMicro = (usd: number): number => whole(times(decimal(usd), { digits: 10n ** 9n, places: 0 })).value;
  return (model, notes) => {
    const tools = findVendor(model) === 'google' ? ['google_search'] : ['web_search', 'web_search_preview'];
    const searches = tools.flatMap((tool) => priceOf(tool, model) ?? []);
    const fileSearch = priceOf('file_search', model);
    if (new Set(searches).size > 1)
      notes.push(`model ${model}: of its prices of web_search and web_search_preview the highest holds`);
    return {
      ...(searches.length === 0 ? {} : { searches: toMicro(Math.max(...searches)) }),
      ...(fileSearch === undefined ? {} : { file_searches: toMicro(fileSearch) }),
    };
  };
}
