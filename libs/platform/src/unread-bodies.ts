import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** So long the rest of a body is read and thrown away, so that its sender gets to read the answer. */
const REST_MS = 5_000;

/**
 * Reads what is left of a request's body once it is answered. Node does that for bodies that nobody began to read; of
 * one that was given up halfway the rest would stay in the connection, and the next request behind it, of whomever, would
 * wait for an answer in vain. Who sends on for longer is cut off.
 */
export function readUnreadBodies(server: Server, restMs = REST_MS): void {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    response.once('finish', () => {
      if (request.complete && request.readableEnded) return;
      // Whoever stopped reading may still hold it paused until the end of this turn.
      setImmediate(() => request.resume());
      const { socket } = request;
      const cut = setTimeout(() => {
        if (!request.complete) socket.destroy();
      }, restMs);
      cut.unref();
      request.once('close', () => clearTimeout(cut));
      request.once('end', () => clearTimeout(cut));
    });
  });
}
