import type { LostCause } from '@tollgate/contracts';
import {
  findExceptionStatus,
  findRefused,
  relayError,
  type RelayError,
  type RelayErrorKind,
  UNREADABLE_ANSWER,
} from '@tollgate/protocols';
import type { Outcome } from '../health/outcome.ts';
import type { AttemptFailure, StatuslessFailure } from './failures.ts';
import { readRetryAfterMs, type RetryAfterHeaders } from './retry-after.ts';

/**
 * What an upstream's status means, or that it gave none: for the caller, for who is asked next, and for the upstream's health.
 * Nothing else in the gateway looks at these statuses.
 */
interface StatusPolicy {
  /** Another upstream would refuse the request too: nobody else is asked, and the refusal is relayed in its own words. */
  readonly callersFault: boolean;
  /** The same candidate is asked once more, after all others. */
  readonly retriesSame: boolean;
  /** Which others are asked first: those of other upstreams, or whoever comes next, where it concerns one credential alone. */
  readonly nextFirst: 'other-upstream' | 'any';
  /** What it says of the target's health. */
  readonly health: 'answered' | 'failed' | 'rate-limited' | 'refused' | 'forbidden' | 'unknown';
  /** The upstream may bill an attempt that brought nothing, and the books call it this. */
  readonly lost: LostCause | undefined;
  /** What the caller is told once nobody else is left to ask. */
  readonly error: CallerError;
}

interface CallerError {
  readonly kind: RelayErrorKind;
  /** Undefined where the status is told in its place. Addresses, credentials and names of upstreams stay inside. */
  readonly message: string | undefined;
  /** What the upstream said in an answer that it called a success is told in place of the message. */
  readonly takesWords: boolean;
  /** What is told where the upstream does not say how long to wait; undefined where no time is told. */
  readonly retryAfterMs: number | undefined;
}

const createError = (kind: RelayErrorKind, message?: string, retryAfterMs?: number): CallerError => ({
  kind,
  message,
  takesWords: false,
  retryAfterMs,
});

/** It failed, and says nothing more of why. */
const FAILED: StatusPolicy = {
  callersFault: false,
  retriesSame: false,
  nextFirst: 'other-upstream',
  health: 'failed',
  lost: undefined,
  error: { ...createError('upstream_error'), takesWords: true },
};
const ANSWERED: StatusPolicy = { ...FAILED, health: 'answered' };
/** It says nothing of the upstream: a caller could bring about as much of it as they like, and sooner than an answer. */
const UNKNOWN: StatusPolicy = { ...FAILED, health: 'unknown' };
const CALLERS_FAULT: StatusPolicy = { ...UNKNOWN, callersFault: true, error: createError('invalid_request') };
const CREDENTIAL_REFUSED: StatusPolicy = {
  ...FAILED,
  nextFirst: 'any',
  health: 'refused',
  error: createError(
    'upstream_error',
    'The upstream refused the credential of this service. Its operators must fix that.',
  ),
};
/** Of a file, a model or a method that one caller names, as far as anybody knows. */
const FORBIDDEN: StatusPolicy = {
  ...CREDENTIAL_REFUSED,
  health: 'forbidden',
  error: {
    ...createError(
      'upstream_error',
      'The upstream of this model forbids what was asked, or the credential of this service to ask it.',
    ),
    takesWords: true,
  },
};
const RATE_LIMITED: StatusPolicy = {
  ...FAILED,
  nextFirst: 'any',
  health: 'rate-limited',
  error: createError(
    'upstream_rate_limited',
    'The upstream of this model is at its limit. Try again later.',
    1_000,
  ),
};
const OVERLOADED: StatusPolicy = {
  ...FAILED,
  error: {
    ...createError(
      'upstream_unavailable',
      'The upstream of this model is overloaded. Try again later.',
      1_000,
    ),
    takesWords: true,
  },
};
/** Somebody on the way gave up waiting for an upstream that may have gone on. Vendors bill no other error. */
const GAVE_UP_WAITING: StatusPolicy = { ...FAILED, lost: 'status' };

/** By the status, or by its first digit for those that are not named. */
const BY_STATUS: ReadonlyMap<number, StatusPolicy> = new Map([
  [1, FAILED],
  [2, ANSWERED],
  [3, FAILED],
  [4, UNKNOWN],
  [400, CALLERS_FAULT],
  [401, CREDENTIAL_REFUSED],
  // Nothing that the caller did.
  [402, FAILED],
  [403, FORBIDDEN],
  [
    408,
    {
      ...GAVE_UP_WAITING,
      error: {
        ...createError('upstream_timeout', 'The upstream did not answer in time.'),
        takesWords: true,
      },
    },
  ],
  [409, CALLERS_FAULT],
  [413, { ...CALLERS_FAULT, error: createError('payload_too_large') }],
  [415, CALLERS_FAULT],
  [422, CALLERS_FAULT],
  // Bedrock's word for a model that failed.
  [424, FAILED],
  [429, RATE_LIMITED],
  [5, FAILED],
  [502, GAVE_UP_WAITING],
  [503, OVERLOADED],
  [504, GAVE_UP_WAITING],
  [520, GAVE_UP_WAITING],
  [524, GAVE_UP_WAITING],
  [529, OVERLOADED],
]);

const UNREACHABLE: StatusPolicy = {
  ...FAILED,
  error: createError(
    'upstream_unavailable',
    'No upstream of this model can be reached at the moment.',
    1_000,
  ),
};

/** Where no status came, or one that an answer belied. */
const WITHOUT_STATUS: Readonly<Record<StatuslessFailure['kind'], StatusPolicy>> = {
  connect: UNREACHABLE,
  'refused-address': UNREACHABLE,
  // Each credential has its own.
  'no-proof': { ...UNREACHABLE, nextFirst: 'any' },
  timeout: {
    ...FAILED,
    lost: 'timeout',
    error: createError('upstream_timeout', 'The upstream did not answer in time.'),
  },
  // A connection that was kept open may close just as it is used again.
  reset: {
    ...FAILED,
    retriesSame: true,
    lost: 'reset',
    error: createError('upstream_error', 'The upstream closed the connection before it answered.'),
  },
  garbage: {
    ...FAILED,
    lost: 'garbage',
    error: createError(UNREADABLE_ANSWER.kind, UNREADABLE_ANSWER.message),
  },
  // How long it is, is the caller's doing.
  'too-long': {
    ...UNKNOWN,
    lost: 'garbage',
    error: createError(
      'upstream_error',
      'The answer of the upstream is longer than is accepted. Ask for less.',
    ),
  },
};

export const findStatusPolicy = (status: number): StatusPolicy =>
  BY_STATUS.get(status) ?? BY_STATUS.get(Math.floor(status / 100)) ?? FAILED;

export const findFailurePolicy = (failure: AttemptFailure): StatusPolicy =>
  failure.kind === 'status' ? findStatusPolicy(failure.status) : WITHOUT_STATUS[failure.kind];

/** What the status of an answer means: Amazon Web Services name what happened, and use some statuses for several things. */
export function readStatus(status: number, headers: Readonly<Record<string, unknown>>): number {
  const name = status < 400 ? undefined : headers['x-amzn-errortype'];
  return (typeof name === 'string' ? findExceptionStatus(name) : undefined) ?? status;
}

/** The status of a failure that was told after a status of success. */
export const toTrueStatus = (toldStatus: number): number =>
  // Routers tell the refusals of those behind them: our own credential was taken.
  toldStatus === 401 ? 500 : toldStatus;

/** Whether the body has to be read to know what a status means. */
export const isAmbiguous = (status: number): boolean => status === 401 || status === 403;

/** What a refusal means once its body is read: it may say there alone whose fault it is. */
export function readRefusal(status: number, body: unknown): number {
  if (status !== 400 && !isAmbiguous(status)) return status;
  switch (findRefused(body)) {
    case 'credential':
      return 401;
    case 'contents':
      return 400;
    case 'operation':
      return 403;
    case undefined:
      return status;
  }
}

/** Whether a refusal may be about the reasoning that a request brings back: its words say so then. */
export const mayRefuseReasoning = (status: number): boolean => status === 400;

/** Whether a refusal says that something the caller named is no longer kept there, such as an answer that has expired. */
export const meansGone = (status: number): boolean => status === 404;

/** What the health of a target is told of an attempt whose status line has come. */
export function toStatusOutcome(
  status: number,
  headers: RetryAfterHeaders,
  now: number,
  elapsedMs: number,
): Outcome {
  switch (findStatusPolicy(status).health) {
    case 'answered':
      return { kind: 'answered', firstByteMs: elapsedMs };
    case 'refused':
      return { kind: 'refused', status, isCertain: true };
    case 'forbidden':
      return { kind: 'refused', status, isCertain: false };
    case 'rate-limited':
      return { kind: 'rate-limited', status, retryAfterMs: readRetryAfterMs(headers, now) };
    case 'unknown':
      return { kind: 'unknown' };
    case 'failed':
      return { kind: 'failed', cause: `status ${status}`, elapsedMs };
  }
}

const CAUSE = {
  connect: 'connect',
  'refused-address': 'connect',
  'no-proof': 'connect',
  timeout: 'timeout',
  reset: 'broken',
  garbage: 'broken',
  'too-long': undefined,
} as const;

/** What the health of a target is told of an attempt without a status. */
export function toFailureOutcome({ kind }: StatuslessFailure, elapsedMs: number): Outcome {
  const cause = CAUSE[kind];
  return cause === undefined ? { kind: 'unknown' } : { kind: 'failed', cause, elapsedMs };
}

/** What the caller is told when no upstream answered. */
export function toCallerError(failure: AttemptFailure): RelayError {
  const { kind, message, takesWords, retryAfterMs } = findFailurePolicy(failure).error;
  const answered = failure.kind === 'status' ? failure : undefined;
  return relayError(
    kind,
    (takesWords ? answered?.words : undefined) ??
      message ??
      `The upstream failed with status ${answered?.status}.`,
    { retryAfterMs: retryAfterMs === undefined ? undefined : (answered?.retryAfterMs ?? retryAfterMs) },
  );
}
