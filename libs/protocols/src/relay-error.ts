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
  /** One sentence for people who read the documentation. */
  readonly when: string;
}

/** The type that clients of such relays know from every problem with a key. */
export const KEY_ERROR_TYPE = 'new_api_error';

const key = (code: string, when: string): Kind => ({
  status: 401,
  retry: false,
  type: KEY_ERROR_TYPE,
  code,
  when,
});
const bad = (status: number, code: string | null, when: string): Kind => ({
  status,
  retry: false,
  type: 'invalid_request_error',
  code,
  when,
});
const passing = (status: number, type: string, code: string, when: string): Kind => ({
  status,
  retry: true,
  type,
  code,
  when,
});

const KINDS = {
  missing_key: key('missing_api_key', 'No key was sent. The message is `Invalid token`.'),
  invalid_key: key('invalid_api_key', 'There is no such key, or it may not be used from this address.'),
  conflicting_keys: key('conflicting_api_keys', 'Two different keys were sent.'),
  key_expired: key('api_key_expired', 'The key has expired.'),
  key_disabled: key('api_key_disabled', 'The key or its account is disabled.'),
  invalid_request: bad(400, null, 'The request breaks a rule. The message and `param` name the field.'),
  model_not_found: bad(
    400,
    'model_not_found',
    'There is no such model, or not for the group of the key or on this route.',
  ),
  invalid_group: bad(400, 'invalid_group', 'The group of the key does not exist any more.'),
  unsupported: bad(
    400,
    'unsupported_parameter',
    'The format of the upstream cannot carry a field, or nobody gives away what it costs. The message and `param` name it.',
  ),
  context_too_long: bad(400, 'context_length_exceeded', 'The conversation is too long for the model.'),
  not_found: bad(
    404,
    null,
    'The path is no route: `Invalid URL (<METHOD> <path>)`. Or the request names an earlier answer that is not kept.',
  ),
  websocket_not_served: bad(
    426,
    'websocket_not_served',
    'A WebSocket is asked for where none is served, or where as many are open as may be. Clients that know both, such as Codex, go on with `POST` at once.',
  ),
  request_timeout: passing(408, 'invalid_request_error', 'request_timeout', 'The body comes too slowly.'),
  payload_too_large: bad(
    413,
    'request_too_large',
    'The body is too large (`BODY_LIMIT_BYTES`), or holds too many JSON values.',
  ),
  idempotency_in_use: passing(
    409,
    'invalid_request_error',
    'idempotency_key_in_use',
    'A request with this `Idempotency-Key` is still under way.',
  ),
  idempotency_mismatch: bad(
    422,
    'idempotency_key_reused',
    'This `Idempotency-Key` was used for another request.',
  ),
  rate_limited: passing(
    429,
    'rate_limit_error',
    'rate_limit_exceeded',
    'A limit of requests, tokens or requests at once is reached.',
  ),
  quota_exhausted: {
    status: 429,
    retry: false,
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    when: 'The credit of the account or a budget does not cover the request.',
  },
  upstream_rate_limited: passing(
    429,
    'upstream_error',
    'upstream_rate_limited',
    'Every upstream of the model is at its limit.',
  ),
  upstream_error: passing(
    502,
    'upstream_error',
    'upstream_error',
    'The upstream failed, broke off or sent what cannot be read.',
  ),
  upstream_unavailable: passing(
    503,
    'upstream_error',
    'upstream_unavailable',
    'No upstream can be reached, or it is overloaded.',
  ),
  upstream_timeout: passing(
    504,
    'upstream_error',
    'upstream_timeout',
    'The upstream did not answer in time.',
  ),
  unavailable: passing(
    503,
    'server_error',
    'service_unavailable',
    'Keys, prices, credit or earlier answers cannot be looked up, or usage cannot be recorded, at the moment.',
  ),
  internal: passing(500, 'server_error', 'internal_error', 'A fault of Tollgate.'),
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
/** Of an answer that breaks the format it is in. */
export const UNREADABLE_ANSWER = relayError(
  'upstream_error',
  'The upstream sent an answer that cannot be read.',
);

export const findErrorStatus = (kind: RelayErrorKind): number => ERROR_KINDS[kind].status;
