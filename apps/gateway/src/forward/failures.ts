import { UpstreamAddressError } from '@tollgate/platform';
import { UpstreamAuthError } from '../upstream-auth/auth-scheme.ts';
import { AnswerTooLong } from './body.ts';

/** An attempt that ended without a status, or whose answer belied it. */
export interface StatuslessFailure {
  readonly kind: 'connect' | 'reset' | 'timeout' | 'garbage' | 'too-long' | 'refused-address' | 'no-proof';
}

/** Why an attempt at one upstream brought no answer to relay. */
export type AttemptFailure =
  | StatuslessFailure
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly retryAfterMs: number | undefined;
      /** What the upstream said in an answer that it called a success, without its credential. */
      readonly words?: string;
    };

const CONNECT_CODES = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const TIMEOUT_CODES = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** What an error of the proof, of the connection, or of reading from it, is. */
export function toAttemptFailure(error: unknown): AttemptFailure {
  // Who refuses a secret refuses it for the upstream.
  if (error instanceof UpstreamAuthError)
    return error.isRefused ? { kind: 'status', status: 401, retryAfterMs: undefined } : { kind: 'no-proof' };
  if (error instanceof UpstreamAddressError) return { kind: 'refused-address' };
  if (error instanceof AnswerTooLong) return { kind: 'too-long' };
  const code = errorCode(error);
  if (CONNECT_CODES.has(code)) return { kind: 'connect' };
  if (TIMEOUT_CODES.has(code)) return { kind: 'timeout' };
  return { kind: 'reset' };
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
