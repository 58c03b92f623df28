import type { Protocol } from '@tollgate/vocabulary';
import { promptTooLong } from './context-length.ts';

export type RelayErrorKind = keyof typeof KINDS;

/** A refusal or failure as a value; {@link renderError} turns it into what a protocol's clients read. */
export interface RelayError {
  readonly kind: RelayErrorKind;
  readonly message: string;
  /** The field of the request that is wrong, as a path such as `messages[1].role`. */
  readonly param: string | null;
  /** How long a client should wait, in milliseconds; only for errors that may pass. */
  readonly retryAfterMs: number | undefined;
}

export interface RenderedError {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

interface Kind {
  readonly status: number;
  /** The same request may succeed later. */
  readonly retry: boolean;
  readonly openai: readonly [type: string, code: string | null];
  readonly anthropic: string;
  readonly gemini: string;
}

/** The type that clients of such relays know from every problem with a key. */
const KEY = 'new_api_error';

const key = (code: string): Kind => ({
  status: 401,
  retry: false,
  openai: [KEY, code],
  anthropic: KEY,
  gemini: 'UNAUTHENTICATED',
});
const bad = (status: number, code: string | null, anthropic = 'invalid_request_error'): Kind => ({
  status,
  retry: false,
  openai: ['invalid_request_error', code],
  anthropic,
  gemini: 'INVALID_ARGUMENT',
});

/** Every kind of error: its status and its name in each protocol. */
const KINDS = {
  missing_key: key('missing_api_key'),
  invalid_key: key('invalid_api_key'),
  conflicting_keys: key('conflicting_api_keys'),
  key_expired: key('api_key_expired'),
  key_disabled: key('api_key_disabled'),
  invalid_request: bad(400, null),
  model_not_found: bad(400, 'model_not_found'),
  invalid_group: bad(400, 'invalid_group'),
  unsupported: bad(400, 'unsupported_parameter'),
  context_too_long: bad(400, 'context_length_exceeded'),
  not_found: { ...bad(404, null, 'not_found_error'), gemini: 'NOT_FOUND' },
  request_timeout: {
    status: 408,
    retry: true,
    openai: ['invalid_request_error', 'request_timeout'],
    anthropic: 'timeout_error',
    gemini: 'DEADLINE_EXCEEDED',
  },
  payload_too_large: bad(413, 'request_too_large', 'request_too_large'),
  idempotency_in_use: {
    status: 409,
    retry: true,
    openai: ['invalid_request_error', 'idempotency_key_in_use'],
    anthropic: 'invalid_request_error',
    gemini: 'ABORTED',
  },
  idempotency_mismatch: bad(422, 'idempotency_key_reused'),
  rate_limited: {
    status: 429,
    retry: true,
    openai: ['rate_limit_error', 'rate_limit_exceeded'],
    anthropic: 'rate_limit_error',
    gemini: 'RESOURCE_EXHAUSTED',
  },
  quota_exhausted: {
    status: 429,
    retry: false,
    openai: ['insufficient_quota', 'insufficient_quota'],
    anthropic: 'billing_error',
    gemini: 'RESOURCE_EXHAUSTED',
  },
  upstream_rate_limited: {
    status: 429,
    retry: true,
    openai: ['upstream_error', 'upstream_rate_limited'],
    anthropic: 'rate_limit_error',
    gemini: 'RESOURCE_EXHAUSTED',
  },
  upstream_error: {
    status: 502,
    retry: true,
    openai: ['upstream_error', 'upstream_error'],
    anthropic: 'api_error',
    gemini: 'INTERNAL',
  },
  upstream_unavailable: {
    status: 503,
    retry: true,
    openai: ['upstream_error', 'upstream_unavailable'],
    anthropic: 'overloaded_error',
    gemini: 'UNAVAILABLE',
  },
  upstream_timeout: {
    status: 504,
    retry: true,
    openai: ['upstream_error', 'upstream_timeout'],
    anthropic: 'timeout_error',
    gemini: 'DEADLINE_EXCEEDED',
  },
  unavailable: {
    status: 503,
    retry: true,
    openai: ['server_error', 'service_unavailable'],
    anthropic: 'overloaded_error',
    gemini: 'UNAVAILABLE',
  },
  internal: {
    status: 500,
    retry: true,
    openai: ['server_error', 'internal_error'],
    anthropic: 'api_error',
    gemini: 'INTERNAL',
  },
} as const satisfies Record<string, Kind>;

export function relayError(
  kind: RelayErrorKind,
  message: string,
  details: { param?: string | null; retryAfterMs?: number | undefined } = {},
): RelayError {
  return { kind, message, param: details.param ?? null, retryAfterMs: details.retryAfterMs };
}

const RESPONSES_CODES: Partial<Record<RelayErrorKind, string>> = {
  context_too_long: 'context_length_exceeded',
  quota_exhausted: 'insufficient_quota',
  rate_limited: 'rate_limit_exceeded',
  upstream_rate_limited: 'rate_limit_exceeded',
  invalid_request: 'invalid_prompt',
};

/** The code of a failed response in a stream: agents act on these alone, and take every other for a fault that may pass. */
export const responsesCode = (kind: RelayErrorKind): string => RESPONSES_CODES[kind] ?? 'server_error';

/** The status that an error of this kind is answered with. */
export const statusOf = (kind: RelayErrorKind): number => KINDS[kind].status;

/**
 * An error in the envelope that the official clients of a protocol read, which always holds the `error.message` and
 * `error.type` of the relay's interface. `x-should-retry: false` stops SDKs from repeating what cannot succeed.
 */
export function renderError(protocol: Protocol, error: RelayError, requestId: string): RenderedError {
  const kind: Kind = KINDS[error.kind];
  const headers: Record<string, string> = {};
  if (!kind.retry) headers['x-should-retry'] = 'false';
  if (error.retryAfterMs !== undefined) {
    headers['retry-after'] = String(Math.max(1, Math.ceil(error.retryAfterMs / 1_000)));
    headers['retry-after-ms'] = String(Math.max(1, Math.ceil(error.retryAfterMs)));
  }
  return { status: kind.status, headers, body: JSON.stringify(errorBody(protocol, error, requestId)) };
}

/** The JSON value of an error in a protocol's envelope; it also stands inside streams. */
export function errorBody(protocol: Protocol, error: RelayError, requestId: string | undefined): object {
  const kind: Kind = KINDS[error.kind];
  const [type, code] = kind.openai;
  switch (protocol) {
    case 'openai-chat':
    case 'openai-responses':
      return { error: { message: error.message, type, param: error.param, code } };
    case 'anthropic-messages':
      return {
        type: 'error',
        error: {
          type: kind.anthropic,
          message: error.kind === 'context_too_long' ? promptTooLong(error.message) : error.message,
          ...(code === null ? {} : { details: { error_code: code } }),
        },
        ...(requestId === undefined ? {} : { request_id: requestId }),
      };
    case 'gemini':
      return {
        error: {
          code: kind.status,
          message: error.message,
          status: kind.gemini,
          type,
          details: geminiDetails(error, code),
        },
      };
  }
}

/** Gemini clients take the waiting time and the reason from the body. */
function geminiDetails(error: RelayError, code: string | null): object[] {
  const details: object[] = [];
  if (code !== null) {
    details.push({
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: code.toUpperCase(),
      domain: 'tollgate',
    });
  }
  if (error.retryAfterMs !== undefined) {
    const seconds = Math.max(1, Math.ceil(error.retryAfterMs / 1_000));
    details.push({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` });
  }
  if (error.kind === 'quota_exhausted') {
    details.push({
      '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
      violations: [{ quotaId: 'CreditPerDay', description: error.message }],
    });
  }
  return details;
}
