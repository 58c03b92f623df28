import { setTimeout as sleep } from 'node:timers/promises';
import type { BackgroundRequest, KeyRecord } from '@tollgate/contracts';
import { isObject, relayError, type RelayError } from '@tollgate/protocols';
import { askUpstream } from '../background/ask-upstream.ts';
import { readJobStatus } from '../background/job-status.ts';
import type { JobPlace } from '../background/jobs-client.ts';
import type { Answer } from '../forward/answer.ts';
import type { RequestAdmission } from './admit-request.ts';
import { type ResumableDeparture, watchResumable } from './departures.ts';
import { NOT_BILLED, type UsageRecorder } from './record-usage.ts';
import type { AskedRequest, RelayDependencies, RelayRequest } from './relay-request.ts';
import type { RoutedRequest } from './route-request.ts';
import { toEventBound } from './usage-event.ts';

/** A request whose answer may go on at its upstream. Where it did not, its disposal forgets it. */
interface BackgroundStart extends Disposable {
  /**
   * Looks at the upstream's answer, before its caller gets it: where the work goes on the books know where from here on, and
   * keep what it holds.
   */
  start(
    answer: Answer,
  ): Promise<
    | { readonly ok: true; readonly goesOn: GoesOn | undefined }
    | { readonly ok: false; readonly error: RelayError }
  >;
}

/** How an answer is delivered whose work goes on: nobody meters it here, and its client may leave and come back. */
interface GoesOn {
  readonly usage: UsageRecorder;
  readonly departure: ResumableDeparture;
}

type Begun =
  /** Undefined for all requests that want their answer at once. */
  | { readonly ok: true; readonly background: BackgroundStart | undefined }
  | { readonly ok: false; readonly error: RelayError };

/** Times that the books are told of a job, and what lies between them. */
const TELLS = 3;
const TELL_AGAIN_MS = 500;

/** Has the books make room for a job before its request is sent, where the caller wants one that may be. */
export function beginInBackground(
  deps: RelayDependencies,
  request: RelayRequest,
  of: BegunOf,
): Begun | Promise<Begun> {
  const { background } = of.asked.payload.json;
  const isBackground = request.action !== 'count' && !request.task;
  if (!isBackground || background === undefined || background === null || background === false)
    return AT_ONCE;
  return begin(deps, request, of);
}

const AT_ONCE: Begun = { ok: true, background: undefined };

interface BegunOf {
  readonly asked: AskedRequest;
  readonly admission: RequestAdmission;
  readonly routed: RoutedRequest;
}

async function begin(
  deps: RelayDependencies,
  request: RelayRequest,
  { asked, admission, routed }: BegunOf,
): Promise<Begun> {
  const error = findFault(request, asked);
  if (error) return { ok: false, error };
  // What is not sold is refused where the request is fitted to its model, with all else of that kind.
  if (!routed.stages[0]?.routed.served.free.has('background')) return AT_ONCE;

  const { requestId } = request;
  const { key_id, account_id } = asked.key;
  const { hold } = admission.reservation ?? {};
  try {
    const begun = await deps.backgroundJobs.begin({
      request_id: requestId,
      account_id,
      key_id,
      hold: hold ? { amount: hold.amount, scopes: [...hold.scopes] } : null,
    });
    if (begun !== 'begun') return { ok: false, error: begun === 'key full' ? KEY_FULL : ACCOUNT_FULL };
  } catch {
    return { ok: false, error: AWAY };
  }
  return { ok: true, background: createStart(deps, request, asked, admission) };
}

function findFault({ protocol }: RelayRequest, { payload }: AskedRequest): RelayError | undefined {
  const { background, store } = payload.json;
  const param = 'background';
  if (protocol !== 'openai-responses')
    return relayError(
      'unsupported',
      'background: work that goes on after the answer is asked for on /v1/responses alone. Leave it out.',
      { param },
    );
  if (background !== true)
    return relayError('invalid_request', 'background: must be true or false', { param });
  if (store === false)
    return relayError(
      'invalid_request',
      'background: an answer that is fetched later must be stored. Leave out store, or set it to true.',
      { param },
    );
  return undefined;
}

function createStart(
  deps: RelayDependencies,
  { requestId, watch, response }: RelayRequest,
  asked: AskedRequest,
  admission: RequestAdmission,
): BackgroundStart {
  let isStarted = false;
  const traceparent = watch.trace?.traceparent;

  async function tell(job: JobPlace, word: string, answer: Answer): Promise<boolean> {
    const start = {
      ...job,
      request_id: requestId,
      status: word,
      request: describeRequest(answer, asked, admission, traceparent),
    };
    for (let tells = 1; ; tells += 1) {
      try {
        return await deps.backgroundJobs.start(start);
      } catch {
        if (tells === TELLS) return false;
        await sleep(TELL_AGAIN_MS);
      }
    }
  }

  return {
    async start(answer) {
      const status = readJobStatus(findJob(answer));
      if (status.kind !== 'under way') return { ok: true, goesOn: undefined };
      const { client, credential } = answer.candidate;
      const job = { place: credential.place, response_id: status.responseId };
      isStarted = await tell(job, status.word, answer);
      if (isStarted) {
        admission.keepHold();
        watch.goesOn();
        const usage = answer.kind === 'stream' ? endsJob(deps, asked.key, job) : NOT_BILLED;
        return { ok: true, goesOn: { usage, departure: watchResumable(response) } };
      }
      // Nobody would poll it.
      void askUpstream({ client, credential }, job, 'cancel', {
        limitBytes: deps.limits.answerLimitBytes,
      }).catch(() => {});
      return { ok: false, error: AWAY };
    },
    [Symbol.dispose]() {
      // Where billing is away it is given up by its age.
      if (!isStarted) void deps.backgroundJobs.drop(requestId).catch(() => {});
    },
  };
}

/** What an upstream says of the job that it has taken; of a stream that is none it says nothing. */
function findJob(answer: Answer): unknown {
  if (answer.status >= 300) return undefined;
  if (answer.kind === 'answer') return answer.json;
  const { announced } = answer;
  const job = isObject(announced) ? announced['response'] : undefined;
  return isObject(job) && job['background'] === true ? job : undefined;
}

/** Nobody waits any longer to bill a job whose end has passed here. */
const endsJob = (
  { backgroundJobs }: RelayDependencies,
  { account_id: accountId }: KeyRecord,
  job: JobPlace,
): UsageRecorder => ({
  ...NOT_BILLED,
  async recordAnswer(_answeredBy, { read }) {
    if (read !== 'given_up') await backgroundJobs.find(accountId, job, true).catch(() => {});
  },
});

function describeRequest(
  { candidate, request: { model } }: Answer,
  { key, table, summary, arrivedAt }: AskedRequest,
  { tokens, reservation }: RequestAdmission,
  traceparent: string | undefined,
): BackgroundRequest {
  const bound = reservation?.boundOf(model);
  if (!bound) throw new Error('A request without a bound is never sent.');
  return {
    occurred_at: new Date(arrivedAt).toISOString(),
    account_id: key.account_id,
    key_id: key.key_id,
    group: key.group,
    model,
    pool: candidate.pool.name,
    upstream: candidate.client.upstream.name,
    upstream_model: candidate.upstreamModel,
    stream: summary.stream,
    snapshot_version: table.version,
    snapshot_hash: table.hash,
    request_tokens: tokens,
    bound: toEventBound(bound),
    ...(bound.extras?.drawing ? { drawing: bound.extras.drawing } : {}),
    free: [...bound.free],
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

const FULL =
  'have as many answers going on after their requests as may be at once. Wait for one to end, or cancel one.';
const KEY_FULL = relayError('rate_limited', `Requests of this API key ${FULL}`, { retryAfterMs: 10_000 });
const ACCOUNT_FULL = relayError('rate_limited', `Requests of this account ${FULL}`, { retryAfterMs: 10_000 });
const AWAY = relayError(
  'unavailable',
  'Answers that go on after their requests cannot be kept track of at the moment. Try again shortly.',
  { retryAfterMs: 1_000 },
);
