import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { relayError, type RelayError } from '@tollgate/protocols';
import type { WebSocket } from 'ws';
import { newRequestId } from '../front-door/request-id.ts';
import type { RelayDependencies } from '../relay/relay-request.ts';
import { watchArrivals } from './arrivals.ts';
import { createEarlierResponses } from './earlier-responses.ts';
import { renderRelayError, STOPPING } from './error-events.ts';
import { type Handshake, Session } from './session.ts';
import type { SocketLimits } from './settings.ts';

/** The WebSocket connections of this process. */
export interface OpenSockets {
  readonly count: number;
  /** Why no further connection is opened for a key. */
  findRefusal(keyId: string): RelayError | undefined;
  add(websocket: WebSocket, transport: Socket, handshake: Handshake): void;
  /** Opens none any more, and closes each once what is under way on it is answered. */
  drain(): void;
}

/** A key that is disabled or expires ends its connections within so long. */
const LOOK_EVERY_MS = 1_000;
/** Whoever is closed over a message that finds no room may take so long to notice. */
const LINGER_MS = 1_000;

export function createOpenSockets(deps: RelayDependencies, limits: SocketLimits): OpenSockets {
  const sessions = new Set<Session>();
  const byKey = new Map<string, number>();
  const remember = createEarlierResponses(limits.memoryBytes);
  let draining = false;
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    for (const session of sessions) session.look();
  };

  function enter(keyId: string, session: Session): void {
    sessions.add(session);
    byKey.set(keyId, (byKey.get(keyId) ?? 0) + 1);
    timer ??= setInterval(look, LOOK_EVERY_MS).unref();
  }

  function leave(keyId: string, session: Session): void {
    sessions.delete(session);
    const left = (byKey.get(keyId) ?? 1) - 1;
    if (left > 0) byKey.set(keyId, left);
    else byKey.delete(keyId);
    if (sessions.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    get count() {
      return sessions.size;
    },
    findRefusal(keyId) {
      if (limits.inAll === 0) return NOT_SERVED;
      if (draining) return STOPPING;
      // On 426 clients that know both go on with POST at once.
      if (sessions.size >= limits.inAll) return ALL_TAKEN;
      return (byKey.get(keyId) ?? 0) >= limits.perKey ? KEY_FULL : undefined;
    },
    add(websocket, transport, handshake) {
      const { keyId } = handshake;
      const memory = { bodyMemory: deps.bodyMemory, keyId };
      const arrivals = watchArrivals(transport, memory, (error) => closeOver(websocket, error));
      const earlier = remember(randomUUID());
      const session = new Session({
        deps,
        socket: websocket,
        transport,
        handshake,
        limits,
        earlier,
        arrivals,
      });
      enter(keyId, session);
      websocket.once('close', () => leave(keyId, session));
    },
    drain() {
      draining = true;
      for (const session of sessions) session.drain();
    },
  };
}

/** Nothing of a message can be refused but the connection that it comes over. */
function closeOver(websocket: WebSocket, error: RelayError): void {
  if (websocket.readyState !== websocket.OPEN) return;
  websocket.send(renderRelayError(error, newRequestId()));
  websocket.close(1013, error.kind);
  websocket.pause();
  setTimeout(() => websocket.terminate(), LINGER_MS).unref();
}

const POST = 'Send a POST to /v1/responses.';
const NOT_SERVED = relayError('websocket_not_served', `WebSockets are not served here. ${POST}`);
const ALL_TAKEN = relayError(
  'websocket_not_served',
  `This server has as many WebSocket connections open as it may. ${POST}`,
);
const KEY_FULL = relayError(
  'websocket_not_served',
  `This API key has as many WebSocket connections open as it may. Close one, or go on without. ${POST}`,
);
