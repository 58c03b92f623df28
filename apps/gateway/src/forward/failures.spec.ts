import { UpstreamAddressError } from '@tollgate/platform';
import { errorOfFailure, failureOf, isCallersFault, retryAfterOf } from './failures.ts';

const coded = (code: string) => Object.assign(new Error(`connect to 10.0.0.7:443 ${code}`), { code });

test.each([
  ['ECONNREFUSED', 'connect'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect'],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
  ['UND_ERR_BODY_TIMEOUT', 'timeout'],
  ['ECONNRESET', 'reset'],
  ['UND_ERR_SOCKET', 'reset'],
])('%s is a failure to %s', (code, kind) => {
  expect(failureOf(coded(code))).toEqual({ kind });
});

test.each([400, 409, 413, 415, 422])(
  'status %i is the fault of the caller: its words are relayed',
  (status) => {
    expect(isCallersFault(status)).toBe(true);
  },
);

test.each([401, 403, 404, 408, 429, 500, 502, 503, 529])(
  'status %i is tried at the next upstream',
  (status) => {
    expect(isCallersFault(status)).toBe(false);
  },
);

test('a refused address is told apart, and callers do not learn it', () => {
  const failure = failureOf(new UpstreamAddressError('169.254.169.254', 'metadata'));
  expect(failure).toEqual({ kind: 'refused-address' });
  expect(JSON.stringify(errorOfFailure(failure))).not.toMatch(/169|metadata|address/);
});

test.each([
  [429, 'upstream_rate_limited'],
  [401, 'upstream_error'],
  [403, 'upstream_error'],
  [404, 'upstream_error'],
  [500, 'upstream_error'],
  [503, 'upstream_unavailable'],
  [529, 'upstream_unavailable'],
])('upstream status %i is told as %s', (status, kind) => {
  expect(errorOfFailure({ kind: 'status', status, retryAfterMs: 2_000 })).toMatchObject({ kind });
});

test.each([
  [{ 'retry-after-ms': '1500' }, 1_500],
  [{ 'retry-after': '2' }, 2_000],
  [{ 'retry-after': '999999' }, 3_600_000],
  [{ 'retry-after': 'soon' }, undefined],
  [{}, undefined],
])('retry-after %j is %s ms', (headers, ms) => {
  expect(retryAfterOf(headers)).toBe(ms);
});
