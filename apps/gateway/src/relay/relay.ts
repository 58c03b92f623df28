import type { KeyRecord } from '@tollgate/contracts';
import { boundTokens, estimateRequestTokens } from '@tollgate/metering';
import { relayError, type RelayError } from '@tollgate/protocols';
import { admit, type Admitted } from '../admit/admit.ts';
import { rateHeaders } from '../admit/rate-headers.ts';
import { reserve } from '../admit/reserve.ts';
import { authenticate } from '../authenticate/authenticate.ts';
import { forward } from '../forward/forward.ts';
import { conversionHeaders } from '../forward/headers.ts';
import type { OutgoingRequest } from '../forward/prepare.ts';
import { route } from '../route/route.ts';
import type { RoutingTable } from '../route/routing-table.ts';
import type { Call, RelayRooms } from './call.ts';
import { canCount, sendCount, sendCounted } from './count.ts';
import { deliver, type Passed } from './deliver.ts';
import { endEarlyStream, keepWaiting } from './early-stream.ts';
import { receive, type Received } from './receive.ts';
import { sendError } from './send-error.ts';
import { usageEvent } from './usage-event.ts';

const NO_PRICES = relayError('unavailable', 'Prices are not loaded yet. Try again shortly.', {
  retryAfterMs: 1_000,
});

/**
 * One request, top to bottom: authenticate, admit, route, forward, meter, publish. A step that refuses answers in
 * the caller's protocol and ends the story; only an answer that came from an upstream is metered and published.
 */
export async function relay(rooms: RelayRooms, call: Call): Promise<void> {
  const { protocol, requestId } = call;
  const arrivedAt = Date.now();
  const authentication = await authenticate(rooms.keys, call.request.headers, call.queryKey);
  if (!authentication.ok) return refuse(call, authentication.error);
  const { key } = authentication;

  const received = await receive(call, rooms.limits.bodyLimitBytes);
  if (received.ok === 'gone') return;
  if (!received.ok) return refuse(call, received.error);
  const { model, maxOutputTokens } = received.request;

  const table = rooms.table();
  if (!table) return refuse(call, NO_PRICES);
  const tokens = estimateRequestTokens(protocol, received.json);
  const bound = (contextWindow: number | null) => boundTokens(protocol, received.json, contextWindow);
  const wanted = { requestId, arrivedAt, key, model, maxOutputTokens, bound };
  const reservation = call.action === 'count' ? undefined : reserve(table, wanted);
  const admitted = await admit(rooms, table, { ...call, key, model, tokens, reservation });
  const headers = rateHeaders(protocol, admitted.buckets);
  if (!admitted.ok) return refuse(call, admitted.error, headers);
  try {
    await answer(rooms, call, { arrivedAt, key, received, table, tokens, headers, settle: admitted.settle });
  } finally {
    // What is billed was settled by now; everything else costs nothing.
    admitted.settle(null);
  }
}

interface AdmittedCall {
  readonly arrivedAt: number;
  readonly key: KeyRecord;
  readonly received: Extract<Received, { ok: true }>;
  readonly table: RoutingTable;
  /** Estimated, of the request. */
  readonly tokens: number;
  readonly headers: Record<string, string>;
  readonly settle: Extract<Admitted, { ok: true }>['settle'];
}

async function answer(rooms: RelayRooms, call: Call, admitted: AdmittedCall): Promise<void> {
  const { request, response, requestId, protocol } = call;
  const { arrivedAt, key, received, table, tokens } = admitted;
  const { model, stream, includeUsage } = received.request;
  const { keepAliveMs } = rooms.limits;
  let { headers } = admitted;

  const routed = route(table, { group: key.group, model, protocol });
  if (!routed.ok) return refuse(call, routed.error, headers);
  const counts = call.action === 'count';
  const candidates = counts ? routed.candidates.filter(canCount) : routed.candidates;
  if (candidates.length === 0) return sendCount(call, tokens, headers);

  const gone = new AbortController();
  response.once('close', () => gone.abort());
  if (response.destroyed) gone.abort();
  const outgoing: OutgoingRequest = {
    ...{ protocol, model, stream, includeUsage },
    action: call.action,
    headers: request.headers,
    query: call.query,
    framing: call.framing,
    body: received.bytes,
    json: received.json,
    defaultMaxTokens: routed.model.maxOutputTokens,
    strict: key.strict,
    states: rooms.states,
    signal: gone.signal,
  };
  const stopWaiting = stream ? keepWaiting(response, call, keepAliveMs, () => headers) : () => {};
  const forwarded = await forward(candidates, outgoing, rooms.limits).finally(stopWaiting);
  if (forwarded.kind === 'aborted') return;
  if (forwarded.kind === 'failed') return refuse(call, forwarded.error, headers);
  headers = { ...headers, ...conversionHeaders(forwarded) };
  if (counts) return sendCounted(call, forwarded, headers);

  const { candidate, status } = forwarded;
  const { version: snapshotVersion } = table;
  const facts = { requestId, arrivedAt, key, protocol, model, stream, snapshotVersion, candidate, status };
  const record = async (passed: Passed): Promise<void> => {
    if (status >= 300) return;
    const durable = rooms.publisher.publish(usageEvent({ ...facts, ...passed, endedAt: Date.now() }));
    admitted.settle(passed.metered.tokens);
    await durable;
  };
  const options = { requestEstimate: tokens, headers, keepAliveMs, record };
  const delivered = await deliver(call, forwarded, outgoing, options);
  if (!delivered.ok) refuse(call, delivered.error, headers);
}

function refuse(call: Call, error: RelayError, headers: Record<string, string> = {}): void {
  const { request, response, protocol, requestId } = call;
  if (response.headersSent) endEarlyStream(response, call, error);
  else sendError(request, response, protocol, error, requestId, headers);
}
