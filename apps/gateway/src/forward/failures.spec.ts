import { UpstreamAddressError } from '@tollgate/platform';
import { toAttemptFailure } from './failures.ts';
import { toCallerError } from './status-policy.ts';

const coded = (code: string) => Object.assign(new Error(`connect to 10.0.0.7:443 ${code}`), { code });

test.each([
  ['ECONNREFUSED', 'connect'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect'],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
  ['UND_ERR_BODY_TIMEOUT', 'timeout'],
  ['ECONNRESET', 'reset'],
  ['UND_ERR_SOCKET', 'reset'],
])('%s is a failure to %s', (code, kind) => {
  expect(toAttemptFailure(coded(code))).toEqual({ kind });
});

test('a refused address is told apart, and callers do not learn it', () => {
  const failure = toAttemptFailure(new UpstreamAddressError('169.254.169.254', 'metadata'));
  expect(failure).toEqual({ kind: 'refused-address' });
  expect(JSON.stringify(toCallerError(failure))).not.toMatch(/169|metadata|address/);
});
