import type { LostCause } from '@tollgate/contracts';
import { andThen } from '@tollgate/platform';
import { CODECS, refusesStates, type RelayError } from '@tollgate/protocols';
import type { UpstreamAdmission } from '../admit/upstream-limits.ts';
import type { Candidate } from '../route/candidates.ts';
import { inOrder, type Stage, type StickyKeys } from '../route/route.ts';
import { sleepUnless } from './abort-notice.ts';
import type { Answer } from './answer.ts';
import { type AttemptResult, startAttempt, type StartedAttempt } from './attempt.ts';
import { planAttempts } from './plan-attempts.ts';
import { hedged, isAnswer } from './hedge.ts';
import { type LostAttempt, findLostCause } from './lost.ts';
import type { OutgoingRequest, Sendable } from './outgoing-request.ts';
import { prepare } from './prepare.ts';
import { createQueue, computeWait } from './queue.ts';
import { mayRefuseReasoning, toCallerError } from './status-policy.ts';

export interface ForwardLimits {
  readonly answerLimitBytes: number;
}

/** What holds for all tries of one request. Moments are by `performance.now()`: nobody sets that clock. */
export interface ForwardOptions extends ForwardLimits {
  readonly sticky: StickyKeys;
  /** When the caller gives up, as far as it says so. */
  readonly deadlineAt: number;
  /** Takes one request from the limits of an upstream and its credential. */
  readonly admit: (candidate: Candidate) => UpstreamAdmission | Promise<UpstreamAdmission>;
  /** Is told of every try that brought nothing and that its upstream may bill. */
  readonly lost: (attempt: LostAttempt) => void;
  /** Is told of every try that is sent. */
  readonly attempted?: ((candidate: Candidate, result: Promise<AttemptResult>) => void) | undefined;
}

/** A candidate that was sent a request of its model. */
export interface Asked {
  readonly candidate: Candidate;
  /** The model whose candidate it is. */
  readonly model: string;
  /** How long it was at work, in milliseconds. */
  readonly ranMs: number;
}

export type Forwarded =
  | Answer
  | { readonly kind: 'failed'; readonly error: RelayError }
  /** The caller is gone; `asked` is who was at work for it when its answer was not wanted any longer. */
  | { readonly kind: 'aborted'; readonly asked?: Asked };

/**
 * Sends a request to candidates until one answers. After a failure the next one is tried as long as the caller has received
 * nothing: first the candidates of the model in the order of their pool, then those of its fallbacks.
 *
 * The first try of a model is free; each further one is taken out of the pool's retry budget, which candidates that answer
 * nearly everything may overdraw. A model without a ready candidate is skipped. When no model has one, the candidates of the
 * first model are tried although they are held back.
 */
export async function forward(
  stages: readonly Stage[],
  request: OutgoingRequest,
  options: ForwardOptions,
): Promise<Forwarded> {
  const asking = planAttempts(stages, request);
  if (!asking.ok) return { kind: 'failed', error: asking.error };
  const ready = asking.asked.filter(({ stage }) => stage.candidates.some(isReady));
  const open = ready.length > 0 ? ready : asking.asked.slice(0, 1);
  const firstTryAt = performance.now();
  let error: RelayError | undefined;
  for (const [index, { stage, request: own }] of open.entries()) {
    const last = index === open.length - 1;
    const result = await tryStage(stage, own, { ...options, stream: request.stream, firstTryAt, last });
    if (result.kind !== 'failed') return result;
    if (request.gone.aborted) return { kind: 'aborted' };
    error ??= result.error;
  }
  return { kind: 'failed', error: error ?? toCallerError({ kind: 'connect' }) };
}

const isReady = ({ target }: Candidate): boolean => target.availability(performance.now()) === 'ready';

interface StageOptions extends ForwardOptions {
  readonly stream: boolean;
  readonly firstTryAt: number;
  /** Nobody else can answer any more: candidates that are held back are tried too. */
  readonly last: boolean;
}

async function tryStage(stage: Stage, request: OutgoingRequest, options: StageOptions): Promise<Forwarded> {
  const pool = stage.candidates[0]?.pool;
  if (!pool) return { kind: 'failed', error: toCallerError({ kind: 'connect' }) };
  pool.traffic.budget.request();
  const queue = createQueue(stage.candidates, (some) => inOrder(some, options.sticky), options.last);
  let failure: RelayError | undefined;
  let refusal: RelayError | undefined;
  let tries = 0;
  const failed: Candidate['target'][] = [];
  while (tries < pool.attempts) {
    const candidate = queue.next();
    if (!candidate) break;
    const sendable = sendableTo(candidate, request, tries);
    if (!sendable.ok) {
      refusal ??= sendable.error;
      continue;
    }
    if (tries > 0) {
      const healthy = !failed.includes(candidate.target) && candidate.target.healthy(performance.now());
      if (!pool.traffic.budget.mayRetry(timingOf(candidate, options), sendable.waitMs, healthy)) continue;
    }
    if (sendable.waitMs > 0) await sleepUnless(request.gone, sendable.waitMs);
    if (request.gone.aborted) return { kind: 'aborted' };
    const starting = start(candidate, request, sendable.prepared, options);
    const started = starting instanceof Promise ? await starting : starting;
    if ('error' in started) {
      refusal ??= started.error;
      continue;
    }
    tries += 1;
    const second = async (): Promise<StartedAttempt | undefined> => {
      const mayAsk = tries < pool.attempts && !request.gone.aborted;
      const other = mayAsk ? queue.takeReady(candidate) : undefined;
      if (!other) return undefined;
      const otherSendable = sendableTo(other, request, 0);
      if (!otherSendable.ok) return undefined;
      const beside = await start(other, request, otherSendable.prepared, options);
      if ('error' in beside) return undefined;
      tries += 1;
      return beside;
    };
    const hedges = pool.hedge && !request.background;
    const result = hedges ? await tryHedged(candidate, started, options, second) : await started.result;
    if (isAnswer(result)) return refusesReasoning(result) ? sendWithout(result, options) : result;
    if (result.kind === 'aborted') return abortedBy(started, result);
    failure = toCallerError(result);
    failed.push(candidate.target);
    queue.failed(candidate, result);
  }
  const error = failure ?? refusal ?? (queue.allDisabled() ? NO_CREDENTIAL : undefined);
  return { kind: 'failed', error: error ?? toCallerError({ kind: 'connect' }) };
}

/** A vendor does not read the reasoning of another, or of another of its accounts; what was said can be read without. */
function refusesReasoning(answer: Answer): boolean {
  if (answer.kind !== 'answer' || !mayRefuseReasoning(answer.status)) return false;
  const { protocol, payload, withoutReasoning } = answer.request;
  return (
    !withoutReasoning &&
    CODECS[protocol].states.statesIn(payload.json).length > 0 &&
    refusesStates(answer.body.toString('utf8'))
  );
}

/** Asks the same candidate once more, without the reasoning that it refused. */
async function sendWithout(refusal: Answer, options: StageOptions): Promise<Forwarded> {
  const { candidate } = refusal;
  const request = { ...refusal.request, withoutReasoning: true };
  const sendable = sendableTo(candidate, request, 0);
  if (!sendable.ok || request.gone.aborted) return refusal;
  const started = await start(candidate, request, sendable.prepared, options);
  if ('error' in started) return refusal;
  refusal.settle(null);
  const result = await started.result;
  if (isAnswer(result)) return result;
  if (result.kind === 'aborted') return abortedBy(started, result);
  return { kind: 'failed', error: toCallerError(result) };
}

const abortedBy = (
  { candidate, model, ranMs }: StartedAttempt,
  { isSent }: { readonly isSent: boolean },
): Forwarded =>
  isSent ? { kind: 'aborted', asked: { candidate, model, ranMs: ranMs() } } : { kind: 'aborted' };

type SendableTo =
  | { readonly ok: true; readonly prepared: Sendable; readonly waitMs: number }
  | { readonly ok: false; readonly error: RelayError };

/** The request as a candidate takes it, and how long it must wait for that one. */
function sendableTo(candidate: Candidate, request: OutgoingRequest, tries: number): SendableTo {
  const prepared = prepare(candidate, request);
  if (!prepared.ok) return prepared;
  const waitMs = computeWait(candidate, tries);
  if (waitMs !== 'too long') return { ok: true, prepared, waitMs };
  const retryAfterMs = Math.max(1, candidate.target.coolsDownMs(performance.now()));
  return { ok: false, error: atItsLimit(retryAfterMs) };
}

type Started = StartedAttempt | { readonly error: RelayError };

const start = (
  candidate: Candidate,
  request: OutgoingRequest,
  prepared: Sendable,
  options: StageOptions,
): Started | Promise<Started> =>
  andThen(options.admit(candidate), (admission): Started => {
    if (!admission.ok) return { error: atItsLimit(admission.retryAfterMs) };
    const started = startAttempt(candidate, request, prepared, { ...options, settle: admission.settle });
    options.attempted?.(candidate, started.result);
    void started.result.then((result) => {
      const { paid } = started;
      // What was answered of a task is paid for, though all of it failed.
      const cause =
        findLostCause(result) ?? (paid.length > 0 && result.kind !== 'aborted' ? 'garbage' : undefined);
      if (cause) lose(started, cause, options);
    });
    return started;
  });

const lose = (
  { candidate, model, beganAt, ranMs, paid, calls }: StartedAttempt,
  cause: LostCause,
  { lost }: ForwardOptions,
): void =>
  lost({
    candidate,
    model,
    cause,
    beganAt,
    ranMs: ranMs(),
    ...(paid.length > 0 ? { paid: { answers: paid, calls } } : {}),
  });

const atItsLimit = (retryAfterMs: number): RelayError =>
  toCallerError({ kind: 'status', status: 429, retryAfterMs });

const NO_CREDENTIAL = toCallerError({ kind: 'status', status: 401, retryAfterMs: undefined });

function timingOf({ target, client }: Candidate, { deadlineAt, firstTryAt }: StageOptions) {
  const now = performance.now();
  return {
    elapsedMs: now - firstTryAt,
    deadlineMs: Math.min(deadlineAt - firstTryAt, client.upstream.total_timeout_ms),
    typicalMs: target.latencyMs(now) ?? 0,
  };
}

async function tryHedged(
  candidate: Candidate,
  first: StartedAttempt,
  options: StageOptions,
  second: () => Promise<StartedAttempt | undefined>,
): Promise<AttemptResult> {
  const { elapsedMs, deadlineMs } = timingOf(candidate, options);
  const hedging = hedgingOf(candidate, options);
  const lost = (attempt: StartedAttempt) => lose(attempt, 'hedge', options);
  const result = await hedged(first, hedging, deadlineMs - elapsedMs, second, lost);
  if (isAnswer(result)) hedgingOf(result.candidate, options).observe(result.waitedMs);
  return result;
}

/** Streams begin sooner than whole answers end. */
const hedgingOf = ({ pool, client, upstreamModel }: Candidate, { stream }: StageOptions) =>
  pool.traffic.hedging(`${client.upstream.name} ${upstreamModel} ${stream}`);
