import { CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import { relayError, type RelayErrorKind, renderError, findErrorStatus } from './index.ts';

type Names = [openai: string, code: string | null, anthropic: string, gemini: string];

const key = (code: string): Names => ['new_api_error', code, 'new_api_error', 'UNAUTHENTICATED'];
const bad = (code: string | null, anthropic = 'invalid_request_error'): Names => [
  'invalid_request_error',
  code,
  anthropic,
  'INVALID_ARGUMENT',
];

const table: Record<RelayErrorKind, { status: number; final: boolean; names: Names }> = {
  missing_key: { status: 401, final: true, names: key('missing_api_key') },
  invalid_key: { status: 401, final: true, names: key('invalid_api_key') },
  conflicting_keys: { status: 401, final: true, names: key('conflicting_api_keys') },
  key_expired: { status: 401, final: true, names: key('api_key_expired') },
  key_disabled: { status: 401, final: true, names: key('api_key_disabled') },
  invalid_request: { status: 400, final: true, names: bad(null) },
  model_not_found: { status: 400, final: true, names: bad('model_not_found') },
  invalid_group: { status: 400, final: true, names: bad('invalid_group') },
  unsupported: { status: 400, final: true, names: bad('unsupported_parameter') },
  context_too_long: { status: 400, final: true, names: bad('context_length_exceeded') },
  not_found: {
    status: 404,
    final: true,
    names: ['invalid_request_error', null, 'not_found_error', 'NOT_FOUND'],
  },
  websocket_not_served: {
    status: 426,
    final: true,
    names: ['invalid_request_error', 'websocket_not_served', 'invalid_request_error', 'UNIMPLEMENTED'],
  },
  request_timeout: {
    status: 408,
    final: false,
    names: ['invalid_request_error', 'request_timeout', 'timeout_error', 'DEADLINE_EXCEEDED'],
  },
  payload_too_large: { status: 413, final: true, names: bad('request_too_large', 'request_too_large') },
  idempotency_in_use: {
    status: 409,
    final: false,
    names: ['invalid_request_error', 'idempotency_key_in_use', 'invalid_request_error', 'ABORTED'],
  },
  idempotency_mismatch: { status: 422, final: true, names: bad('idempotency_key_reused') },
  rate_limited: {
    status: 429,
    final: false,
    names: ['rate_limit_error', 'rate_limit_exceeded', 'rate_limit_error', 'RESOURCE_EXHAUSTED'],
  },
  quota_exhausted: {
    status: 429,
    final: true,
    names: ['insufficient_quota', 'insufficient_quota', 'billing_error', 'RESOURCE_EXHAUSTED'],
  },
  upstream_rate_limited: {
    status: 429,
    final: false,
    names: ['upstream_error', 'upstream_rate_limited', 'rate_limit_error', 'RESOURCE_EXHAUSTED'],
  },
  upstream_error: {
    status: 502,
    final: false,
    names: ['upstream_error', 'upstream_error', 'api_error', 'INTERNAL'],
  },
  upstream_unavailable: {
    status: 503,
    final: false,
    names: ['upstream_error', 'upstream_unavailable', 'overloaded_error', 'UNAVAILABLE'],
  },
  upstream_timeout: {
    status: 504,
    final: false,
    names: ['upstream_error', 'upstream_timeout', 'timeout_error', 'DEADLINE_EXCEEDED'],
  },
  unavailable: {
    status: 503,
    final: false,
    names: ['server_error', 'service_unavailable', 'overloaded_error', 'UNAVAILABLE'],
  },
  internal: {
    status: 500,
    final: false,
    names: ['server_error', 'internal_error', 'api_error', 'INTERNAL'],
  },
};
const kinds = Object.keys(table) as RelayErrorKind[];

const envelopes = {
  'openai-chat': (message: string, [type, code]: Names) => ({
    error: { message, type, param: 'a[1].b', code },
  }),
  'openai-responses': (message: string, [type, code]: Names) => ({
    error: { message, type, param: 'a[1].b', code },
  }),
  'anthropic-messages': (message: string, [, code, type]: Names) => ({
    type: 'error',
    error: { type, message, ...(code === null ? {} : { details: { error_code: code } }) },
    request_id: 'req_1',
  }),
  gemini: (message: string, [type, , , status]: Names, code: number) => ({
    error: { code, message, status, type, details: expect.any(Array) },
  }),
};

describe.each(CLIENT_PROTOCOLS)('in %s', (protocol) => {
  test.each(kinds)('%s has its status, envelope and headers', (kind) => {
    const { status, final, names } = table[kind];
    const rendered = renderError(
      protocol,
      relayError(kind, 'What went wrong.', { param: 'a[1].b' }),
      'req_1',
    );
    expect(rendered.status).toBe(status);
    expect(findErrorStatus(kind)).toBe(status);
    expect(rendered.headers).toEqual(final ? { 'x-should-retry': 'false' } : {});
    const words =
      kind === 'context_too_long' && protocol === 'anthropic-messages'
        ? 'prompt is too long: What went wrong.'
        : 'What went wrong.';
    expect(JSON.parse(rendered.body)).toEqual(envelopes[protocol](words, names, status));
  });

  test('a missing key reads as the relay interface says', () => {
    const { status, body } = renderError(protocol, relayError('missing_key', 'Invalid token'), 'req_1');
    expect(status).toBe(401);
    expect(JSON.parse(body)).toMatchObject({ error: { message: 'Invalid token', type: 'new_api_error' } });
  });

  test.each([
    [1, '1', '1'],
    [999, '1', '999'],
    [1_000, '1', '1000'],
    [1_000.5, '2', '1001'],
    [2_500, '3', '2500'],
    [0, '1', '1'],
    [-5, '1', '1'],
  ])('a wait of %d ms is told in whole seconds and in milliseconds', (retryAfterMs, seconds, millis) => {
    const { headers } = renderError(
      protocol,
      relayError('rate_limited', 'Slow down.', { retryAfterMs }),
      'r',
    );
    expect(headers).toEqual({ 'retry-after': seconds, 'retry-after-ms': millis });
  });
});

describe('Gemini clients find in the details', () => {
  const details = (kind: RelayErrorKind, retryAfterMs?: number) => {
    const { body } = renderError('gemini', relayError(kind, 'Why.', { retryAfterMs }), 'r');
    return (JSON.parse(body) as { error: { details: object[] } }).error.details;
  };

  test('the reason', () => {
    expect(details('key_expired')).toEqual([
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_EXPIRED', domain: 'tollgate' },
    ]);
  });

  test('nothing when the kind has no code', () => {
    expect(details('invalid_request')).toEqual([]);
  });

  test('the time to wait', () => {
    expect(details('rate_limited', 1_200)).toContainEqual({
      '@type': 'type.googleapis.com/google.rpc.RetryInfo',
      retryDelay: '2s',
    });
  });

  test('that waiting a while does not help when the credit is used up', () => {
    expect(details('quota_exhausted')).toContainEqual({
      '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
      violations: [{ quotaId: 'CreditPerDay', description: 'Why.' }],
    });
  });
});
