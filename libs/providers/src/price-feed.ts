import type { PricesInput } from '@tollgate/catalogue';
import type { TokenKind } from '@tollgate/vocabulary';

/** A model as a price file states it: whole micro-USD per million tokens. */
export interface FeedModel {
  readonly name: string;
  /** Who serves it, as the file says; null where it does not. */
  readonly vendor: string | null;
  readonly prices: PricesInput;
  /** Undefined where files of its kind say nothing of them. */
  readonly tiers?: readonly { readonly above_input_tokens: number; readonly prices: PricesInput }[];
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
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

const LITELLM_KINDS: readonly (readonly [TokenKind, string])[] = [
  ['input', 'input_cost_per_token'],
  ['input_audio', 'input_cost_per_audio_token'],
  ['input_image', 'input_cost_per_image_token'],
  ['cache_read', 'cache_read_input_token_cost'],
  ['cache_write', 'cache_creation_input_token_cost'],
  ['output', 'output_cost_per_token'],
  ['output_reasoning', 'output_cost_per_reasoning_token'],
  ['output_audio', 'output_cost_per_audio_token'],
  ['output_image', 'output_cost_per_image_token'],
];
const ABOVE = /^input_cost_per_token_above_(\d+)k_tokens$/;

function readLiteLlm(name: string, entry: Fields): FeedModel | undefined {
  const prices = readPrices(entry, LITELLM_KINDS);
  if (!prices) return undefined;
  const { litellm_provider: vendor } = entry;
  const longWrite = entry['cache_creation_input_token_cost_above_1hr'];
  const tiers = Object.keys(entry)
    .flatMap((key) => ABOVE.exec(key)?.[1] ?? [])
    .map((thousands) => ({
      above_input_tokens: Number(thousands) * 1_000,
      // What a longer context does not change costs what it does otherwise.
      prices: {
        ...prices,
        ...readPrices(
          entry,
          LITELLM_KINDS.map(([kind, field]) => [kind, `${field}_above_${thousands}k_tokens`]),
        ),
      },
    }))
    .sort((a, b) => a.above_input_tokens - b.above_input_tokens);
  return {
    name,
    vendor: typeof vendor === 'string' ? vendor : readVendor(name),
    prices: {
      ...prices,
      ...(longWrite !== undefined && { cache_write_1h: toMicroPerMillion(longWrite) }),
    },
    tiers,
    context_window: readCount(entry['max_input_tokens'] ?? entry['max_tokens']),
    max_output_tokens: readCount(entry['max_output_tokens']),
  };
}

const OPENROUTER_KINDS: readonly (readonly [TokenKind, string])[] = [
  ['input', 'prompt'],
  ['input_audio', 'audio'],
  ['cache_read', 'input_cache_read'],
  ['cache_write', 'input_cache_write'],
  ['output', 'completion'],
  ['output_reasoning', 'internal_reasoning'],
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
  return (
    prices && {
      name,
      vendor: readVendor(name),
      prices,
      context_window: readCount(context_length),
      max_output_tokens: readCount(isFields(top_provider) ? top_provider['max_completion_tokens'] : null),
    }
  );
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

/** USD per token to micro-USD per million tokens. */
const SHIFT = 12;

/** @throws RangeError for what is no price, or finer than a micro-USD per million tokens. */
export function toMicroPerMillion(value: unknown): number {
  const match =
    typeof value === 'string' ? /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(value.trim()) : null;
  if (!match) throw new RangeError(`"${String(value)}" is no price`);
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const digits = BigInt(whole + fraction);
  const places = fraction.length - Number(exponent) - SHIFT;
  const scale = 10n ** BigInt(Math.abs(places));
  if (places > 0 && digits % scale !== 0n)
    throw new RangeError(`${String(value)} USD per token is finer than a micro-USD per million tokens`);
  const micro = places > 0 ? digits / scale : digits * scale;
  if (micro > BigInt(Number.MAX_SAFE_INTEGER))
    throw new RangeError(`${String(value)} is too high for a price`);
  return Number(micro);
}

const readCount = (value: unknown): number | null =>
  typeof value === 'string' && /^[1-9]\d{0,11}$/.test(value) ? Number(value) : null;
