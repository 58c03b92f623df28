import { UpstreamAddressError } from '@tollgate/platform';
import { relayError, type RelayError } from '@tollgate/protocols';
import { retryAfterMs } from '../health/retry-after.ts';
import { AnswerTooLong } from './body.ts';

/** Why an attempt at one upstream brought no answer to relay. */
export type AttemptFailure =
  | { readonly kind: 'connect' | 'reset' | 'timeout' | 'garbage' | 'refused-address' }
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

export function failureOf(error: unknown): AttemptFailure {
  if (error instanceof UpstreamAddressError) return { kind: 'refused-address' };
  if (error instanceof AnswerTooLong) return { kind: 'garbage' };
  const code = codeOf(error);
  if (CONNECT_CODES.has(code)) return { kind: 'connect' };
  if (TIMEOUT_CODES.has(code)) return { kind: 'timeout' };
  return { kind: 'reset' };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** The caller sent something this upstream refuses: another would refuse it too, so its own words are relayed. */
const CALLERS_FAULT = new Set([400, 409, 413, 415, 422]);

export const isCallersFault = (status: number): boolean => CALLERS_FAULT.has(status);

/** What the caller is told when no upstream answered. Addresses, credentials and names of upstreams stay inside. */
export function errorOfFailure(failure: AttemptFailure): RelayError {
  switch (failure.kind) {
    case 'connect':
    case 'refused-address':
      return relayError('upstream_unavailable', 'No upstream of this model can be reached at the moment.', {
        retryAfterMs: 1_000,
      });
    case 'timeout':
      return relayError('upstream_timeout', 'The upstream did not answer in time.');
    case 'reset':
      return relayError('upstream_error', 'The upstream closed the connection before it answered.');
    case 'garbage':
      return relayError('upstream_error', 'The upstream sent an answer that cannot be read.');
    case 'status':
      return errorOfStatus(failure.status, failure.retryAfterMs, failure.words);
  }
}

function errorOfStatus(status: number, retryAfterMs: number | undefined, words?: string): RelayError {
  if (status === 429) {
    return relayError(
      'upstream_rate_limited',
      'The upstream of this model is at its limit. Try again later.',
      {
        retryAfterMs: retryAfterMs ?? 1_000,
      },
    );
  }
  if (status === 401 || status === 403) {
    return relayError(
      'upstream_error',
      'The upstream refused the credential of this service. Its operators must mend that.',
    );
  }
  if (status === 503 || status === 529) {
    const message = words ?? 'The upstream of this model is overloaded. Try again later.';
    return relayError('upstream_unavailable', message, { retryAfterMs: retryAfterMs ?? 1_000 });
  }
  return relayError('upstream_error', words ?? `The upstream failed with status ${status}.`);
}

const MOST_RETRY_AFTER_MS = 3_600_000;

/** What an upstream asks to wait, in milliseconds, at most an hour. */
export function retryAfterOf(headers: Record<string, string | string[] | undefined>): number | undefined {
  const wanted = retryAfterMs(headers, Date.now());
  return wanted === undefined ? undefined : Math.min(wanted, MOST_RETRY_AFTER_MS);
}
