import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { KeyRecord } from '@tollgate/contracts';
import type { RelayError } from '@tollgate/protocols';
import type { WebSocket } from 'ws';
import type { AuthenticationRequest } from '../authenticate/authenticate.ts';
import type { OpenSocket, SocketRefusal } from './open-sockets.ts';

/** Who asks for a WebSocket, and proved it. */
interface Opening {
  readonly caller: AuthenticationRequest;
  readonly key: KeyRecord;
  readonly query: URLSearchParams;
  /** The client is there. */
  readonly isThere: () => boolean;
}

/** One kind of WebSocket. */
export interface SocketRoute {
  /** Of one message. */
  readonly maxBytes: number;
  /** The key where a client that cannot send headers puts it. */
  readonly findKey?: (request: IncomingMessage) => string | undefined;
  /** Of those that the client offers, and never one that holds a key. */
  readonly subprotocol?: string;
  readonly explain: (refusal: SocketRefusal) => RelayError;
  /** Gets ready what the connection needs, or says why there is none. */
  readonly prepare: (opening: Opening) => Promise<
    | {
        readonly ok: true;
        readonly begin: (websocket: WebSocket, transport: Socket) => OpenSocket;
        readonly leave: () => void;
      }
    | { readonly ok: false; readonly error: RelayError }
  >;
}
