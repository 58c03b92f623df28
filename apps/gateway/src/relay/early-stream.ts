import type { ServerResponse } from 'node:http';
import { keepAlive, type RelayError, renderStreamError, type StreamFraming } from '@tollgate/protocols';
import { API_ANSWER } from '@tollgate/platform';
import type { Call } from './call.ts';

type ClientStream = Pick<Call, 'protocol' | 'framing' | 'requestId'>;

/** The content type of a stream that the gateway writes itself. */
export const streamType = (framing: StreamFraming): string =>
  framing === 'json-array' ? 'application/json' : 'text/event-stream; charset=utf-8';

/**
 * An upstream that thinks for long sends nothing, not even headers. After `everyMs` of that the client's stream begins,
 * and keep-alives tell everybody on the way that it lives; the next upstream may still be tried.
 *
 * @returns what ends the waiting.
 */
export function keepWaiting(
  response: ServerResponse,
  { protocol, framing, requestId }: ClientStream,
  everyMs: number,
  headers: () => Record<string, string>,
): () => void {
  const timer = setInterval(() => {
    if (response.destroyed) return;
    if (!response.headersSent) {
      response.writeHead(200, {
        ...headers(),
        'content-type': streamType(framing),
        ...API_ANSWER,
        'x-accel-buffering': 'no',
        'x-request-id': requestId,
        'request-id': requestId,
      });
    }
    response.write(keepAlive(protocol, framing));
  }, everyMs);
  return () => clearInterval(timer);
}

/** Ends a stream that has begun, with an error as its only event. */
export function endEarlyStream(
  response: ServerResponse,
  { protocol, framing }: ClientStream,
  error: RelayError,
): void {
  response.end(renderStreamError(protocol, framing, error, undefined, false));
}
