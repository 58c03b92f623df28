import { type Decimal, decimal, divideHalfEven, times, whole } from '@tollgate/money';
import { type ModelPrices, sellWhatIsPriced } from '@tollgate/providers';
import type { Task, TokenKind } from '@tollgate/vocabulary';
import { z } from 'zod';
import { Failure } from '../../failure.ts';
import { findVendor } from '../move.ts';
import { findCompletionRatio } from './completion-ratios.ts';
import {
  CACHE_WRITE_RATIO,
  findOwnCacheRatio,
  HOUR_RATIO,
  OWN_AUDIO,
  OWN_AUDIO_COMPLETION,
  OWN_COMPLETION,
  OWN_IMAGE,
  TOKENS_OF_A_MINUTE,
  toRatedName,
} from './own-ratios.ts';
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
  const unitPricesOf = unitPriceLookup(source);
  const ratiosOf = ratioLookup(source);
  const fixed = numbersIn(source, 'ModelPrice');
  // In micro-USD for a million tokens; nine places are enough for every quota that divides evenly.
  const unit: Decimal = { digits: 10n ** 21n / quotaPerUsd(source), places: 9 };
  return (model, notes, task) => {
    const unit_prices = unitPricesOf(model, notes);
    const perRequest = fixed.get(toRatedName(model));
    if (perRequest !== undefined) return priceOfRequest(model, perRequest, { notes, task, unit_prices });
    const ratios = ratiosOf(model, task, notes);
    if (ratios === undefined) return undefined;
    const base = times(decimal(ratios.input), unit);
    let isExact = true;
    const price = (...factors: number[]): number => {
      const found = whole(factors.reduce((product, each) => times(product, decimal(each)), base));
      isExact &&= found.isExact;
      return found.value;
    };
    const sound = priceOfSound(model, base);
    if (sound !== undefined)
      return sellWhatIsPriced({
        prices: { input: 0, output: 0 },
        request_price: 0,
        unit_prices: { ...unit_prices, ...sound },
      });
    const prices = {
      input: price(),
      output: 0,
      ...Object.fromEntries([...ratios.others].map(([kind, factors]) => [kind, price(...factors)])),
    };
    if (!isExact) notes.push(`model ${model}: prices are rounded to a micro-USD for a million tokens`);
    return sellWhatIsPriced({ prices, request_price: 0, unit_prices });
  };
}

function priceOfRequest(
  model: string,
  usd: number,
  {
    notes,
    task,
    unit_prices,
  }: Pick<ModelPrices, 'unit_prices'> & { notes: string[]; task: Task | undefined },
): ModelPrices {
  const price = whole(times(decimal(usd), { digits: 1_000_000n, places: 0 }));
  if (!price.isExact) notes.push(`model ${model}: its price for a request is rounded to a micro-USD`);
  const prices = { input: 0, output: 0 };
  // It counts each picture as a request.
  return DRAWS.has(task)
    ? sellWhatIsPriced({
        prices,
        request_price: 0,
        unit_prices: { ...unit_prices, images: price.value * UNITS },
      })
    : sellWhatIsPriced({ prices, request_price: price.value, unit_prices });
}

/** Models that report no tokens: new-api makes them of the length of the sound, or of the characters that are said. */
function priceOfSound(model: string, token: Decimal): ModelPrices['unit_prices'] {
  if (/^tts/.test(model)) return { characters: whole(token).value };
  if (!/whisper/i.test(model)) return undefined;
  const minute = times(token, decimal(TOKENS_OF_A_MINUTE));
  return {
    audio_milliseconds: Number(divideHalfEven(minute.digits, 60_000n * 10n ** BigInt(minute.places))),
  };
}

interface Ratios {
  readonly input: number;
  /** Of the input's, multiplied with each other. */
  readonly others: ReadonlyMap<TokenKind, readonly number[]>;
}

/** By the options that are stored, and by what new-api has in its program where one is not. */
function ratioLookup(
  source: NewApi,
): (model: string, task: Task | undefined, notes: string[]) => Ratios | undefined {
  const of = (option: string, own: Readonly<Record<string, number>> = {}) =>
    source.options.has(option) ? numbersIn(source, option) : new Map(Object.entries(own));
  const [input, output] = [of('ModelRatio'), of('CompletionRatio', OWN_COMPLETION)];
  const [cacheRead, cacheWrite] = [of('CacheRatio'), of('CreateCacheRatio')];
  const image = of('ImageRatio', OWN_IMAGE);
  const [audio, audioOutput] = [
    of('AudioRatio', OWN_AUDIO),
    of('AudioCompletionRatio', OWN_AUDIO_COMPLETION),
  ];
  const isCacheStored = source.options.has('CacheRatio');
  return (model, task, notes) => {
    const name = toRatedName(model);
    const ratio = input.get(name);
    if (ratio === undefined) return undefined;
    if (WRITES_NOTHING.has(task)) return { input: ratio, others: new Map() };
    const ofOutput = findCompletionRatio(name, output.get(name));
    const ofCache = isCacheStored ? cacheRead.get(model) : findOwnCacheRatio(model);
    const ofWrite = cacheWrite.get(model) ?? CACHE_WRITE_RATIO;
    const ofAudio = audio.get(name);
    const stored = numbersIn(source, 'CompletionRatio').get(name);
    const held = [
      ...(ofOutput === stored
        ? []
        : [
            `its output at ${ofOutput} times its input${stored === undefined ? '' : `, whatever is stored (${stored})`}`,
          ]),
      ...(isCacheStored || ofCache === undefined ? [] : [`what it reads from its cache at ${ofCache} times`]),
    ];
    if (held.length > 0)
      notes.push(`model ${model}: new-api's program holds ${held.join(', and ')}; check it`);
    const others: [TokenKind, number[] | undefined][] = [
      ['output', [ofOutput]],
      ['cache_read', ofCache === undefined ? undefined : [ofCache]],
      ['cache_write', [ofWrite]],
      ['cache_write_1h', [ofWrite, HOUR_RATIO]],
      ['input_image', image.has(model) ? [image.get(model) ?? 1] : undefined],
      ['input_audio', ofAudio === undefined ? undefined : [ofAudio]],
      [
        'output_audio',
        ofAudio === undefined && !audioOutput.has(name)
          ? undefined
          : [ofAudio ?? 1, audioOutput.get(name) ?? 1],
      ],
    ];
    return {
      input: ratio,
      others: new Map(
        others.flatMap(([kind, factors]) => (factors === undefined ? [] : [[kind, factors] as const])),
      ),
    };
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
