import type { IncomingHttpHeaders } from 'node:http';
import type { Protocol } from '@tollgate/vocabulary';

export type Dialect = 'openai' | 'anthropic' | 'gemini';

/**
 * Which kind of client asks, for routes that several kinds share: Gemini's by its key header, `?key=` or the
 * `/v1beta` path; Anthropic's by its version header; else OpenAI's.
 */
export function detectDialect(
  path: string,
  headers: IncomingHttpHeaders,
  queryKey: string | undefined,
): Dialect {
  if (path.startsWith('/v1beta') || headers['x-goog-api-key'] !== undefined || queryKey !== undefined)
    return 'gemini';
  return headers['anthropic-version'] === undefined ? 'openai' : 'anthropic';
}

/** The wire format whose error envelope a dialect reads. */
export const ENVELOPE_OF: Readonly<Record<Dialect, Protocol>> = {
  openai: 'openai-chat',
  anthropic: 'anthropic-messages',
  gemini: 'gemini',
};
