import type { KeyRecord } from '@tollgate/contracts';
import { estimateRequestTokens, tokenBounds } from '@tollgate/metering';
import { relayError, type RelayError } from '@tollgate/protocols';
import { admit, type Admitted, totalTokens } from '../admit/admit.ts';
import { rateHeaders } from '../admit/rate-headers.ts';
import { type Reservation, reserve } from '../admit/reserve.ts';
import { authenticate } from '../authenticate/authenticate.ts';
import { tableFor } from '../authenticate/visible-models.ts';
import { admitUpstream } from '../admit/upstream-limits.ts';
import type { Answer as UpstreamAnswer } from '../forward/attempt.ts';
import { forward } from '../forward/forward.ts';
import { conversionHeaders } from '../forward/headers.ts';
import type { OutgoingRequest } from '../forward/prepare.ts';
import type { KeptAnswer } from '../idempotency/entry.ts';
import type { Run } from '../idempotency/idempotency.ts';
import { groupFor, route, type Stage } from '../route/route.ts';
import type { Candidate } from '../route/candidates.ts';
import { promptKey } from '../route/prompt-key.ts';
import type { RoutingTable } from '../route/routing-table.ts';
import type { OpenCredential } from '../route/upstream-clients.ts';
import type { Call, RelayRooms } from './call.ts';
import { keepResponse, type ResponseKeeping } from '../kept-responses/keep-response.ts';
import { recall } from '../kept-responses/recall.ts';
import { canCount, sendCount, sendCounted } from './count.ts';
import { deliver, type Passed } from './deliver.ts';
import { endEarlyStream, keepWaiting } from './early-stream.ts';
import { keepAnswer, once, unwantedOf } from './once.ts';
import { receive, type Received } from './receive.ts';
import { sendError } from './send-error.ts';
import { usageEvent } from './usage-event.ts';

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
export async function relay(rooms: RelayRooms, call: Call): Promise<void> {
  const arrivedAt = Date.now();
  const authentication = await authenticate(rooms, { ...call, headers: call.request.headers });
  if (!authentication.ok) return refuse(call, authentication.error);
  const { key: caller } = authentication;
  const loop = rooms.hops.refusal(call.request.headers);
  if (loop) return refuse(call, loop);

  if (call.action !== 'count' && !rooms.storesUsage()) return refuse(call, NOT_STORED);

  const received = await receive(rooms, call, caller);
  if (received.ok === 'gone') return;
  if (!received.ok) return refuse(call, received.error);
  try {
    await relayReceived(rooms, call, { arrivedAt, caller, received });
  } finally {
    received.payload.release();
  }
}

async function relayReceived(
  rooms: RelayRooms,
  call: Call,
  of: Pick<AdmittedCall, 'arrivedAt' | 'received'> & { readonly caller: KeyRecord },
): Promise<void> {
  const { arrivedAt, caller, received } = of;
  const { model } = received.request;
  call.watch.received(received.request);

  const loaded = rooms.table();
  if (!loaded) return refuse(call, NO_PRICES);
  const table = tableFor(loaded, caller);
  const key = inGroup(caller, groupFor(table, caller.group, model));
  const deadlineAt = deadlineOf(call.request, arrivedAt);
  const run = await once(rooms, call, { key, received, table, deadlineAt });
  if (run.kind === 'refused') return refuse(call, run.error, run.headers);
  if (run.kind === 'done') return;
  try {
    await relayOnce(rooms, call, { arrivedAt, deadlineAt, key, received, table, run });
  } finally {
    await run.release();
  }
}

type ReceivedCall = Pick<AdmittedCall, 'arrivedAt' | 'deadlineAt' | 'key' | 'received' | 'table' | 'run'>;

async function relayOnce(rooms: RelayRooms, call: Call, of: ReceivedCall): Promise<void> {
  const { protocol, requestId } = call;
  const { arrivedAt, key, table } = of;
  const recalled = await recallNamed(rooms, call, of);
  if (!recalled.ok) return refuse(call, recalled.error);
  const { received, dropped, beginKeeping } = recalled;
  const { model, output } = received.request;
  const tokens = estimateRequestTokens(protocol, received.payload.json);
  const bound = tokenBounds(received.payload.json);
  const wanted = { requestId, arrivedAt, key, model, output, bound };
  const reservation = call.action === 'count' ? undefined : reserve(table, wanted);
  const admitted = await admit(rooms, table, { ...call, key, model, tokens, reservation });
  const headers = rateHeaders(protocol, admitted.buckets);
  if (!admitted.ok) {
    call.watch.limited(admitted.limitedBy);
    return refuse(call, admitted.error, headers);
  }
  try {
    await answer(rooms, call, {
      ...of,
      received,
      dropped,
      beginKeeping,
      tokens,
      reservation,
      headers,
      settle: admitted.settle,
    });
  } finally {
    // What is billed was settled by now; everything else costs nothing.
    admitted.settle(null);
  }
}

/** A Responses client may name what it was answered before, and have this answer kept. */
async function recallNamed(
  rooms: RelayRooms,
  { protocol, requestId }: Call,
  { key, received }: ReceivedCall,
): Promise<({ readonly ok: true } & Named) | { readonly ok: false; readonly error: RelayError }> {
  if (protocol !== 'openai-responses')
    return { ok: true, received, dropped: [], beginKeeping: () => undefined };
  const { account_id: accountId, strict } = key;
  const asSent = received.payload;
  const recalled = await recall(rooms, { payload: asSent, accountId, strict });
  if (!recalled.ok) return recalled;
  const { payload, dropped } = recalled;
  const beginKeeping = () => keepResponse(rooms.keptResponses, { requestId, accountId, payload: asSent });
  return { ok: true, received: { ...received, payload }, dropped, beginKeeping };
}

type Named = Pick<AdmittedCall, 'received' | 'dropped' | 'beginKeeping'>;

interface AdmittedCall {
  readonly arrivedAt: number;
  readonly deadlineAt: number;
  readonly run: Run;
  readonly key: KeyRecord;
  readonly received: Extract<Received, { ok: true }>;
  readonly table: RoutingTable;
  /** Paths of what the request named and is not there any more. */
  readonly dropped: readonly string[];
  /** For an answer that may have to be converted: no vendor keeps it. */
  readonly beginKeeping: () => ResponseKeeping | undefined;
  /** Estimated, of the request. */
  readonly tokens: number;
  /** Absent where nothing is billed. */
  readonly reservation: Reservation | undefined;
  readonly headers: Record<string, string>;
  readonly settle: Extract<Admitted, { ok: true }>['settle'];
}

async function answer(rooms: RelayRooms, call: Call, admitted: AdmittedCall): Promise<void> {
  const { request, response, protocol } = call;
  const { arrivedAt, deadlineAt, key, received, table, tokens, run } = admitted;
  const { model, stream, includeUsage } = received.request;
  const { keepAliveMs } = rooms.limits;
  const { headers } = admitted;

  const routed = route(table, { group: key.group, model, protocol });
  if (!routed.ok) return refuse(call, routed.error, headers);
  const counts = call.action === 'count';
  const stages = counts ? routed.stages.slice(0, 1).map(onlyCounting) : routed.stages;
  if (counts && stages[0]?.candidates.length === 0) return sendCount(call, tokens, headers);

  const outgoing: OutgoingRequest = {
    ...{ protocol, model, namedModel: model, stream, includeUsage },
    action: call.action,
    headers: request.headers,
    passHeaders: rooms.passHeaders,
    hops: rooms.hops.next(request.headers),
    query: call.query,
    framing: call.framing,
    payload: received.payload,
    defaultMaxTokens: routed.stages[0].routed.maxOutputTokens,
    strict: key.strict,
    states: rooms.states,
    storedIds: rooms.storedIds,
    accountId: key.account_id,
    dropped: admitted.dropped,
    keeping: stages.some(({ candidates }) => candidates.some((each) => each.protocol !== protocol))
      ? admitted.beginKeeping()
      : undefined,
    signal: unwantedOf(call, run),
  };
  const stopWaiting = stream ? keepWaiting(response, call, keepAliveMs, () => headers) : () => {};
  const terms = {
    ...{ arrivedAt, deadlineAt },
    answerLimitBytes: rooms.limits.answerLimitBytes,
    sticky: { keyId: key.key_id, prompt: () => promptKey(received.payload.json) },
    admit: ({ client, credential }: Candidate) =>
      admitUpstream(rooms.limiter, client.upstream, limitedOf(credential), { tokens }),
    attempted: call.watch.trace?.attempted,
  };
  const forwarded = await forward(stages, outgoing, terms).finally(stopWaiting);
  received.payload.letGo();
  if (forwarded.kind === 'aborted') return;
  if (forwarded.kind === 'failed') return refuse(call, forwarded.error, headers);
  try {
    await handOver(rooms, call, admitted, forwarded);
  } finally {
    // What used tokens of its upstream's limits was settled by now.
    forwarded.settle(null);
  }
}

/** Brings an answer to the caller, and into the books. */
async function handOver(
  rooms: RelayRooms,
  call: Call,
  admitted: AdmittedCall,
  forwarded: UpstreamAnswer,
): Promise<void> {
  const { requestId, protocol } = call;
  const { arrivedAt, key, received, table, tokens, run } = admitted;
  const { model, stream } = received.request;
  const { keepAliveMs, eventLimitBytes } = rooms.limits;
  const { model: served } = forwarded.request;
  const headers = {
    ...admitted.headers,
    ...run.headers,
    ...conversionHeaders(forwarded),
    ...(served === model ? {} : { 'x-tollgate-fallback': served }),
  };
  if (call.action === 'count') return sendCounted(call, forwarded, headers);

  const { candidate, status } = forwarded;
  const { version: snapshotVersion, hash: snapshotHash } = table;
  const answeredBy = { model: served, snapshotVersion, snapshotHash, candidate, status };
  const { trace } = call.watch;
  const facts = {
    requestId,
    arrivedAt,
    key,
    protocol,
    stream,
    traceparent: trace?.traceparent,
    ...answeredBy,
  };
  const record = async (passed: Passed): Promise<void> => {
    if (forwarded.kind === 'stream' && passed.end === 'upstream_cut') forwarded.broke();
    if (status >= 300) return;
    const bound = admitted.reservation?.boundOf(served);
    const event = usageEvent({ ...facts, ...passed, bound, endedAt: Date.now() });
    const durable = rooms.publisher.publish(event);
    call.watch.recorded(event);
    // What was reported beyond the bound drives no limit.
    admitted.settle(event.tokens, served);
    forwarded.settle(totalTokens(event.tokens));
    await Promise.all([durable, forwarded.request.keeping?.store()]);
  };
  const keep = async (answer: KeptAnswer) =>
    run.keepsAnswer && status < 300 ? keepAnswer(run, answer, admitted.headers) : {};
  const options = { requestEstimate: tokens, headers, keepAliveMs, eventLimitBytes, record, keep };
  const delivered = await deliver(call, forwarded, forwarded.request, options);
  if (!delivered.ok) refuse(call, delivered.error, headers);
}

const inGroup = (key: KeyRecord, group: string): KeyRecord => (key.group === group ? key : { ...key, group });

const limitedOf = ({ name, limits }: OpenCredential) => (name === null ? null : { name, limits });

const onlyCounting = (stage: Stage): Stage => ({
  ...stage,
  candidates: stage.candidates.filter(canCount),
});

/** SDKs of OpenAI and Anthropic say after how many seconds they give up. */
function deadlineOf({ headers }: Call['request'], arrivedAt: number): number {
  const seconds = Number(headers['x-stainless-timeout'] ?? Number.NaN);
  return seconds > 0 ? arrivedAt + seconds * 1_000 : Number.POSITIVE_INFINITY;
}

function refuse(call: Call, error: RelayError, headers: Record<string, string> = {}): void {
  const { request, response, protocol, requestId } = call;
  call.watch.refused(error.kind);
  if (response.headersSent) endEarlyStream(response, call, error);
  else sendError(request, response, protocol, error, requestId, headers);
}
