/** The wire formats that clients and upstreams speak. */
export const PROTOCOLS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** What an upstream is asked to do: answer whole, answer as a stream where the path says so, or count tokens. */
export type UpstreamAction = 'generate' | 'stream' | 'count';

/**
 * How an answer is cut into events: server-sent events, the elements of one JSON array (Gemini without `alt=sse`),
 * or not at all.
 */
export type StreamFraming = 'sse' | 'json-array' | 'none';

/** Kinds of token that are counted apart; they never overlap. */
export type TokenKind =
  | 'input'
  | 'input_audio'
  | 'input_image'
  | 'cache_read'
  | 'cache_write'
  | 'cache_write_1h'
  | 'output'
  | 'output_reasoning'
  | 'output_audio'
  | 'output_image';

/** Tokens by kind; an absent kind counts zero. */
export type TokenCounts = Partial<Record<TokenKind, number>>;

const INPUT_KINDS: readonly TokenKind[] = [
  'input',
  'input_audio',
  'input_image',
  'cache_read',
  'cache_write',
  'cache_write_1h',
];
const OUTPUT_KINDS: readonly TokenKind[] = ['output', 'output_reasoning', 'output_audio', 'output_image'];

/** All tokens that went in, cached ones included, or all that came out. */
export const sumOf = (tokens: TokenCounts, side: 'input' | 'output'): number =>
  (side === 'input' ? INPUT_KINDS : OUTPUT_KINDS).reduce((sum, kind) => sum + (tokens[kind] ?? 0), 0);
