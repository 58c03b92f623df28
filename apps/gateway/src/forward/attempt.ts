import { endOfTurn } from '@tollgate/platform';
import type { Candidate } from '../route/candidates.ts';
import type { Answer, Answered } from './answer.ts';
import { type Exchanged, exchange, type UpstreamHeaders } from './exchange.ts';
import { type AttemptFailure, toAttemptFailure } from './failures.ts';
import type { OutgoingRequest, Sendable } from './outgoing-request.ts';
import { chooseHandling, readAnswer } from './read-answer.ts';
import { readRetryAfterMs } from './retry-after.ts';
import { isAmbiguous, toFailureOutcome, toStatusOutcome } from './status-policy.ts';

/** What is known of an attempt that brought no answer. */
interface Unanswered {
  /** The request, or a part of it, has left for the upstream. */
  readonly isSent: boolean;
}

export type AttemptResult = Answer | ((AttemptFailure | { readonly kind: 'aborted' }) & Unanswered);

export interface StartedAttempt {
  readonly candidate: Candidate;
  /** The model whose candidate it is. */
  readonly model: string;
  /** Milliseconds since 1970. */
  readonly beganAt: number;
  /** Milliseconds since then, by a clock that nobody sets. */
  readonly ranMs: () => number;
  /** Once it has its result: answers to some of its calls, which brought nothing as another one failed. */
  readonly paid: readonly unknown[];
  /** How many calls it is of. */
  readonly calls: number;
  /** Never rejects. */
  readonly result: Promise<AttemptResult>;
  /** Gives it up: it says nothing about the upstream then. A stream that began already is ended too. */
  abort(): void;
}

/**
 * Sends a request to one candidate and waits for the first byte of its answer, or for all of it. What comes of it is
 * recorded on the candidate's target, which counts it as under way until the last byte.
 */
export function startAttempt(
  candidate: Candidate,
  request: OutgoingRequest,
  prepared: Sendable,
  options: {
    readonly answerLimitBytes: number;
    /** By the clock that nobody sets. */
    readonly firstTryAt: number;
    readonly settle: Answered['settle'];
  },
): StartedAttempt {
  const { total_timeout_ms } = candidate.client.upstream;
  const beganAt = Date.now();
  const startedAt = performance.now();
  const ranMs = () => performance.now() - startedAt;
  const tracked = candidate.target.begin();
  let stopped = false;
  let abort = () => {};
  let isSent = () => false;
  const stop = () => {
    stopped = true;
    abort();
  };
  const paid: unknown[] = [];
  let givenUp = false;
  const giveUp = () => {
    givenUp = true;
    stop();
  };
  const timer = setTimeout(stop, Math.max(0, options.firstTryAt + total_timeout_ms - startedAt));
  request.signal.addEventListener('abort', giveUp, { once: true });
  if (request.signal.aborted || request.gone.aborted) giveUp();
  const end = () => {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', giveUp);
    tracked.end();
  };

  function unanswered(failure: AttemptFailure | { readonly kind: 'aborted' }): AttemptResult {
    options.settle(null);
    return { ...failure, isSent: isSent() };
  }

  /** The headers of a request that is ready, with the proof of who asks. Most schemes sign at once, and need not be waited for. */
  function signed(body: Buffer): UpstreamRequestHeaders | Promise<UpstreamRequestHeaders> {
    const headers = sign(candidate, prepared, body);
    return headers instanceof Promise ? unlessStopped(headers) : headers;
  }

  function ask(body: Buffer, headers: UpstreamRequestHeaders): Promise<Exchanged> {
    if (stopped) throw new Error('given up before it began');
    const exchanging = exchange(
      candidate.client.pool,
      { path: prepared.path, headers, body: prepared.form?.stream() ?? body },
      (status, headers) => chooseHandling(candidate, status, headers, request),
      options.answerLimitBytes,
    );
    ({ abort, isSent } = exchanging);
    return exchanging.result;
  }

  /** Undefined where it was not the proof that was refused. */
  async function askAgain(
    body: Buffer,
    { status, headers }: Exchanged,
    sent: UpstreamRequestHeaders,
  ): Promise<Exchanged | undefined> {
    const { auth } = candidate.credential;
    const isRenewed = auth.renew && (await unlessStopped(auth.renew({ status, headers, sent })));
    return isRenewed ? ask(body, await signed(body)) : undefined;
  }

  /** Who gives tokens out is not waited for longer than the caller waits. */
  function unlessStopped<T>(promise: Promise<T>): Promise<T> {
    const { promise: unlessGivenUp, resolve, reject } = Promise.withResolvers<T>();
    abort = () => reject(new Error('given up while it was signed'));
    if (stopped) abort();
    promise.then(resolve, reject);
    return unlessGivenUp;
  }

  /** One exchange. A proof that has just ended is no reason to ask somebody else. */
  async function call(body: Buffer): Promise<Called> {
    const signing = signed(body);
    const sent = signing instanceof Promise ? await signing : signing;
    const first = await ask(body, sent);
    // A stream that breaks off in this turn, as HTTP/2 tells it, must have its readers by then.
    if (first.handling === 'whole') await endOfTurn();
    const mayBeProof = first.handling === 'nothing' || isAmbiguous(first.status);
    const again = mayBeProof ? await askAgain(body, first, sent) : undefined;
    if (again && first.handling === 'stream') first.body.destroy();
    const answer = again ?? first;
    const { status, headers } = answer;
    if (answer.handling === 'nothing') {
      const retryAfterMs = readRetryAfterMs(headers, Date.now());
      return { headers, result: { kind: 'status', status, retryAfterMs }, isUnread: true };
    }
    const { broke } = tracked;
    const { answerLimitBytes, settle } = options;
    const reading = { answerLimitBytes, settle, startedAt, broke };
    const read = readAnswer(candidate, request, prepared, answer, reading);
    return { headers, result: read instanceof Promise ? await read : read, isUnread: false };
  }

  /** All calls of a task one after the other, up to the first that does not bring what was asked. */
  async function callAll(): Promise<Called> {
    const first = await call(prepared.body);
    let last = first;
    for (const body of prepared.further) {
      if (!isTaken(last.result)) break;
      paid.push(last.result.json);
      last = await call(body);
    }
    if (last === first || !isTaken(last.result) || !isTaken(first.result)) return last;
    const further = [...paid.splice(0).slice(1), last.result.json];
    return { ...last, result: { ...first.result, further, waitedMs: last.result.waitedMs } };
  }

  async function run(): Promise<AttemptResult> {
    try {
      const called = prepared.further.length === 0 ? call(prepared.body) : callAll();
      const { headers, result, isUnread } = await called;
      const elapsedMs = 'waitedMs' in result && !isUnread ? result.waitedMs : ranMs();
      tracked.record(
        'status' in result
          ? toStatusOutcome(result.status, headers, Date.now(), elapsedMs)
          : toFailureOutcome(result, elapsedMs),
      );
      if (result.kind === 'stream' && !result.body.closed) result.body.once('close', end);
      else end();
      return result.kind === 'stream' || result.kind === 'answer' ? result : unanswered(result);
    } catch (error) {
      const failure = stopped ? ({ kind: 'timeout' } as const) : toAttemptFailure(error);
      const elapsedMs = ranMs();
      if (!givenUp) {
        tracked.record(
          failure.kind === 'status'
            ? toStatusOutcome(failure.status, {}, Date.now(), elapsedMs)
            : toFailureOutcome(failure, elapsedMs),
        );
      }
      end();
      return unanswered(givenUp ? { kind: 'aborted' } : failure);
    }
  }
  const calls = 1 + prepared.further.length;
  return { candidate, model: request.model, beganAt, ranMs, paid, calls, result: run(), abort: giveUp };
}

/** What one call brought. */
interface Called {
  readonly headers: UpstreamHeaders;
  readonly result: Answer | AttemptFailure;
  /** Nobody looked at its body. */
  readonly isUnread: boolean;
}

const isTaken = (result: Answer | AttemptFailure): result is Extract<Answer, { kind: 'answer' }> =>
  result.kind === 'answer' && result.status < 300;

type UpstreamRequestHeaders = Record<string, string>;

const sign = ({ client, credential, protocol }: Candidate, { path, headers, form }: Sendable, body: Buffer) =>
  credential.auth.applyAuth({ method: 'POST', origin: client.origin, path, protocol, headers, body, form });
