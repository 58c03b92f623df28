import type { WebSocket } from 'ws';

/** So many messages of one side, or so much of them, may wait before it is read from no further. */
const MAX_WAITING = 64;
const MAX_WAITING_BYTES = 1024 * 1024;

/** Works on the messages of one side in their order, one after the other. */
export interface Sequence {
  /** @param bytes that wait with it. */
  push(work: () => void | Promise<void>, bytes: number): void;
}

/** @param begin what all of them wait for. */
export function createSequence(
  socket: Pick<WebSocket, 'pause' | 'resume'>,
  begin: Promise<void>,
  failed: (error: unknown) => void,
): Sequence {
  let waiting = 0;
  let waitingBytes = 0;
  let last = begin;
  return {
    push(work, bytes) {
      waiting += 1;
      waitingBytes += bytes;
      if (waiting >= MAX_WAITING || waitingBytes >= MAX_WAITING_BYTES) socket.pause();
      last = last
        .then(work)
        .catch(failed)
        .finally(() => {
          waiting -= 1;
          waitingBytes -= bytes;
          if (waiting === 0) socket.resume();
        });
    },
  };
}

/** What waits to leave may take so much before it is waited for. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/** Sends a message. Resolves at once, or when it has left where too much is waiting: who reads slowly slows the other side down. */
export async function sendMessage(socket: WebSocket, message: string): Promise<void> {
  if (socket.readyState !== socket.OPEN) return;
  const left = Promise.withResolvers<void>();
  socket.send(message, () => left.resolve());
  if (socket.bufferedAmount > MAX_BUFFERED_BYTES) await left.promise;
}
