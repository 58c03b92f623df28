import { decimal, times, whole } from '@tollgate/money';
import type { ModelOperation, TokenKind, UnitKind } from '@tollgate/vocabulary';
import { type ModelPrices, sellWhatIsPriced } from './sell-what-is-priced.ts';

/** What a file says of a model: its own fields and those of other programs. */
export type Declared = Readonly<Record<string, unknown>>;

/** What LiteLLM writes in `mode`, of what is served. */
export const LITELLM_MODES: Readonly<Record<string, ModelOperation>> = {
  chat: 'generate',
  responses: 'generate',
  embedding: 'embed',
  rerank: 'rerank',
  moderation: 'moderate',
  moderations: 'moderate',
  completion: 'complete',
  image_generation: 'draw',
  image_edit: 'edit',
  audio_transcription: 'transcribe',
  audio_speech: 'speak',
  realtime: 'realtime',
};

/** USD for a token. */
const TOKEN_FIELDS = {
  input: 'input_cost_per_token',
  input_audio: 'input_cost_per_audio_token',
  input_image: 'input_cost_per_image_token',
  cache_read: 'cache_read_input_token_cost',
  cache_read_audio: 'cache_read_input_audio_token_cost',
  cache_read_image: 'cache_read_input_image_token_cost',
  cache_write: 'cache_creation_input_token_cost',
  cache_write_1h: 'cache_creation_input_token_cost_above_1hr',
  output: 'output_cost_per_token',
  output_reasoning: 'output_cost_per_reasoning_token',
  output_audio: 'output_cost_per_audio_token',
  output_image: 'output_cost_per_image_token',
} as const satisfies Partial<Record<TokenKind, string>>;
const TOKEN_KINDS = Object.keys(TOKEN_FIELDS) as (keyof typeof TOKEN_FIELDS)[];

/** USD for a unit, or for as many. */
const UNIT_FIELDS: readonly (readonly [UnitKind, string, bigint])[] = [
  ['file_searches', 'file_search_cost_per_1k_calls', 1_000n],
  ['container_sessions', 'code_interpreter_cost_per_session', 1n],
  ['characters', 'input_cost_per_character', 1n],
  ['images', 'output_cost_per_image', 1n],
  ['rerank_units', 'input_cost_per_query', 1n],
  ['pages', 'ocr_cost_per_page', 1n],
];
/** USD for a search, by how much of what is found the model is given. */
const SEARCH_FIELD = 'search_context_cost_per_query';
/** Ratios by name: `fast` is a service tier, any other a region. */
const RATIO_FIELD = 'provider_specific_entry';

const TIER_SUFFIXES = {
  priority: '_priority',
  flex: '_flex',
  ultrafast: '_ultrafast',
  batch: '_batches',
} as const;

/**
 * The prices of a model out of LiteLLM's fields, numbers or the texts that stood for them; undefined where it says none for
 * input and output. `notes` gets what is rounded, and every price that has nothing like it here.
 *
 * @returns whole micro-USD for a million.
 */
export function readLiteLlmPrices(
  model: string,
  declared: Declared,
  operation: ModelOperation,
  notes: string[],
): ModelPrices | undefined {
  const fields = new FieldReader(model, declared, notes);
  const unit_prices = { ...readUnitPrices(fields), ...(HEARS.has(operation) ? readSoundPrice(fields) : {}) };
  const stated = readTokenPrices(fields, '');
  const prices: Prices = { ...findNeedless(operation, stated, unit_prices), ...stated };
  if (prices.input === undefined || prices.output === undefined) return undefined;
  const base = { ...prices, input: prices.input, output: prices.output };
  const list = {
    prices: base,
    tiers: readTiers(fields, base),
    unit_prices,
    service_tiers: { ...readServiceTiers(fields, base), ...readFast(fields) },
    regions: readRegions(fields),
  };
  fields.noteOthers();
  return sellWhatIsPriced(list);
}

type Prices = Partial<Record<TokenKind, number>>;

const WRITES_NOTHING: ReadonlySet<ModelOperation> = new Set(['embed', 'rerank', 'moderate']);
/** What has a price for a second of sound is one of these, or not sold by use. */
const HEARS: ReadonlySet<ModelOperation> = new Set(['transcribe', 'translate']);
const DRAWS: ReadonlySet<ModelOperation> = new Set(['draw', 'edit']);

/** Prices of tokens that a model need not have: it writes none, or is billed by something else. */
function findNeedless(
  operation: ModelOperation,
  stated: Prices,
  units: Partial<Record<UnitKind, number>>,
): Pick<Prices, 'input' | 'output'> {
  const byUnit =
    (operation === 'rerank' && units.rerank_units !== undefined) ||
    (HEARS.has(operation) && units.audio_milliseconds !== undefined) ||
    (operation === 'speak' && units.characters !== undefined) ||
    (DRAWS.has(operation) && units.images !== undefined);
  if (byUnit) return { input: 0, output: 0 };
  if (WRITES_NOTHING.has(operation)) return { output: 0 };
  return DRAWS.has(operation) && stated.output_image !== undefined ? { output: 0 } : {};
}

/** @param suffix what a field ends with in a service tier, or above a length of input. */
function readTokenPrices(fields: FieldReader, suffix: string): Prices {
  const found = TOKEN_KINDS.flatMap((kind): [TokenKind, number][] => {
    const price = fields.price(`${TOKEN_FIELDS[kind]}${suffix}`);
    return price === undefined ? [] : [[kind, price]];
  });
  return Object.fromEntries(found);
}

/** Other prices for the whole request above a length of input, such as those of `input_cost_per_token_above_200k_tokens`. */
function readTiers(
  fields: FieldReader,
  base: Prices & { input: number; output: number },
): NonNullable<ModelPrices['tiers']> {
  const lengths = fields.names.flatMap(
    (name) => /^input_cost_per_token_above_(\d+)k_tokens$/.exec(name)?.[1] ?? [],
  );
  return lengths
    .map(Number)
    .sort((a, b) => a - b)
    .map((thousands) => ({
      above_input_tokens: thousands * 1_000,
      prices: { ...base, ...readTokenPrices(fields, `_above_${thousands}k_tokens`) },
    }));
}

function readUnitPrices(fields: FieldReader): Partial<Record<UnitKind, number>> {
  const units: Partial<Record<UnitKind, number>> = {};
  for (const [kind, field, of] of UNIT_FIELDS) {
    const price = fields.price(field, of);
    if (price !== undefined) units[kind] = price;
  }
  const searches = fields.highest(SEARCH_FIELD);
  return searches === undefined ? units : { ...units, searches };
}

/** LiteLLM's is for a second. */
function readSoundPrice(fields: FieldReader): Partial<Record<UnitKind, number>> {
  const price = fields.price('input_cost_per_second', 1_000n);
  return price === undefined ? {} : { audio_milliseconds: price };
}

/** A tier comes over where one share of the standard prices says all that the file says of it. */
function readServiceTiers(fields: FieldReader, base: Prices): Record<string, string> {
  const ratios: Record<string, string> = {};
  for (const [tier, suffix] of Object.entries(TIER_SUFFIXES)) {
    const prices = readTokenPrices(fields, suffix);
    const shares = new Set(
      Object.entries(prices).map(([kind, price]) => shareOf(price, base[kind as TokenKind])),
    );
    const [share] = shares;
    if (shares.size === 1 && share !== undefined) ratios[tier] = share;
    else if (shares.size > 0)
      fields.note(`prices of the tier ${tier} are left out: no one share of the others says them`);
  }
  return ratios;
}

/** Undefined where it has more than three places. */
function shareOf(price: number, of: number | undefined): string | undefined {
  if (of === undefined || of === 0) return undefined;
  const thousandths = BigInt(price) * 1_000n;
  if (thousandths % BigInt(of) !== 0n) return undefined;
  const digits = String(thousandths / BigInt(of)).padStart(4, '0');
  return `${digits.slice(0, -3)}.${digits.slice(-3)}`.replace(/\.?0+$/, '');
}

const readFast = (fields: FieldReader): Record<string, string> => {
  const ratio = fields.ratios(RATIO_FIELD)['fast'];
  return ratio === undefined ? {} : { fast: ratio };
};

const readRegions = (fields: FieldReader): Record<string, string> =>
  Object.fromEntries(Object.entries(fields.ratios(RATIO_FIELD)).filter(([name]) => name !== 'fast'));

const isPrice = (value: unknown): value is number | string =>
  typeof value === 'number'
    ? Number.isFinite(value) && value >= 0
    : typeof value === 'string' && /^\d{1,30}(\.\d{1,60})?([eE][+-]?\d{1,2})?$/.test(value);

/** Reads fields by their names, and knows in the end which of those that look like prices nobody read. */
class FieldReader {
  readonly #read = new Set<string>();

  readonly #model: string;
  readonly #declared: Declared;
  readonly #notes: string[];

  constructor(model: string, declared: Declared, notes: string[]) {
    this.#model = model;
    this.#declared = declared;
    this.#notes = notes;
  }

  get names(): readonly string[] {
    return Object.keys(this.#declared);
  }

  note(what: string): void {
    this.#notes.push(`model ${this.#model}: ${what}`);
  }

  /** USD for so many as whole micro-USD for a million. */
  price(field: string, of = 1n): number | undefined {
    const value = this.#declared[field];
    if (!isPrice(value)) return undefined;
    this.#read.add(field);
    return this.#toMicro(field, value, of);
  }

  /** The most of several prices below one field. */
  highest(field: string): number | undefined {
    const value = this.#declared[field];
    const prices = (typeof value === 'object' && value !== null ? Object.values(value) : [value])
      .filter(isPrice)
      .flatMap((each) => this.#toMicro(field, each, 1n) ?? []);
    if (prices.length === 0) return undefined;
    this.#read.add(field);
    if (new Set(prices).size > 1) this.note(`of its ${field} the highest holds for every search`);
    return Math.max(...prices);
  }

  /** Ratios by name, as exact decimals. */
  ratios(field: string): Readonly<Record<string, string>> {
    const value = this.#declared[field];
    if (typeof value !== 'object' || value === null) return {};
    this.#read.add(field);
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, ratio]) => isPrice(ratio))
        .map(([name, ratio]) => [name, String(ratio)]),
    );
  }

  #toMicro(field: string, value: number | string, of: bigint): number | undefined {
    const { value: micro, isExact } = whole(times(decimal(value), { digits: 10n ** 12n / of, places: 0 }));
    if (!Number.isSafeInteger(micro)) {
      this.note(`its ${field} is left out: ${value} is too high for a price`);
      return undefined;
    }
    if (!isExact) this.note(`its ${field} is rounded to a micro-USD for a million`);
    return micro;
  }

  /** Says of every other price that it does not come over. */
  noteOthers(): void {
    const others = this.names.filter(
      (name) => /cost|price|pricing/.test(name) && !this.#read.has(name) && this.#declared[name] !== null,
    );
    if (others.length > 0)
      this.note(`left out, for there is nothing like it here: ${others.sort().join(', ')}`);
  }
}
