import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { relayError, type RelayError } from '@tollgate/protocols';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ServerOptions, WebSocketServer } from 'ws';
import { authenticate } from '../authenticate/authenticate.ts';
import { splitQuery } from '../front-door/query.ts';
import { answerUnknownPath } from '../front-door/not-found.ts';
import type { RelayDependencies } from '../relay/relay-request.ts';
import { sendError } from '../relay/send-error.ts';
import type { OpenSockets } from './open-sockets.ts';

const PATH = '/v1/responses';
/** So long a client may take to close its side. */
const CLOSE_TIMEOUT_MS = 5_000;
/** Of one message: whoever cuts it finer fills memory with the pieces' own weight. */
const MAX_FRAGMENTS = 4_096;
const MAX_CHUNKS = 65_536;

/** For Node's server: what is no opening of one of our WebSockets is a plain request, whatever it would rather be. */
export const opensWebSocket = ({ method, url = '', headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && splitQuery(url).path === PATH;

/**
 * `GET /v1/responses` for a WebSocket. The opening goes through everything that a request goes through, so it is guarded,
 * named and counted as one; what refuses it is an HTTP answer.
 */
export function websocketRoutes(
  fastify: FastifyInstance,
  deps: RelayDependencies,
  sockets: OpenSockets,
): void {
  const heads = new WeakMap<IncomingMessage, Buffer>();
  const ids = new WeakMap<IncomingMessage, string>();
  // Its types do not know all of them yet.
  const options: ServerOptions & { readonly closeTimeout: number } = {
    noServer: true,
    clientTracking: false,
    // A few bytes may unpack to any number of them.
    perMessageDeflate: false,
    // It takes 31 bits of the number, and 0 for no limit.
    maxPayload: Math.min(deps.limits.bodyLimitBytes, 2 ** 31 - 1),
    maxFragments: MAX_FRAGMENTS,
    maxBufferedChunks: MAX_CHUNKS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    // Some clients put their key into one, and it would be said back.
    handleProtocols: () => false,
  };
  const opener = new WebSocketServer(options);
  opener.on('headers', (lines, raw) => lines.push(`x-request-id: ${ids.get(raw) ?? ''}`));

  fastify.server.on('upgrade', (raw: IncomingMessage, socket: Socket, head: Buffer) => {
    const response = new ServerResponse(raw);
    heads.set(raw, head);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.end());
    socket.on('error', () => {});
    fastify.server.emit('request', raw, response);
  });

  async function open(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { raw, id: requestId, ip: clientAddress } = request;
    const head = heads.get(raw);
    if (!head) return void answerUnknownPath(request, reply);
    reply.hijack();
    const { headers } = raw;
    const refuse = (error: RelayError): void =>
      sendError(raw, reply.raw, 'openai-responses', error, requestId, { connection: 'close' });
    const { key: queryKey } = splitQuery(request.url);
    const authenticated = await authenticate(deps, { headers, queryKey, clientAddress });
    if (!authenticated.ok) return refuse(authenticated.error);
    const { key_id: keyId } = authenticated.key;
    const error = deps.hops.refusal(headers) ?? findFault(request) ?? sockets.findRefusal(keyId);
    if (error) return refuse(error);
    const { socket } = raw;
    if (socket.destroyed) return;
    ids.set(raw, requestId);
    opener.handleUpgrade(raw, socket, head, (websocket) => {
      sockets.add(websocket, socket, { headers, clientAddress, queryKey, keyId });
    });
  }

  fastify.get(PATH, open);
}

function findFault({ headers }: FastifyRequest): RelayError | undefined {
  return headers['idempotency-key'] === undefined ? undefined : NO_IDEMPOTENCY;
}

const NO_IDEMPOTENCY = relayError(
  'invalid_request',
  'idempotency-key: names one request, and a WebSocket connection carries many. Leave it out, or send a POST.',
  { param: 'idempotency-key' },
);
