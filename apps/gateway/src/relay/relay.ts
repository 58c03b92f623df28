import { estimateRequestTokens, type Metered } from '@tollgate/metering';
import { relayError, type RelayError } from '@tollgate/protocols';
import { admit } from '../admit/admit.ts';
import { rateHeaders } from '../admit/rate-headers.ts';
import { authenticate } from '../authenticate/authenticate.ts';
import { forward } from '../forward/forward.ts';
import { conversionHeaders } from '../forward/headers.ts';
import type { OutgoingRequest } from '../forward/prepare.ts';
import { route } from '../route/route.ts';
import type { Call, RelayRooms } from './call.ts';
import { canCount, sendCount, sendCounted } from './count.ts';
import { deliver } from './deliver.ts';
import { endEarlyStream, keepWaiting } from './early-stream.ts';
import { receive } from './receive.ts';
import { sendError } from './send-error.ts';
import { usageEvent } from './usage-event.ts';

/** For upstreams that require a limit, where neither the caller nor the catalogue states one. */
const DEFAULT_MAX_TOKENS = 8_192;

const NO_PRICES = relayError('unavailable', 'Prices are not loaded yet. Try again shortly.', {
  retryAfterMs: 1_000,
});

/**
 * One request, top to bottom: authenticate, admit, route, forward, meter, publish. A step that refuses answers in
 * the caller's protocol and ends the story; only an answer that came from an upstream is metered and published.
 */
export async function relay(rooms: RelayRooms, call: Call): Promise<void> {
  const { request, response, requestId, protocol } = call;
  const { keepAliveMs } = rooms.limits;
  const arrivedAt = Date.now();
  let headers: Record<string, string> = {};
  const refuse = (error: RelayError) =>
    response.headersSent
      ? endEarlyStream(response, call, error)
      : sendError(request, response, protocol, error, requestId, headers);

  const authentication = await authenticate(rooms.keys, request.headers, call.queryKey);
  if (!authentication.ok) return refuse(authentication.error);
  const { key } = authentication;

  const received = await receive(call, rooms.limits.bodyLimitBytes);
  if (received.ok === 'gone') return;
  if (!received.ok) return refuse(received.error);
  const { model, stream, includeUsage } = received.request;

  const table = rooms.table();
  if (!table) return refuse(NO_PRICES);
  const tokens = estimateRequestTokens(protocol, received.json);
  const admitted = await admit(rooms.limiter, table, { ...call, key, model, tokens });
  headers = rateHeaders(protocol, admitted.admission);
  if (!admitted.ok) return refuse(admitted.error);
  const giveUp = (error: RelayError) => {
    admitted.settle(0);
    refuse(error);
  };

  const routed = route(table, { group: key.group, model, protocol });
  if (!routed.ok) return giveUp(routed.error);
  const counts = call.action === 'count';
  const candidates = counts ? routed.candidates.filter(canCount) : routed.candidates;
  if (counts) admitted.settle(0);
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
    defaultMaxTokens: routed.model.model.max_output_tokens ?? DEFAULT_MAX_TOKENS,
    strict: key.strict,
    states: rooms.states,
    signal: gone.signal,
  };
  const stopWaiting = stream ? keepWaiting(response, call, keepAliveMs, () => headers) : () => {};
  const forwarded = await forward(candidates, outgoing, rooms.limits).finally(stopWaiting);
  if (forwarded.kind === 'aborted') return admitted.settle(0);
  if (forwarded.kind === 'failed') return giveUp(forwarded.error);
  headers = { ...headers, ...conversionHeaders(forwarded) };
  if (counts) return sendCounted(call, forwarded, headers);

  const delivered = await deliver(call, forwarded, outgoing, {
    requestEstimate: tokens,
    headers,
    keepAliveMs,
  });
  if (!delivered.ok) return giveUp(delivered.error);
  const { candidate, status } = forwarded;
  const billable = status < 300;
  admitted.settle(billable ? totalTokens(delivered.metered) : 0);

  if (!billable) return;
  const { version: snapshotVersion } = table;
  const facts = { requestId, arrivedAt, endedAt: Date.now(), key, protocol, model, stream, snapshotVersion };
  rooms.publisher.publish(usageEvent({ ...facts, ...delivered, candidate, status }));
}

const totalTokens = ({ tokens }: Metered): number =>
  Object.values(tokens).reduce((sum, count) => sum + count, 0);
