import type { Readable } from 'node:stream';
import type { AnswerPlan, StreamFraming, WrapAnswer } from '@tollgate/protocols';
import { type Outcome, outcomeOfStatus } from '../health/outcome.ts';
import type { Candidate } from '../route/candidates.ts';
import { firstByte, readWhole } from './body.ts';
import { type Exchanged, exchange, type UpstreamHeaders, type Wanted } from './exchange.ts';
import { type AttemptFailure, failureOf, isCallersFault, retryAfterOf } from './failures.ts';
import type { OutgoingRequest, Prepared } from './prepare.ts';
import { unpackAnswer } from './unpack-answer.ts';

export type Sendable = Extract<Prepared, { ok: true }>;

interface Answered {
  readonly candidate: Candidate;
  /** As it was made for this candidate's model. */
  readonly request: OutgoingRequest;
  readonly status: number;
  /** Ends it against the limits of its upstream, with the tokens it used; null where it used none. Must be called. */
  readonly settle: (usedTokens: number | null) => void;
  /** From the beginning of the attempt to its first byte, or to all of an answer that comes whole. */
  readonly waitedMs: number;
  readonly headers: UpstreamHeaders;
  /** How the upstream cut its answer. */
  readonly framing: StreamFraming;
  /** Undefined where the answer is passed on as it is. */
  readonly plan: AnswerPlan | undefined;
  readonly dropped: readonly string[];
  readonly emulated: readonly string[];
  readonly wrap: WrapAnswer | undefined;
}

export type Answer =
  /** Bytes are there and none of them is lost. */
  | (Answered & {
      readonly kind: 'stream';
      readonly body: Readable;
      /** The stream ended before its answer did, and nobody here ended it: that counts against the upstream. */
      readonly broke: () => void;
    })
  /** The whole answer, and what it says; `framing` tells when it is a stream that was read to its end, and not parsed. */
  | (Answered & { readonly kind: 'answer'; readonly body: Buffer; readonly json: unknown });

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
    readonly firstTryAt: number;
    readonly settle: Answered['settle'];
  },
): StartedAttempt {
  const { total_timeout_ms } = candidate.client.upstream;
  const beganAt = Date.now();
  const tracked = candidate.target.begin();
  let stopped = false;
  let abort = () => {};
  let isSent = () => false;
  const stop = () => {
    stopped = true;
    abort();
  };
  let givenUp = false;
  const giveUp = () => {
    givenUp = true;
    stop();
  };
  const timer = setTimeout(stop, Math.max(0, options.firstTryAt + total_timeout_ms - beganAt));
  request.signal.addEventListener('abort', giveUp, { once: true });
  if (request.signal.aborted || request.gone.aborted) giveUp();
  const end = () => {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', giveUp);
    tracked.end();
  };

  async function run(): Promise<AttemptResult> {
    const result = await relay();
    if (result.kind === 'stream' || result.kind === 'answer') return result;
    options.settle(null);
    return { ...result, isSent: isSent() };
  }

  async function relay(): Promise<Answer | AttemptFailure | { readonly kind: 'aborted' }> {
    try {
      if (stopped) throw new Error('given up before it began');
      const exchanging = exchange(
        candidate.client.pool,
        prepared,
        (status, headers) => wantedOf(candidate, status, headers, request),
        options.answerLimitBytes,
      );
      ({ abort, isSent } = exchanging);
      const answer = await exchanging.result;
      const { status, headers } = answer;
      if (answer.wanted === 'nothing') {
        tracked.record(outcomeOfStatus(status, headers, Date.now(), Date.now() - beganAt));
        end();
        return { kind: 'status', status, retryAfterMs: retryAfterOf(headers) };
      }
      const result = await readAnswer(candidate, request, prepared, answer, {
        ...options,
        beganAt,
        broke: tracked.broke,
      });
      const elapsedMs = Date.now() - beganAt;
      const good = result.kind === 'stream' || result.kind === 'answer';
      tracked.record(
        good || status >= 300
          ? outcomeOfStatus(status, headers, Date.now(), elapsedMs)
          : outcomeOfFailure(result, elapsedMs),
      );
      if (result.kind === 'stream' && !result.body.closed) result.body.once('close', end);
      else end();
      return result;
    } catch (error) {
      const failure = stopped ? ({ kind: 'timeout' } as const) : failureOf(error);
      if (!givenUp) tracked.record(outcomeOfFailure(failure, Date.now() - beganAt));
      end();
      return givenUp ? { kind: 'aborted' } : failure;
    }
  }
  return { candidate, model: request.model, beganAt, result: run(), abort: giveUp };
}

function outcomeOfFailure(failure: AttemptFailure, elapsedMs: number): Outcome {
  const cause = { connect: 'connect', 'refused-address': 'connect', timeout: 'timeout' } as const;
  return {
    kind: 'failed',
    cause: failure.kind in cause ? cause[failure.kind as keyof typeof cause] : 'broken',
    elapsedMs,
  };
}

async function readAnswer(
  candidate: Candidate,
  request: OutgoingRequest,
  { plan, dropped, emulated, wrap }: Sendable,
  answer: Exclude<Exchanged, { wanted: 'nothing' }>,
  terms: { answerLimitBytes: number; beganAt: number; settle: Answered['settle']; broke: () => void },
): Promise<Answer | AttemptFailure> {
  const { status, headers } = answer;
  const success = status < 300;
  const framing = success ? framingOf(candidate, headers, request.stream) : 'none';
  const { answerLimitBytes, beganAt, settle, broke } = terms;
  const notes = { plan, dropped, emulated, wrap };
  const answered = { candidate, request, status, headers, framing, settle, ...notes };
  const waitedMs = () => Date.now() - beganAt;
  const body =
    answer.wanted === 'whole' ? answer.body : unpackAnswer(answer.body, headers['content-encoding']);
  if (!Buffer.isBuffer(body) && request.stream && framing !== 'none') {
    const { first_byte_timeout_ms } = candidate.client.upstream;
    const state = await firstByte(body, Math.max(0, beganAt + first_byte_timeout_ms - Date.now()));
    if (state === 'ready') return { kind: 'stream', ...answered, waitedMs: waitedMs(), body, broke };
    body.destroy();
    return { kind: state === 'late' ? 'timeout' : 'garbage' };
  }
  const whole = Buffer.isBuffer(body) ? body : await readWhole(body, answerLimitBytes);
  if (framing !== 'none')
    return { kind: 'answer', ...answered, waitedMs: waitedMs(), body: whole, json: undefined };
  const json = parsed(whole);
  if (json === undefined) return { kind: 'garbage' };
  const isArray = success && candidate.protocol === 'gemini' && Array.isArray(json);
  return {
    kind: 'answer',
    ...answered,
    waitedMs: waitedMs(),
    framing: isArray ? 'json-array' : 'none',
    body: whole,
    json,
  };
}

/** Upstreams exist that answer a stream request with one JSON body, and the other way round: their word counts. */
function framingOf({ protocol }: Candidate, headers: UpstreamHeaders, stream: boolean): StreamFraming {
  const type = String(headers['content-type'] ?? '');
  if (type.includes('text/event-stream')) return 'sse';
  return protocol === 'gemini' && stream && type.includes('json') ? 'json-array' : 'none';
}

function wantedOf(
  candidate: Candidate,
  status: number,
  headers: UpstreamHeaders,
  { stream, stored }: OutgoingRequest,
): Wanted {
  // What the caller named was kept there and is no more, such as an answer that has expired.
  const isGone = status === 404 && stored?.needed !== undefined;
  if (status >= 300 && !isCallersFault(status) && !isGone) return 'nothing';
  if (headers['content-encoding'] !== undefined) return 'stream';
  return status < 300 && stream && framingOf(candidate, headers, stream) !== 'none' ? 'stream' : 'whole';
}

/** Undefined where it is no JSON. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
