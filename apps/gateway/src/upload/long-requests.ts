import type { ClientRequest } from '../relay/client-exchange.ts';

/** What still comes of a request that has taken longer than others may is waited for so long. */
const REST_MS = 5_000;

interface LongRequest {
  isOverdue: boolean;
}

/** By their connections. */
const long = new WeakMap<object, LongRequest>();

/**
 * A request whose body may take longer than `REQUEST_TIMEOUT_S`, which the server otherwise holds every request to: whoever
 * reads it sees to its time.
 *
 * @returns says that it is read.
 */
export function takesLonger(request: ClientRequest): () => void {
  const { socket } = request;
  if (!socket) return () => {};
  const its: LongRequest = { isOverdue: false };
  long.set(socket, its);
  return () => {
    long.delete(socket);
    // The server looks at the time of a request once.
    if (its.isOverdue && !request.complete)
      setTimeout(() => {
        if (!request.complete) socket.destroy();
      }, REST_MS).unref();
  };
}

/** Whether the request of a connection that is out of time may take longer. */
export function mayTakeLonger(socket: object): boolean {
  const its = long.get(socket);
  if (its) its.isOverdue = true;
  return its !== undefined;
}
