import {
  INPUT_TOKEN_KINDS,
  type Operation,
  OUTPUT_TOKEN_KINDS,
  type TokenCounts,
  type TokenKind,
} from '@tollgate/vocabulary';

/** What an upstream is asked to do: answer whole, answer as a stream where the path says so, or count tokens. */
export type UpstreamAction = Operation | 'stream';

/**
 * How an answer is cut into events: server-sent events, the elements of one JSON array (Gemini without `alt=sse`),
 * or not at all.
 */
export type StreamFraming = 'sse' | 'json-array' | 'none';

/** All tokens that went in, cached ones included, or all that came out. */
export const sumOf = (tokens: TokenCounts, side: 'input' | 'output'): number =>
  ((side === 'input' ? INPUT_TOKEN_KINDS : OUTPUT_TOKEN_KINDS) as readonly TokenKind[]).reduce(
    (sum, kind) => sum + (tokens[kind] ?? 0),
    0,
  );
