import type { PricesInput } from '@tollgate/catalogue';
import type { TokenKind } from '@tollgate/vocabulary';

/** A model as a price file states it: whole micro-USD per million tokens. */
interface FeedModel {
  readonly name: string;
  readonly prices: PricesInput;
  readonly tiers: readonly { readonly above_input_tokens: number; readonly prices: PricesInput }[];
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
}

export interface PriceFeed {
  readonly shape: 'litellm' | 'openrouter';
  readonly models: readonly FeedModel[];
  /** What could not be read as a price, in words. */
  readonly skipped: readonly string[];
}

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
  return { shape, models, skipped };
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
      prices,
      tiers: [],
      context_window: readCount(context_length),
      max_output_tokens: readCount(isFields(top_provider) ? top_provider['max_completion_tokens'] : null),
    }
  );
}

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

/** A model of a catalogue, with whatever else it says. */
interface PricedModel {
  readonly name: string;
  readonly vendor: string;
  readonly prices: Readonly<Partial<Record<TokenKind, number>>>;
  readonly tiers: readonly {
    readonly above_input_tokens: number;
    readonly prices: Readonly<Partial<Record<TokenKind, number>>>;
  }[];
}

type Repriced<T> = Omit<T, 'prices' | 'tiers'> & Pick<FeedModel, 'name' | 'prices' | 'tiers'>;

interface FeedPlan<T> {
  /** Models of the catalogue whose prices the file states otherwise, as they would be. */
  readonly changed: readonly Repriced<T>[];
  /** How many it states as they are. */
  readonly same: number;
  /** Models of the catalogue that it does not know. */
  readonly unknown: readonly string[];
  /** Models of vendors that the catalogue has, which it lacks. */
  readonly lacking: readonly FeedModel[];
}

/** What a price file would change of the prices of a catalogue: nothing but prices of models that it has. */
export function planPriceFeed<T extends PricedModel>(
  { models }: { readonly models: readonly T[] },
  feed: PriceFeed,
  /** Upstreams' own names of models, by ours. */
  upstreamNames: Readonly<Record<string, string>> = {},
): FeedPlan<T> {
  const byName = indexFeed(feed.models);
  const changed: Repriced<T>[] = [];
  const unknown: string[] = [];
  let same = 0;
  for (const model of models) {
    const found = byName.get(model.name) ?? byName.get(upstreamNames[model.name] ?? '');
    if (!found) unknown.push(model.name);
    else if (isPricedSo(model, found)) same += 1;
    else changed.push({ ...model, prices: found.prices, tiers: found.tiers });
  }
  const known = new Set([...models.map(({ name }) => name), ...Object.values(upstreamNames)]);
  const vendors = new Set(models.map(({ vendor }) => vendor));
  const lacking = feed.models.filter(({ name }) => {
    const at = name.indexOf('/');
    return at > 0 && vendors.has(name.slice(0, at)) && !known.has(name) && !known.has(name.slice(at + 1));
  });
  return { changed, same, unknown, lacking };
}

/** By the whole name, and by that without the vendor's where only one has it. */
function indexFeed(models: readonly FeedModel[]): ReadonlyMap<string, FeedModel> {
  const short = Map.groupBy(
    models.filter(({ name }) => name.includes('/')),
    ({ name }) => name.slice(name.lastIndexOf('/') + 1),
  );
  const alone = [...short].flatMap(([name, [first, ...others]]): [string, FeedModel][] =>
    first && others.length === 0 ? [[name, first]] : [],
  );
  return new Map([...alone, ...models.map((model): [string, FeedModel] => [model.name, model])]);
}

/** Whether every price that the file states is the one that holds. */
function isPricedSo(model: PricedModel, { prices, tiers }: FeedModel): boolean {
  const holds = (stated: PricesInput, existing: PricedModel['prices']) =>
    Object.entries(stated).every(([kind, price]) => existing[kind as TokenKind] === price);
  return (
    holds(prices, model.prices) &&
    tiers.length === model.tiers.length &&
    tiers.every((tier, index) => {
      const existing = model.tiers[index];
      return existing?.above_input_tokens === tier.above_input_tokens && holds(tier.prices, existing.prices);
    })
  );
}
