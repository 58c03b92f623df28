import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const SWEEP_MS = 100;
/** How long the beginning of a request may wait for the rest of its head once the service stops. */
const HEAD_MS = 2_000;

export interface QuietConnections {
  /**
   * From now on closes connections on which no request is under way, again and again. Node counts one that was opened
   * and never used among those that are busy.
   *
   * @returns what ends it.
   */
  closeFromNowOn(): () => void;
}

interface Use {
  /** Requests whose answers are not sent. */
  requests: number;
  /** What had come in when the last answer was sent: more is the beginning of a request. */
  bytes: number;
}

/** Knows which connections of a server carry a request. */
export function watchConnections(server: Server): QuietConnections {
  const uses = new Map<Socket, Use>();
  server.on('connection', (socket: Socket) => {
    uses.set(socket, { requests: 0, bytes: 0 });
    socket.once('close', () => uses.delete(socket));
  });
  server.on('request', (_request, response: ServerResponse) => {
    const { socket } = response;
    const use = socket && uses.get(socket);
    if (!use) return;
    use.requests += 1;
    response.once('close', () => {
      use.requests -= 1;
      use.bytes = socket.bytesRead;
    });
  });
  return {
    closeFromNowOn() {
      const since = Date.now();
      const sweep = () => {
        for (const [socket, { requests, bytes }] of uses) {
          const begun = socket.bytesRead > bytes && Date.now() - since < HEAD_MS;
          if (requests === 0 && !begun) socket.destroy();
        }
      };
      sweep();
      const timer = setInterval(sweep, SWEEP_MS);
      return () => clearInterval(timer);
    },
  };
}
