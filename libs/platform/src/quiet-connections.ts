import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

const SWEEP_MS = 20;
/** How long the beginning of a request may wait for the rest of its head once the service stops. */
const HEAD_MS = 2_000;
/** How long after it was opened a connection may still send its first request. */
const FIRST_MS = 1_000;
/** How long a connection that was used before may go on to send its next one: what is under way arrives. */
const NEXT_MS = 100;
/** In a turn of the event loop that takes longer, connections may have come since it accepted. */
const TURN_MS = 2;
/** How long what waits is accepted when no end is seen: more comes than one can take. */
const ACCEPT_MS = 5_000;

interface QuietConnections {
  /** When the newest request came, but for those that ask how the service is. */
  readonly lastRequestAt: number;
  /**
   * Accepts what is waiting to be accepted, then listens no more. Every request that has come, or comes within a moment,
   * is answered; then the connections are closed, and that resolves it.
   */
  close(): Promise<void>;
}

interface Use {
  readonly openedAt: number;
  /** Requests whose answers are not sent. */
  requests: number;
  /** What had come in when the last answer was sent: more is the beginning of a request. */
  bytes: number;
}

const OF_HEALTH = new Set(['/healthz', '/readyz', '/metrics']);

/** Knows which connections of a server carry a request. */
export function watchConnections(server: Server): QuietConnections {
  const uses = new Map<Socket, Use>();
  let opened = 0;
  let lastRequestAt = -Infinity;
  server.on('connection', (socket: Socket) => {
    opened += 1;
    uses.set(socket, { openedAt: performance.now(), requests: 0, bytes: 0 });
    socket.once('close', () => uses.delete(socket));
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!OF_HEALTH.has(request.url ?? '')) lastRequestAt = performance.now();
    const { socket } = response;
    const use = socket && uses.get(socket);
    if (!use) return;
    use.requests += 1;
    response.once('close', () => {
      use.requests -= 1;
      use.bytes = socket.bytesRead;
    });
  });

  /**
   * What the system has accepted for us would be reset with the listening socket. Node takes one connection a turn of its
   * event loop, and hundreds of streams, or others that want the processor, make that a quarter of a second. So this ends
   * after a turn that found none and was so short that none can have come since.
   */
  async function acceptAll(): Promise<void> {
    const until = performance.now() + ACCEPT_MS;
    for (let done = false; !done && performance.now() < until;) {
      await turn();
      const before = opened;
      const beganAt = performance.now();
      // Between two of these lies a look at all sockets.
      await turn();
      done = opened === before && performance.now() - beganAt < TURN_MS;
    }
  }

  function mayGo(socket: Socket, { requests, bytes, openedAt }: Use, since: number): boolean {
    if (requests > 0) return false;
    const now = performance.now();
    if (socket.bytesRead > bytes) return now - since >= HEAD_MS;
    return bytes === 0 ? now - openedAt >= FIRST_MS : now - since >= NEXT_MS;
  }

  return {
    get lastRequestAt() {
      return lastRequestAt;
    },
    async close() {
      await acceptAll();
      // That of HTTP servers would end connections that seem idle, with requests that are still to be read.
      NetServer.prototype.close.call(server);
      const since = performance.now();
      while (uses.size > 0) {
        await new Promise((resolve) => setTimeout(resolve, SWEEP_MS));
        // What has come by now has been read when the turn is over: bytes that are not would become a reset.
        await turn();
        for (const [socket, use] of uses) if (mayGo(socket, use, since)) socket.destroy();
      }
    },
  };
}
