import { keepAlive, type RelayError, renderStreamError, type StreamFraming } from '@tollgate/protocols';
import { apiAnswerHeaders } from '../front-door/request-id.ts';
import type { ClientResponse } from './client-exchange.ts';
import type { RelayRequest } from './relay-request.ts';

type ClientStream = Pick<RelayRequest, 'protocol' | 'framing' | 'requestId'>;

/** The content type of a stream that the gateway writes itself. */
export const streamType = (framing: StreamFraming): string =>
  framing === 'json-array' ? 'application/json' : 'text/event-stream; charset=utf-8';

/**
 * Keeps the client's connection alive while an upstream thinks and sends nothing, not even headers. After `everyMs` the
 * client's stream begins and carries keep-alives. The next upstream may still be tried.
 *
 * @returns what ends the waiting.
 */
export function keepWaiting(
  response: ClientResponse,
  { protocol, framing, requestId }: ClientStream,
  everyMs: number,
  headers: () => Record<string, string>,
): () => void {
  const timer = setInterval(() => {
    if (response.destroyed) return;
    beginStream(response, { protocol, framing, requestId }, headers());
    response.write(keepAlive(protocol, framing));
  }, everyMs);
  return () => clearInterval(timer);
}

/** Begins a stream that the gateway writes itself, where none has begun. */
export function beginStream(
  response: ClientResponse,
  { framing, requestId }: ClientStream,
  headers: Record<string, string>,
): void {
  if (response.headersSent) return;
  response.writeHead(200, {
    ...headers,
    'content-type': streamType(framing),
    'x-accel-buffering': 'no',
    ...apiAnswerHeaders(requestId),
  });
}

/** Ends a stream that has begun, with an error as its only event. */
export function endEarlyStream(
  response: ClientResponse,
  { protocol, framing }: ClientStream,
  error: RelayError,
): void {
  response.end(renderStreamError(protocol, framing, error, undefined, false));
}
