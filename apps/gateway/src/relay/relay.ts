import type { KeyRecord } from '@tollgate/contracts';
import { estimateRequestTokens, tokenBounds } from '@tollgate/metering';
import { CODECS, relayError, type RelayError } from '@tollgate/protocols';
import { admit } from '../admit/admit.ts';
import { rateHeaders } from '../admit/rate-headers.ts';
import { reserve } from '../admit/reserve.ts';
import { authenticate } from '../authenticate/authenticate.ts';
import { restrictTable } from '../authenticate/visible-models.ts';
import { admitUpstream } from '../admit/upstream-limits.ts';
import type { Answer as UpstreamAnswer } from '../forward/answer.ts';
import { forward } from '../forward/forward.ts';
import { conversionHeaders } from '../forward/headers.ts';
import type { OutgoingRequest } from '../forward/prepare.ts';
import type { KeptAnswer } from '../idempotency/entry.ts';
import { groupFor, route, type Stage } from '../route/route.ts';
import type { Candidate } from '../route/candidates.ts';
import { promptKey } from '../route/prompt-key.ts';
import type { OpenCredential } from '../route/upstream-client.ts';
import { recallReasoning, rememberReasoning } from '../reasoning/recall-reasoning.ts';
import { keepResponse } from '../kept-responses/keep-response.ts';
import { recall } from '../kept-responses/recall.ts';
import type { AdmittedRequest, RelayRequest, RelayDependencies } from './relay-request.ts';
import { canCount, sendCount, sendCounted } from './count.ts';
import { deliver, type StreamResult } from './deliver.ts';
import { beginStream, endEarlyStream, keepWaiting } from './early-stream.ts';
import { beginExecution, keepAnswer } from './begin-execution.ts';
import { receive } from './receive.ts';
import { type Answering, record, recordsLost, recordUnanswered } from './record.ts';
import { sendError } from './send-error.ts';
import { readsErrorsInStreams } from './shape-answer.ts';

const NO_PRICES = relayError('unavailable', 'Prices are not loaded yet. Try again shortly.', {
  retryAfterMs: 1_000,
});

const NOT_STORED = relayError('unavailable', 'Usage cannot be recorded at the moment. Try again shortly.', {
  retryAfterMs: 1_000,
});

/**
 * One request, top to bottom: authenticate, admit, route, forward, meter, publish. A step that refuses answers in
 * the caller's protocol and ends the story; only an answer that came from an upstream is metered and published.
 */
export async function relay(deps: RelayDependencies, call: RelayRequest): Promise<void> {
  const arrivedAt = Date.now();
  const authentication = await authenticate(deps, { ...call, headers: call.incoming.headers });
  if (!authentication.ok) return refuse(call, authentication.error);
  const { key: caller } = authentication;
  const loop = deps.hops.refusal(call.incoming.headers);
  if (loop) return refuse(call, loop);

  if (call.action !== 'count' && !deps.storesUsage()) return refuse(call, NOT_STORED);

  const received = await receive(deps, call, caller);
  if (received.ok === 'gone') return;
  if (!received.ok) return refuse(call, received.error);
  try {
    await relayReceived(deps, call, { arrivedAt, caller, received });
  } finally {
    received.payload.release();
  }
}

async function relayReceived(
  deps: RelayDependencies,
  call: RelayRequest,
  of: Pick<AdmittedRequest, 'arrivedAt' | 'received'> & { readonly caller: KeyRecord },
): Promise<void> {
  const { arrivedAt, caller, received } = of;
  const { model } = received.request;
  call.watch.received(received.request);

  const loaded = deps.table();
  if (!loaded) return refuse(call, NO_PRICES);
  const table = restrictTable(loaded, caller);
  const key = inGroup(caller, groupFor(table, caller.group, model));
  const deadlineAt = deadlineOf(call.incoming, arrivedAt);
  const execution = await beginExecution(deps, call, { key, received, table, deadlineAt });
  if (execution.kind === 'refused') return refuse(call, execution.error, execution.headers);
  if (execution.kind === 'done') return;
  try {
    await relayOnce(deps, call, { arrivedAt, deadlineAt, key, received, table, execution });
  } finally {
    await execution.release();
  }
}

type ReceivedRequest = Pick<
  AdmittedRequest,
  'arrivedAt' | 'deadlineAt' | 'key' | 'received' | 'table' | 'execution'
>;

async function relayOnce(deps: RelayDependencies, call: RelayRequest, of: ReceivedRequest): Promise<void> {
  const { protocol, requestId } = call;
  const { arrivedAt, key, table } = of;
  const recalled = await recallNamed(deps, call, of);
  if (!recalled.ok) return refuse(call, recalled.error);
  const { received, dropped, beginKeeping } = recalled;
  const { model, output } = received.request;
  const tokens = estimateRequestTokens(protocol, received.payload.json);
  const bound = tokenBounds(received.payload.json);
  const wanted = { requestId, arrivedAt, key, model, protocol, output, bound };
  const reservation = call.action === 'count' ? undefined : reserve(table, wanted);
  const admitted = await admit(deps, table, { ...call, key, model, tokens, reservation });
  const headers = rateHeaders(protocol, admitted.buckets);
  if (!admitted.ok) {
    call.watch.limited(admitted.limitedBy);
    return refuse(call, admitted.error, headers);
  }
  try {
    const { freeSlots, settle } = admitted;
    await answer(deps, call, {
      ...of,
      received,
      dropped,
      beginKeeping,
      tokens,
      reservation,
      headers,
      freeSlots,
      settle,
    });
  } finally {
    // What is billed was settled by now; everything else costs nothing.
    admitted.settle(null);
  }
}

/** A client may name what it was answered before, and have this answer kept, where its format knows such names. */
async function recallNamed(
  deps: RelayDependencies,
  { protocol, requestId }: RelayRequest,
  { key, received }: ReceivedRequest,
): Promise<({ readonly ok: true } & Named) | { readonly ok: false; readonly error: RelayError }> {
  if (!CODECS[protocol].namesAnswers)
    return { ok: true, received, dropped: [], beginKeeping: () => undefined };
  const { account_id: accountId, strict } = key;
  const asSent = received.payload;
  const recalled = await recall(deps, { payload: asSent, accountId, strict });
  if (!recalled.ok) return recalled;
  const { payload, dropped } = recalled;
  const beginKeeping = () => keepResponse(deps.keptResponses, { requestId, accountId, payload: asSent });
  return { ok: true, received: { ...received, payload }, dropped, beginKeeping };
}

type Named = Pick<AdmittedRequest, 'received' | 'dropped' | 'beginKeeping'>;

async function answer(deps: RelayDependencies, call: RelayRequest, admitted: AdmittedRequest): Promise<void> {
  const { protocol } = call;
  const { key, received, table, tokens, headers } = admitted;
  const { model } = received.request;

  const routed = route(table, { group: key.group, model, protocol });
  if (!routed.ok) return refuse(call, routed.error, headers);
  const counts = call.action === 'count';
  const stages = counts ? routed.stages.slice(0, 1).map(onlyCounting) : routed.stages;
  if (counts && stages[0]?.candidates.length === 0) return sendCount(call, tokens, headers);
  const departure = deps.departures.watch({
    response: call.response,
    keyId: key.key_id,
    keepsAnswer: admitted.execution.keepsAnswer,
    // Whoever comes again finds room, and is no duplicate of a stream that nobody reads.
    onGone() {
      admitted.freeSlots();
      void admitted.execution.release();
    },
  });
  try {
    const lost = counts ? () => {} : recordsLost(deps, call, admitted);
    const answering = { request: call, admitted, departure, lost };
    await relayAnswer(deps, answering, stages, routed.stages[0].routed.maxOutputTokens);
  } finally {
    departure.release();
  }
}

async function relayAnswer(
  deps: RelayDependencies,
  answering: Answering,
  stages: readonly Stage[],
  defaultMaxTokens: number,
): Promise<void> {
  const { request: call, admitted, departure } = answering;
  const { incoming: request, response, protocol } = call;
  const { arrivedAt, deadlineAt, key, received, tokens, headers } = admitted;
  const { model, stream, includeUsage } = received.request;
  const { keepAliveMs } = deps.limits;
  const asked: OutgoingRequest = {
    ...{ protocol, model, namedModel: model, stream, includeUsage },
    action: call.action,
    headers: request.headers,
    passHeaders: deps.passHeaders,
    hops: deps.hops.next(request.headers),
    query: call.query,
    framing: call.framing,
    payload: received.payload,
    outputLimit: received.request.output.limit,
    defaultMaxTokens,
    strict: key.strict,
    states: deps.states,
    storedIds: deps.storedIds,
    accountId: key.account_id,
    dropped: admitted.dropped,
    keeping: stages.some(({ candidates }) => candidates.some((each) => each.protocol !== protocol))
      ? admitted.beginKeeping()
      : undefined,
    gone: departure.gone,
    // A count costs nothing: nobody reads on for it.
    signal: call.action === 'count' ? departure.gone : departure.ended,
  };
  const outgoing = { ...asked, reasoning: await recallReasoning(deps.statePlaces, asked, stages) };
  const stopWaiting = stream ? keepWaiting(response, call, keepAliveMs, () => headers) : () => {};
  const options = {
    ...{ arrivedAt, deadlineAt },
    answerLimitBytes: deps.limits.answerLimitBytes,
    sticky: { keyId: key.key_id, prompt: () => promptKey(received.payload.json) },
    admit: ({ client, credential }: Candidate) =>
      admitUpstream(deps.limiter, client.upstream, limitedOf(credential), { tokens }),
    lost: answering.lost,
    attempted: call.watch.trace?.attempted,
  };
  const forwarded = await forward(stages, outgoing, options).finally(stopWaiting);
  received.payload.letGo();
  if (forwarded.kind === 'aborted') {
    if (forwarded.asked && call.action !== 'count') await recordUnanswered(deps, answering, forwarded.asked);
    return;
  }
  if (forwarded.kind === 'failed') return refuse(call, forwarded.error, headers);
  try {
    await handOver(deps, answering, forwarded);
  } finally {
    // What used tokens of its upstream's limits was settled by now.
    forwarded.settle(null);
  }
}

/** Brings an answer to the caller, and into the books. */
async function handOver(
  deps: RelayDependencies,
  answering: Answering,
  forwarded: UpstreamAnswer,
): Promise<void> {
  const { request: call, admitted, departure } = answering;
  const { received, tokens, execution } = admitted;
  const { keepAliveMs, eventLimitBytes } = deps.limits;
  const { candidate, status, request } = forwarded;
  const headers = {
    ...admitted.headers,
    ...execution.headers,
    ...conversionHeaders(forwarded),
    ...(request.model === received.request.model ? {} : { 'x-tollgate-fallback': request.model }),
  };
  if (call.action === 'count') return sendCounted(call, forwarded, headers);

  const begunAt = performance.now() - forwarded.waitedMs;
  const ranMs = () => performance.now() - begunAt;
  const recordResult = async (result: StreamResult): Promise<void> => {
    if (forwarded.kind === 'stream' && result.read === 'cut') forwarded.broke();
    if (status >= 300) return;
    const recorded = record(
      deps,
      answering,
      { model: request.model, candidate, status, ranMs: ranMs() },
      result,
      forwarded.settle,
    );
    void rememberReasoning(deps.statePlaces, request, candidate);
    await Promise.all([recorded, request.keeping?.store()]);
  };
  const keep = async (answer: KeptAnswer) =>
    execution.keepsAnswer && status < 300 ? keepAnswer(execution, answer, admitted.headers) : {};
  const delivered = await deliver(call, forwarded, request, {
    requestEstimate: tokens,
    headers,
    keepAliveMs,
    eventLimitBytes,
    departure,
    record: recordResult,
    keep,
  });
  if (delivered.ok) return;
  if (status < 300) {
    const lost = { candidate, model: request.model, cause: 'garbage', ranMs: ranMs() } as const;
    answering.lost({ ...lost, beganAt: Math.round(Date.now() - lost.ranMs) });
  }
  const { error } = delivered;
  if (error.kind === 'context_too_long' && readsErrorsInStreams(request) && !call.response.destroyed)
    beginStream(call.response, call, headers);
  refuse(call, error, headers);
}

const inGroup = (key: KeyRecord, group: string): KeyRecord => (key.group === group ? key : { ...key, group });

const limitedOf = ({ name, limits }: OpenCredential) => (name === null ? null : { name, limits });

const onlyCounting = (stage: Stage): Stage => ({
  ...stage,
  candidates: stage.candidates.filter(canCount),
});

/** SDKs of OpenAI and Anthropic say after how many seconds they give up. */
function deadlineOf({ headers }: RelayRequest['incoming'], arrivedAt: number): number {
  const seconds = Number(headers['x-stainless-timeout'] ?? Number.NaN);
  return seconds > 0 ? arrivedAt + seconds * 1_000 : Number.POSITIVE_INFINITY;
}

function refuse(call: RelayRequest, error: RelayError, headers: Record<string, string> = {}): void {
  const { incoming: request, response, protocol, requestId } = call;
  call.watch.refused(error.kind);
  if (response.destroyed) return;
  if (response.headersSent) endEarlyStream(response, call, error);
  else sendError(request, response, protocol, error, requestId, headers);
}
