import type { Socket } from 'node:net';
import type { RelayError } from '@tollgate/protocols';
import type { WebSocket } from 'ws';
import { type BodyLease, type BodyMemory, SMALL_BODY_BYTES } from '../body/body-memory.ts';

export interface Arrivals {
  /** A message is whole: what its bytes take is its reader's to give back. */
  takeOver(): BodyLease;
  end(): void;
}

/**
 * Counts what a message takes while it comes, as the body of a POST is counted from its first byte: neither one key nor all
 * of them fill the memory of this process with messages that never end.
 *
 * @param full is told where there is no room.
 */
export function watchArrivals(
  socket: Pick<Socket, 'prependListener' | 'off'>,
  memory: { readonly bodyMemory: BodyMemory; readonly keyId: string },
  full: (error: RelayError) => void,
): Arrivals {
  const newLease = () => memory.bodyMemory.lease(memory.keyId);
  let lease = newLease();
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= SMALL_BODY_BYTES) return;
    const error = lease.take(lease.isLarge ? chunk.length : bytes);
    if (error) full(error);
  };
  // Before whoever puts the message together.
  socket.prependListener('data', count);
  return {
    takeOver() {
      const taken = lease;
      lease = newLease();
      bytes = 0;
      return taken;
    },
    end() {
      socket.off('data', count);
      lease.release();
    },
  };
}

/** Whoever is closed over a message that finds no room may take so long to notice. */
const LINGER_MS = 1_000;

/**
 * Nothing of a message can be refused but the connection that it comes over.
 *
 * @param event what the client is told.
 */
export function closeOver(websocket: WebSocket, error: RelayError, event: string): void {
  if (websocket.readyState !== websocket.OPEN) return;
  websocket.send(event);
  websocket.close(1013, error.kind);
  websocket.pause();
  setTimeout(() => websocket.terminate(), LINGER_MS).unref();
}
