import type { ClientResponse } from './client-exchange.ts';

/** A longer body is not copied: two pieces in one write cost less by then. */
const JOINED_MAX_BYTES = 16_384;

/** Sends a whole answer. Resolves true when it was handed to the client's connection, false when that was gone. */
export function sendAnswer(
  response: ClientResponse,
  status: number,
  headers: Record<string, string>,
  body: Buffer,
): Promise<boolean> {
  if (response.closed) return Promise.resolve(false);
  return new Promise((resolve) => {
    response.once('close', () => resolve(response.writableFinished));
    if (!response.headersSent)
      response.writeHead(status, { ...headers, 'content-length': String(body.length) });
    // Node joins a text to the head that it goes with, and hands the socket one piece; Latin-1 is the bytes as they are.
    if (body.length <= JOINED_MAX_BYTES) response.end(body.toString('latin1'), 'latin1');
    else response.end(body);
  });
}
