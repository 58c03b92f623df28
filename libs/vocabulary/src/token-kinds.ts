export const INPUT_TOKEN_KINDS = [
  'input',
  'input_audio',
  'input_image',
  'cache_read',
  'cache_write',
  'cache_write_1h',
] as const;

export const OUTPUT_TOKEN_KINDS = ['output', 'output_reasoning', 'output_audio', 'output_image'] as const;

/**
 * The kinds of token that are metered and priced apart. They never overlap: the sum over all kinds is the
 * number of tokens that the upstream bills. `cache_write` has the default lifetime (5 minutes),
 * `cache_write_1h` every longer one.
 */
export const TOKEN_KINDS = [...INPUT_TOKEN_KINDS, ...OUTPUT_TOKEN_KINDS] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** Tokens of one request by kind; a kind that is absent counts zero. */
export type TokenCounts = Partial<Record<TokenKind, number>>;
