export type RelayErrorKind = keyof typeof KINDS;

/** A refusal or failure as a value; `renderError` turns it into what a format's clients read. */
export interface RelayError {
  readonly kind: RelayErrorKind;
  readonly message: string;
  /** The field of the request that is wrong, as a path such as `messages[1].role`. */
  readonly param: string | null;
  /** How long a client should wait, in milliseconds; only for errors that may pass. */
  readonly retryAfterMs: number | undefined;
}

interface Kind {
  readonly status: number;
  /** The same request may succeed later. */
  readonly retry: boolean;
  /** `error.type` and `error.code` of the relay's interface; formats with names of their own add them. */
  readonly type: string;
  readonly code: string | null;
}

/** The type that clients of such relays know from every problem with a key. */
export const KEY_ERROR_TYPE = 'new_api_error';

const key = (code: string): Kind => ({ status: 401, retry: false, type: KEY_ERROR_TYPE, code });
const bad = (status: number, code: string | null): Kind => ({
  status,
  retry: false,
  type: 'invalid_request_error',
  code,
});
const passing = (status: number, type: string, code: string): Kind => ({ status, retry: true, type, code });

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
  not_found: bad(404, null),
  request_timeout: passing(408, 'invalid_request_error', 'request_timeout'),
  payload_too_large: bad(413, 'request_too_large'),
  idempotency_in_use: passing(409, 'invalid_request_error', 'idempotency_key_in_use'),
  idempotency_mismatch: bad(422, 'idempotency_key_reused'),
  rate_limited: passing(429, 'rate_limit_error', 'rate_limit_exceeded'),
  quota_exhausted: { status: 429, retry: false, type: 'insufficient_quota', code: 'insufficient_quota' },
  upstream_rate_limited: passing(429, 'upstream_error', 'upstream_rate_limited'),
  upstream_error: passing(502, 'upstream_error', 'upstream_error'),
  upstream_unavailable: passing(503, 'upstream_error', 'upstream_unavailable'),
  upstream_timeout: passing(504, 'upstream_error', 'upstream_timeout'),
  unavailable: passing(503, 'server_error', 'service_unavailable'),
  internal: passing(500, 'server_error', 'internal_error'),
} as const satisfies Record<string, Kind>;

/** Every kind of error, as all formats tell it. */
export const ERROR_KINDS: Readonly<Record<RelayErrorKind, Kind>> = KINDS;

export function relayError(
  kind: RelayErrorKind,
  message: string,
  details: { param?: string | null; retryAfterMs?: number | undefined } = {},
): RelayError {
  return { kind, message, param: details.param ?? null, retryAfterMs: details.retryAfterMs };
}

/** The status that an error of this kind is answered with. */
export const findErrorStatus = (kind: RelayErrorKind): number => ERROR_KINDS[kind].status;
