import type { Metered } from '@tollgate/metering';
import type { RelayError } from '@tollgate/protocols';
import type { Answer } from '../forward/answer.ts';
import { answerHeaders, answerType, conversionHeaders } from '../forward/headers.ts';
import type { OutgoingRequest } from '../forward/outgoing-request.ts';
import { apiAnswerHeaders } from '../front-door/request-id.ts';
import type { KeptAnswer } from '../idempotency/entry.ts';
import type { RelayRequest } from './relay-request.ts';
import type { Departure, ResumableDeparture } from './departures.ts';
import { sendAnswer } from './send-answer.ts';
import { ENDS, type StreamEnd, sendStream } from './send-stream.ts';
import { shapeAnswer } from './shape-answer.ts';
import type { RequestEstimate } from './shaped.ts';

/** What is known of an answer when all of it has passed but its last bytes. */
export interface StreamResult extends StreamEnd {
  /** By `performance.now()`. */
  readonly firstByteAt: number | undefined;
  readonly metered: Metered;
  /** Why the model ended, in the words of its upstream. */
  readonly finishReasons?: readonly string[];
}

type Sent = { readonly ok: true } | { readonly ok: false; readonly error: RelayError };

/**
 * Brings the upstream's answer to the caller, and meters it as it passes. The last bytes leave once `record` has
 * resolved: an answer that the caller has whole is one that is recorded.
 */
export async function sendUpstreamAnswer(
  request: RelayRequest,
  forwarded: Answer,
  outgoing: OutgoingRequest,
  options: {
    readonly estimate: RequestEstimate;
    readonly headers: Record<string, string>;
    readonly keepAliveMs: number;
    readonly eventLimitBytes: number;
    readonly keptLimitBytes: number;
    readonly departure: Pick<Departure, 'gone' | 'ended'> | ResumableDeparture;
    /** Undefined where there is nothing to record. */
    readonly record: (result: StreamResult) => Promise<unknown> | undefined;
    /** Keeps an answer in one piece once it is recorded; what it resolves to is said in its headers. */
    readonly keep: ((answer: KeptAnswer) => Promise<Record<string, string>>) | undefined;
  },
): Promise<Sent> {
  const { response, requestId, protocol } = request;
  const shaped = shapeAnswer(forwarded, outgoing, options.estimate, response.headersSent);
  if (shaped.kind === 'refused') return { ok: false, error: shaped.error };
  const headers = {
    ...answerHeaders(forwarded.headers),
    'content-type': shaped.contentType ?? answerType(forwarded.headers['content-type'], forwarded.framing),
    ...options.headers,
    ...apiAnswerHeaders(requestId),
  };
  if (shaped.kind === 'whole' || forwarded.kind === 'answer') {
    const body = shaped.kind === 'whole' ? shaped.body : Buffer.alloc(0);
    const end = response.destroyed ? 'client_aborted' : 'complete';
    const metered = shaped.meter.finish('complete');
    const finishReasons = shaped.meter.finishReasons();
    await options.record({ end, read: 'whole', firstByteAt: performance.now(), metered, finishReasons });
    const allHeaders = shaped.kind === 'whole' ? headersOf(forwarded, shaped.dropped, headers) : headers;
    const kept =
      options.keep && (await options.keep({ status: forwarded.status, headers: allHeaders, body }));
    await sendAnswer(response, forwarded.status, kept ? { ...allHeaders, ...kept } : allHeaders, body);
    return { ok: true };
  }

  if (!response.headersSent && !response.destroyed) {
    response.writeHead(forwarded.status, {
      ...headers,
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
  }
  let firstByteAt: number | undefined;
  const { framing, rewriter, meter } = shaped;
  await sendStream(response, forwarded.body, {
    protocol,
    framing,
    rewriter,
    meter,
    keepAliveMs: options.keepAliveMs,
    eventLimitBytes: options.eventLimitBytes,
    keptLimitBytes: options.keptLimitBytes,
    departure: options.departure,
    onFirstByte: () => (firstByteAt = performance.now()),
    onFailed: request.watch.streamFailed,
    beforeEnd: async ({ end, read }) =>
      options.record({
        end,
        read,
        firstByteAt,
        metered: meter.finish(ENDS[read]),
        finishReasons: meter.finishReasons(),
      }),
  });
  return { ok: true };
}

/** With what the answer itself could not carry. */
const headersOf = (
  { dropped, emulated }: Answer,
  alsoDropped: readonly string[],
  headers: Record<string, string>,
): Record<string, string> =>
  alsoDropped.length === 0
    ? headers
    : { ...headers, ...conversionHeaders({ dropped: [...dropped, ...alsoDropped], emulated }) };
