import type { ClientResponse } from './client-exchange.ts';

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
    response.end(body);
  });
}
