import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Protocol } from '@tollgate/contracts';
import type { ResilientLimiter } from '@tollgate/limits';
import { estimateRequestTokens, type Metered } from '@tollgate/metering';
import { decodeRequest, relayError, type StateWrapper, type UpstreamAction } from '@tollgate/protocols';
import { admit } from '../admit/admit.ts';
import { rateHeaders } from '../admit/rate-headers.ts';
import { authenticate } from '../authenticate/authenticate.ts';
import type { KeyRecords } from '../authenticate/key-records.ts';
import { forward, type ForwardLimits } from '../forward/forward.ts';
import { answerHeaders, conversionHeaders } from '../forward/headers.ts';
import type { OutgoingRequest } from '../forward/prepare.ts';
import type { Publisher } from '../publish/publisher.ts';
import { route } from '../route/route.ts';
import type { RoutingTable } from '../route/routing-table.ts';
import { canCount, sendCount, sendCounted } from './count.ts';
import { endEarlyStream, keepWaiting } from './early-stream.ts';
import { framingFor } from './framing.ts';
import { readBody } from './read-body.ts';
import { sendAnswer } from './send-answer.ts';
import { sendError } from './send-error.ts';
import { type StreamEnd, sendStream } from './send-stream.ts';
import { shapeAnswer } from './shape-answer.ts';
import { usageEvent } from './usage-event.ts';

/** For upstreams that require a limit, where neither the caller nor the catalogue states one. */
const DEFAULT_MAX_TOKENS = 8_192;

/** What the steps of the relay need, made once at start. */
export interface RelayRooms {
  readonly keys: KeyRecords;
  readonly limiter: ResilientLimiter;
  readonly table: () => RoutingTable | undefined;
  readonly publisher: Publisher;
  readonly states: StateWrapper;
  readonly limits: ForwardLimits & { readonly bodyLimitBytes: number; readonly keepAliveMs: number };
}

/** One request as the front door hands it over. */
export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly clientAddress: string;
  readonly protocol: Protocol;
  readonly action: UpstreamAction;
  /** The model where the path names it. */
  readonly pathModel: string | undefined;
  readonly queryKey: string | undefined;
  /** The query without the key. */
  readonly query: string;
}

/**
 * One request, top to bottom: authenticate, admit, route, forward, meter, publish. A step that refuses answers in
 * the caller's protocol and ends the story; only an answer that came from an upstream is metered and published.
 */
export async function relay(rooms: RelayRooms, call: Call): Promise<void> {
  const { request, response, requestId, protocol } = call;
  const arrivedAt = Date.now();
  let headers: Record<string, string> = {};
  const framing = framingFor(call);
  const refuse = (error: Parameters<typeof sendError>[3]) =>
    response.headersSent
      ? endEarlyStream(response, { protocol, framing }, error)
      : sendError(request, response, protocol, error, requestId, headers);

  const authentication = await authenticate(rooms.keys, request.headers, call.queryKey);
  if (!authentication.ok) return refuse(authentication.error);
  const { key } = authentication;

  const read = await readBody(request, rooms.limits.bodyLimitBytes);
  if (read.ok === 'gone') return;
  if (!read.ok) return refuse(read.error);
  const decoded = decodeRequest(protocol, read.body, call.pathModel, call.action);
  if (!decoded.ok) return refuse(decoded.error);
  const { model, stream, includeUsage } = decoded.request;

  const table = rooms.table();
  if (!table)
    return refuse(
      relayError('unavailable', 'Prices are not loaded yet. Try again shortly.', { retryAfterMs: 1_000 }),
    );
  const requestEstimate = estimateRequestTokens(protocol, decoded.body);
  const admitted = await admit(rooms.limiter, table, {
    clientAddress: call.clientAddress,
    key,
    protocol,
    model,
    tokens: requestEstimate,
  });
  headers = rateHeaders(protocol, admitted.admission);
  if (!admitted.ok) return refuse(admitted.error);

  const routed = route(table, { group: key.group, model, protocol });
  if (!routed.ok) {
    admitted.settle(0);
    return refuse(routed.error);
  }

  const gone = new AbortController();
  response.once('close', () => gone.abort());
  if (response.destroyed) gone.abort();
  const outgoing: OutgoingRequest = {
    protocol,
    action: call.action,
    headers: request.headers,
    query: call.query,
    body: read.body,
    json: decoded.body,
    model,
    stream,
    framing,
    includeUsage,
    defaultMaxTokens: routed.model.model.max_output_tokens ?? DEFAULT_MAX_TOKENS,
    strict: key.strict,
    states: rooms.states,
    signal: gone.signal,
  };
  const counters = call.action === 'count' ? routed.candidates.filter(canCount) : routed.candidates;
  if (counters.length === 0) {
    admitted.settle(0);
    return sendCount(call, requestEstimate, headers);
  }
  const stopWaiting = stream
    ? keepWaiting(response, { protocol, framing }, rooms.limits.keepAliveMs, () => ({
        ...headers,
        'x-request-id': requestId,
        'request-id': requestId,
      }))
    : () => {};
  const forwarded = await forward(counters, outgoing, rooms.limits).finally(stopWaiting);
  if (forwarded.kind === 'aborted') return admitted.settle(0);
  if (forwarded.kind === 'failed') {
    admitted.settle(0);
    return refuse(forwarded.error);
  }
  if (call.action === 'count') {
    admitted.settle(0);
    return sendCounted(call, forwarded, headers);
  }

  const shaped = shapeAnswer(forwarded, outgoing, requestEstimate, response.headersSent);
  headers = { ...headers, ...conversionHeaders(forwarded) };
  if (shaped.kind === 'refused') {
    admitted.settle(0);
    return refuse(shaped.error);
  }
  const { candidate, status } = forwarded;
  const answered = {
    ...answerHeaders(forwarded.headers),
    ...(shaped.contentType === undefined ? {} : { 'content-type': shaped.contentType }),
    ...headers,
    'x-request-id': requestId,
    'request-id': requestId,
  };

  let firstByteAt: number | undefined;
  let end: StreamEnd;
  if (shaped.kind === 'stream' && forwarded.kind === 'stream') {
    if (!response.headersSent) {
      response.writeHead(status, { ...answered, 'cache-control': 'no-cache', 'x-accel-buffering': 'no' });
      response.flushHeaders();
    }
    end = await sendStream(response, forwarded.body, {
      protocol,
      framing: shaped.framing,
      rewriter: shaped.rewriter,
      meter: shaped.meter,
      keepAliveMs: rooms.limits.keepAliveMs,
      onFirstByte: () => (firstByteAt = Date.now()),
    });
  } else {
    firstByteAt = Date.now();
    const body = shaped.kind === 'whole' ? shaped.body : Buffer.alloc(0);
    end = (await sendAnswer(response, status, answered, body)) ? 'complete' : 'client_aborted';
  }

  const billable = status < 300;
  const metered: Metered = shaped.meter.finish(forwarded.kind === 'answer' ? 'complete' : end);
  admitted.settle(billable ? totalTokens(metered) : 0);
  if (!billable) return;
  rooms.publisher.publish(
    usageEvent({
      requestId,
      arrivedAt,
      firstByteAt,
      endedAt: Date.now(),
      key,
      protocol,
      model,
      stream,
      snapshotVersion: table.version,
      candidate,
      status,
      end,
      metered,
    }),
  );
}

const totalTokens = ({ tokens }: Metered): number =>
  Object.values(tokens).reduce((sum, count) => sum + count, 0);
