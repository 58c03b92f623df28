import { z } from 'zod';

/**
 * The kinds of token that are metered and priced apart. They never overlap: the sum over all kinds is the
 * number of tokens that the upstream bills. `cache_write` has the default lifetime (5 minutes),
 * `cache_write_1h` every longer one.
 */
export const TOKEN_KINDS = [
  'input',
  'input_audio',
  'input_image',
  'cache_read',
  'cache_write',
  'cache_write_1h',
  'output',
  'output_reasoning',
  'output_audio',
  'output_image',
] as const;

export type TokenKind = (typeof TOKEN_KINDS)[number];

export const tokenKindSchema = z.enum(TOKEN_KINDS);

const tokenCount = z.int().nonnegative();

/** Tokens of one request by kind; a kind that is absent counts zero. */
export const tokenCountsSchema = z.partialRecord(tokenKindSchema, tokenCount);
export type TokenCounts = z.infer<typeof tokenCountsSchema>;
