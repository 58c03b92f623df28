import type { PricesInput } from '@tollgate/catalogue';
import { decimal, times, whole } from '@tollgate/money';
import { findOwn, type ModelOperation, type TokenKind } from '@tollgate/vocabulary';
import { guessTask } from './guess-task.ts';
import { LITELLM_MODES, readLiteLlmPrices } from './litellm-prices.ts';
import { type ModelPrices, sellWhatIsPriced } from './sell-what-is-priced.ts';

/** A model as a price file states it: whole micro-USD per million tokens or units. */
export interface FeedModel {
  readonly name: string;
  /** Who serves it, as the file says; null where it does not. */
  readonly vendor: string | null;
  readonly operation: ModelOperation;
  /** Its `tiers` are undefined where files of its kind say nothing of them. */
  readonly terms: ModelPrices;
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
  /** What the file says of its prices and is not as it says here, in words. */
  readonly notes: readonly string[];
}

export interface PriceFeed {
  readonly shape: 'litellm' | 'openrouter';
  /** Where files of its kind are published. */
  readonly source: string;
  readonly models: readonly FeedModel[];
  /** What could not be read as a price, in words. */
  readonly skipped: readonly string[];
}

const SOURCES: Readonly<Record<PriceFeed['shape'], string>> = {
  litellm: 'https://github.com/BerriAI/litellm/blob/main/model_prices_and_context_window.json',
  openrouter: 'https://openrouter.ai/api/v1/models',
};

/** Text that is no price file. */
export class PriceFeedError extends Error {}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads LiteLLM's map of models or OpenRouter's list of them. Every number is read as the decimal text that stands there, so
 * that no price passes through floating point.
 *
 * @throws PriceFeedError
 */
export function readPriceFeed(text: string): PriceFeed {
  const root = parseExact(text);
  if (!isFields(root)) throw new PriceFeedError('It is no JSON object.');
  const { data } = root;
  const [shape, entries] = Array.isArray(data)
    ? (['openrouter', data.map((entry) => [String(isFields(entry) ? entry['id'] : ''), entry])] as const)
    : (['litellm', Object.entries(root)] as const);
  const models: FeedModel[] = [];
  const skipped: string[] = [];
  for (const [name, entry] of entries as readonly (readonly [string, unknown])[]) {
    if (!isFields(entry) || name === '' || name === 'sample_spec') continue;
    try {
      const model = shape === 'openrouter' ? readOpenRouter(name, entry) : readLiteLlm(name, entry);
      if (model) models.push(model);
    } catch (error) {
      skipped.push(`${name}: ${(error as Error).message}`);
    }
  }
  if (models.length === 0) throw new PriceFeedError("It holds no prices in LiteLLM's or OpenRouter's shape.");
  return { shape, source: SOURCES[shape], models, skipped };
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type ExactReviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** JSON in which every number is the text that stood there. @throws PriceFeedError */
function parseExact(text: string): unknown {
  const keepText: ExactReviver = (_key, value, { source }) =>
    typeof value === 'number' ? (source ?? String(value)) : value;
  try {
    return (JSON.parse as (text: string, reviver: ExactReviver) => unknown)(text, keepText);
  } catch (error) {
    throw new PriceFeedError(`It is no JSON: ${(error as Error).message}`);
  }
}

function readLiteLlm(name: string, entry: Fields): FeedModel | undefined {
  const { litellm_provider: vendor, mode } = entry;
  const operation = typeof mode === 'string' ? findOwn(LITELLM_MODES, mode) : (guessTask(name) ?? 'generate');
  const notes: string[] = [];
  const terms = operation && readLiteLlmPrices(name, entry, operation, notes);
  if (!operation || !terms) return undefined;
  return {
    name,
    vendor: typeof vendor === 'string' ? vendor : readVendor(name),
    operation,
    terms: { ...terms, tiers: terms.tiers ?? [] },
    context_window: readCount(entry['max_input_tokens'] ?? entry['max_tokens']),
    max_output_tokens: readCount(entry['max_output_tokens']),
    notes,
  };
}

const OPENROUTER_KINDS: readonly (readonly [TokenKind, string])[] = [
  ['input', 'prompt'],
  ['input_audio', 'audio'],
  ['cache_read', 'input_cache_read'],
  ['cache_write', 'input_cache_write'],
  ['output', 'completion'],
  ['output_reasoning', 'internal_reasoning'],
  ['output_audio', 'audio_output'],
  ['output_image', 'image_output'],
];

function readOpenRouter(name: string, entry: Fields): FeedModel | undefined {
  const { pricing, context_length, top_provider } = entry;
  if (!isFields(pricing)) return undefined;
  // It writes "0" for what is not charged apart, and "-1" for what depends on the model that is chosen.
  const charged = Object.fromEntries(
    Object.entries(pricing).filter(
      ([key, value]) => key === 'prompt' || key === 'completion' || !isZero(value),
    ),
  );
  const prices = readPrices(charged, OPENROUTER_KINDS);
  if (!prices) return undefined;
  const { request, web_search } = charged;
  return {
    name,
    vendor: readVendor(name),
    operation: guessTask(name) ?? 'generate',
    terms: sellWhatIsPriced({
      prices,
      ...(request !== undefined && { request_price: toMicro(request, 6) }),
      ...(web_search !== undefined && { unit_prices: { searches: toMicro(web_search, 12) } }),
    }),
    context_window: readCount(context_length),
    max_output_tokens: readCount(isFields(top_provider) ? top_provider['max_completion_tokens'] : null),
    notes: [],
  };
}

const readVendor = (name: string): string | null => /^([^/]+)\//.exec(name)?.[1] ?? null;

const isZero = (value: unknown): boolean => typeof value !== 'string' || /^0*(\.0*)?$/.test(value);

/** Undefined where there is no price of both input and output, as of models of images. */
function readPrices(
  fields: Fields,
  kinds: readonly (readonly [TokenKind, string])[],
): PricesInput | undefined {
  const read = kinds.flatMap(([kind, field]): [TokenKind, number][] => {
    const value = fields[field];
    return value === undefined || value === null ? [] : [[kind, toMicroPerMillion(value)]];
  });
  const prices = Object.fromEntries(read) as Partial<Record<TokenKind, number>>;
  const { input, output } = prices;
  return input === undefined || output === undefined ? undefined : { ...prices, input, output };
}

/** USD for one as micro-USD for a million. @throws RangeError for what is no price, or finer than that. */
export const toMicroPerMillion = (value: unknown): number => toMicro(value, 12);

/** USD as units of so many decimal places of it. */
function toMicro(value: unknown, places: number): number {
  if (typeof value !== 'string') throw new RangeError(`"${String(value)}" is no price`);
  const { value: micro, isExact } = whole(
    times(readDecimal(value), { digits: 10n ** BigInt(places), places: 0 }),
  );
  if (!isExact) throw new RangeError(`${value} USD is finer than a micro-USD per million tokens`);
  if (!Number.isSafeInteger(micro)) throw new RangeError(`${value} is too high for a price`);
  return micro;
}

function readDecimal(text: string) {
  try {
    return decimal(text.trim());
  } catch {
    throw new RangeError(`"${text}" is no price`);
  }
}

const readCount = (value: unknown): number | null =>
  typeof value === 'string' && /^[1-9]\d{0,11}$/.test(value) ? Number(value) : null;
