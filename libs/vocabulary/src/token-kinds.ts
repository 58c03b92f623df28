const FRESH_TOKEN_KINDS = ['input', 'input_audio', 'input_image'] as const;
/** Input that the upstream read from its cache. */
export const CACHED_TOKEN_KINDS = ['cache_read', 'cache_read_audio', 'cache_read_image'] as const;
/** Input that the upstream keeps in its cache. */
export const CACHE_WRITE_TOKEN_KINDS = ['cache_write', 'cache_write_1h'] as const;
/** Input that the upstream did not read from its cache. */
export const UNCACHED_TOKEN_KINDS = [...FRESH_TOKEN_KINDS, ...CACHE_WRITE_TOKEN_KINDS] as const;

export const INPUT_TOKEN_KINDS = [
  ...FRESH_TOKEN_KINDS,
  ...CACHED_TOKEN_KINDS,
  ...CACHE_WRITE_TOKEN_KINDS,
] as const;

export const OUTPUT_TOKEN_KINDS = ['output', 'output_reasoning', 'output_audio', 'output_image'] as const;

/**
 * The kinds of token that are metered and priced apart. They never overlap: the sum over all kinds is the
 * number of tokens that the upstream bills. `cache_write` has the default lifetime (5 minutes),
 * `cache_write_1h` every longer one.
 */
export const TOKEN_KINDS = [...INPUT_TOKEN_KINDS, ...OUTPUT_TOKEN_KINDS] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** What people read, where nobody has translated it. */
export const TOKEN_KIND_NAMES: Readonly<Record<TokenKind, string>> = {
  input: 'Input Tokens',
  input_audio: 'Audio Input Tokens',
  input_image: 'Image Input Tokens',
  cache_read: 'Cache Read Tokens',
  cache_read_audio: 'Audio Cache Read Tokens',
  cache_read_image: 'Image Cache Read Tokens',
  cache_write: 'Cache Write Tokens',
  cache_write_1h: 'Cache Write Tokens (1 Hour)',
  output: 'Output Tokens',
  output_reasoning: 'Reasoning Output Tokens',
  output_audio: 'Audio Output Tokens',
  output_image: 'Image Output Tokens',
};

/**
 * Kinds that a request cannot have in which no sound goes in and nothing but text comes back, with what its tokens can be
 * instead.
 */
export const AS_TEXT_KIND: Readonly<Partial<Record<TokenKind, TokenKind>>> = {
  input_audio: 'input',
  cache_read_audio: 'cache_read',
  output_audio: 'output',
  output_image: 'output',
};

/**
 * Whose price a kind takes where none is stated; null where one must be. A source stands before those that take from it in
 * the list of kinds.
 */
export const PRICE_SOURCES: Readonly<Record<TokenKind, TokenKind | null>> = {
  input: null,
  input_audio: 'input',
  input_image: 'input',
  cache_read: 'input',
  cache_read_audio: 'cache_read',
  cache_read_image: 'cache_read',
  cache_write: 'input',
  cache_write_1h: 'cache_write',
  output: null,
  output_reasoning: 'output',
  output_audio: 'output',
  output_image: 'output',
};

/** Tokens of one request by kind; a kind that is absent counts zero. */
export type TokenCounts = Partial<Record<TokenKind, number>>;

/** All tokens of some kinds, such as those of one side. */
export function sumTokens(tokens: Readonly<TokenCounts>, kinds: readonly TokenKind[]): number {
  let sum = 0;
  for (const kind of kinds) sum += tokens[kind] ?? 0;
  return sum;
}

/** So many tokens a model is taken to read and to write where the catalogue does not say how many. */
export const ASSUMED_CONTEXT_WINDOW = 200_000;
