import type { RelayError } from '@tollgate/protocols';
import {
  findFailurePolicy,
  findStatusPolicy,
  toCallerError,
  toFailureOutcome,
  toStatusOutcome,
  toTrueStatus,
  readStatus,
} from './status-policy.ts';

const STATUSES = Array.from({ length: 500 }, (_, index) => 100 + index);
const CALLERS_FAULTS = [400, 409, 413, 415, 422];
const CREDENTIAL_REFUSED = [401, 403];
const OVERLOADED = [503, 529];
const GAVE_UP_WAITING = [408, 502, 504, 520, 524];

/** What a status has to mean, said once more and in another way than the policy does. */
function expectedOf(status: number) {
  const isCallers = status >= 400 && status < 500 && ![402, 408, 424].includes(status);
  const health = CREDENTIAL_REFUSED.includes(status)
    ? 'refused'
    : status === 429
      ? 'rate-limited'
      : isCallers
        ? 'unknown'
        : status >= 200 && status < 300
          ? 'answered'
          : 'failed';
  return {
    callersFault: CALLERS_FAULTS.includes(status),
    retriesSame: false,
    nextFirst: [...CREDENTIAL_REFUSED, 429].includes(status) ? 'any' : 'other-upstream',
    lost: GAVE_UP_WAITING.includes(status) ? 'status' : undefined,
    health,
  };
}

test.each(STATUSES)('status %i means what the table says', (status) => {
  const { callersFault, retriesSame, nextFirst, lost } = findStatusPolicy(status);
  const outcome = toStatusOutcome(status, { 'retry-after': '2' }, 0, 12);
  expect({ callersFault, retriesSame, nextFirst, lost, health: outcome.kind }).toEqual(expectedOf(status));
});

test.each([
  [200, { kind: 'answered', firstByteMs: 12 }],
  [301, { kind: 'failed', cause: 'status 301', elapsedMs: 12 }],
  [400, { kind: 'unknown' }],
  [401, { kind: 'refused', status: 401, isCertain: true }],
  [403, { kind: 'refused', status: 403, isCertain: false }],
  [404, { kind: 'unknown' }],
  [429, { kind: 'rate-limited', status: 429, retryAfterMs: 2_000 }],
  [529, { kind: 'failed', cause: 'status 529', elapsedMs: 12 }],
])('status %i tells the health of its target %j', (status, outcome) => {
  expect(toStatusOutcome(status, { 'retry-after': '2' }, 0, 12)).toEqual(outcome);
});

const failed = STATUSES.filter((status) => status >= 300 && !CALLERS_FAULTS.includes(status));

/** What the caller of a failed request has to be told. */
function expectedErrorOf(
  status: number,
  retryAfterMs: number | undefined,
  words?: string,
): Partial<RelayError> {
  if (status === 429) {
    const message = 'The upstream of this model is at its limit. Try again later.';
    return { kind: 'upstream_rate_limited', message, retryAfterMs: retryAfterMs ?? 1_000 };
  }
  if (status === 403) {
    const message =
      words ??
      'The upstream of this model forbids what was asked, or the credential of this service to ask it.';
    return { kind: 'upstream_error', message, retryAfterMs: undefined };
  }
  if (CREDENTIAL_REFUSED.includes(status)) {
    const message = 'The upstream refused the credential of this service. Its operators must fix that.';
    return { kind: 'upstream_error', message, retryAfterMs: undefined };
  }
  if (OVERLOADED.includes(status)) {
    const message = words ?? 'The upstream of this model is overloaded. Try again later.';
    return { kind: 'upstream_unavailable', message, retryAfterMs: retryAfterMs ?? 1_000 };
  }
  if (status === 408) {
    const message = words ?? 'The upstream did not answer in time.';
    return { kind: 'upstream_timeout', message, retryAfterMs: undefined };
  }
  const message = words ?? `The upstream failed with status ${status}.`;
  return { kind: 'upstream_error', message, retryAfterMs: undefined };
}

test.each(failed)('the caller is told of status %i without names, addresses and credentials', (status) => {
  const failure = { kind: 'status', status, retryAfterMs: undefined } as const;
  expect(toCallerError(failure)).toMatchObject(expectedErrorOf(status, undefined));
  expect(toCallerError({ ...failure, retryAfterMs: 7_000, words: 'Words.' })).toMatchObject(
    expectedErrorOf(status, 7_000, 'Words.'),
  );
});

test.each([
  ['connect', 'connect', undefined, 'upstream_unavailable', 1_000],
  ['refused-address', 'connect', undefined, 'upstream_unavailable', 1_000],
  ['timeout', 'timeout', 'timeout', 'upstream_timeout', undefined],
  ['reset', 'broken', 'reset', 'upstream_error', undefined],
  ['garbage', 'broken', 'garbage', 'upstream_error', undefined],
] as const)('%s fails by %s, is lost as %s and told as %s', (kind, cause, lost, told, retryAfterMs) => {
  const policy = findFailurePolicy({ kind });
  expect(policy).toMatchObject({ callersFault: false, nextFirst: 'other-upstream', lost });
  expect(policy.retriesSame).toBe(kind === 'reset');
  expect(toFailureOutcome({ kind }, 12)).toEqual({ kind: 'failed', cause, elapsedMs: 12 });
  expect(toCallerError({ kind })).toMatchObject({ kind: told, retryAfterMs });
});

test('an answer that is longer than is held says nothing of the health of its upstream', () => {
  expect(toFailureOutcome({ kind: 'too-long' }, 12)).toEqual({ kind: 'unknown' });
  expect(findFailurePolicy({ kind: 'too-long' })).toMatchObject({ callersFault: false, lost: 'garbage' });
  expect(toCallerError({ kind: 'too-long' }).message).toContain('longer than is accepted');
});

test.each([
  [413, 'payload_too_large'],
  [400, 'invalid_request'],
  [422, 'invalid_request'],
])('a refusal with status %i is told as %s where it cannot pass as it came', (status, kind) => {
  expect(findStatusPolicy(status).error.kind).toBe(kind);
});

test.each([
  [401, 500],
  [403, 403],
  [400, 400],
  [429, 429],
])('a failure of status %i inside an answer is one of status %i', (told, status) => {
  expect(toTrueStatus(told)).toBe(status);
});

test.each([
  [400, 'ServiceQuotaExceededException', 429],
  [400, 'ValidationException:http://internal.amazon.com/coral/com.amazon.bedrock/', 400],
  [424, 'ModelErrorException', 424],
  [403, 'AccessDeniedException', 403],
  [403, 'ExpiredTokenException', 401],
  [418, 'NovelException', 418],
  [200, 'ThrottlingException', 200],
  [500, undefined, 500],
])('the status %i of a %s means %i', (status, name, meant) => {
  expect(readStatus(status, name === undefined ? {} : { 'x-amzn-errortype': name })).toBe(meant);
});
