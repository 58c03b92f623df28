import type { RelayError } from '@tollgate/protocols';
import {
  authenticate,
  type AuthenticationDependencies,
  type AuthenticationRequest,
} from '../authenticate/authenticate.ts';
import type { SocketLimits } from './settings.ts';

/** A WebSocket connection of a client, whatever it carries. */
export interface OpenSocket {
  /** Looks, once in a while, at what ends a connection: its age, its silence, its key. */
  look(): void;
  /** Ends what is under way, then closes. */
  drain(): void;
}

/** Why no further connection is opened. */
export type SocketRefusal = 'not served' | 'stopping' | 'all taken' | 'key full';

/** Where a connection may be opened; it is given back once, when that was given up or when the connection is closed. */
export interface SocketPlace {
  open(websocket: { once(event: 'close', listener: () => void): unknown }, socket: OpenSocket): void;
  giveUp(): void;
}

/** The WebSocket connections of this process. */
export interface OpenSockets {
  readonly count: number;
  readonly limits: SocketLimits;
  /** Takes a place for a key's connection at once, or says why there is none: very many may ask at the same time. */
  take(keyId: string): SocketPlace | SocketRefusal;
  /** Opens none any more, and closes each once what is under way on it is answered. */
  drain(): void;
}

/** A key that is disabled or expires ends its connections within so long. */
const LOOK_EVERY_MS = 1_000;

export function createOpenSockets(limits: SocketLimits): OpenSockets {
  const sockets = new Set<OpenSocket>();
  /** Places that are taken, those of connections that are still being opened included. */
  const byKey = new Map<string, number>();
  let taken = 0;
  let draining = false;
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    for (const socket of sockets) socket.look();
  };

  function findRefusal(keyId: string): SocketRefusal | undefined {
    if (limits.inAll === 0) return 'not served';
    if (draining) return 'stopping';
    if (taken >= limits.inAll) return 'all taken';
    return (byKey.get(keyId) ?? 0) >= limits.perKey ? 'key full' : undefined;
  }

  function giveBack(keyId: string): void {
    taken -= 1;
    const left = (byKey.get(keyId) ?? 1) - 1;
    if (left > 0) byKey.set(keyId, left);
    else byKey.delete(keyId);
  }

  function close(socket: OpenSocket): void {
    sockets.delete(socket);
    if (sockets.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    limits,
    get count() {
      return sockets.size;
    },
    take(keyId) {
      const refusal = findRefusal(keyId);
      if (refusal) return refusal;
      taken += 1;
      byKey.set(keyId, (byKey.get(keyId) ?? 0) + 1);
      return {
        giveUp: () => giveBack(keyId),
        open(websocket, socket) {
          sockets.add(socket);
          timer ??= setInterval(look, LOOK_EVERY_MS).unref();
          websocket.once('close', () => {
            giveBack(keyId);
            close(socket);
          });
          // It was being opened when the others were told.
          if (draining) socket.drain();
        },
      };
    },
    drain() {
      draining = true;
      for (const socket of sockets) socket.drain();
    },
  };
}

/** What of a key's troubles ends its connections; the others may pass. */
const OF_KEYS = new Set(['invalid_key', 'key_disabled', 'key_expired']);

/** Why the key that opened a connection may not have it any longer. */
export async function findKeyTrouble(
  deps: AuthenticationDependencies,
  caller: AuthenticationRequest,
): Promise<RelayError | undefined> {
  const authenticated = await authenticate(deps, caller);
  return !authenticated.ok && OF_KEYS.has(authenticated.error.kind) ? authenticated.error : undefined;
}
