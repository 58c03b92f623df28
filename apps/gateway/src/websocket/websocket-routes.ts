import { randomUUID } from 'node:crypto';
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { relayError, type RelayError } from '@tollgate/protocols';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ServerOptions, WebSocketServer } from 'ws';
import { authenticate } from '../authenticate/authenticate.ts';
import { answerUnknownPath } from '../front-door/not-found.ts';
import { splitQuery } from '../front-door/query.ts';
import { newRequestId } from '../front-door/request-id.ts';
import { createRealtimeRoute } from '../realtime/realtime-route.ts';
import type { RelayDependencies } from '../relay/relay-request.ts';
import { sendError } from '../relay/send-error.ts';
import { closeOver, watchArrivals } from './arrivals.ts';
import { createEarlierResponses } from './earlier-responses.ts';
import { renderRelayError, STOPPING } from './error-events.ts';
import type { OpenSockets, SocketRefusal } from './open-sockets.ts';
import { Session } from './session.ts';
import type { SocketRoute } from './socket-route.ts';

const RESPONSES = '/v1/responses';
const REALTIME = '/v1/realtime';
const PATHS = new Set([RESPONSES, REALTIME]);
/** So long a client may take to close its side. */
const CLOSE_TIMEOUT_MS = 5_000;
/** Of one message: whoever cuts it finer fills memory with the pieces' own weight. */
const MAX_FRAGMENTS = 4_096;
const MAX_CHUNKS = 65_536;

/** For Node's server: what is no opening of one of our WebSockets is a plain request, whatever it would rather be. */
export const opensWebSocket = ({ method, url = '', headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && PATHS.has(splitQuery(url).path);

/**
 * The routes that open a WebSocket. The opening goes through everything that a request goes through, so it is guarded, named
 * and counted as one; what refuses it is an HTTP answer.
 */
export function websocketRoutes(
  fastify: FastifyInstance,
  deps: RelayDependencies,
  sockets: OpenSockets,
): void {
  const heads = new WeakMap<IncomingMessage, Buffer>();
  fastify.server.on('upgrade', (raw: IncomingMessage, socket: Socket, head: Buffer) => {
    const response = new ServerResponse(raw);
    heads.set(raw, head);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.end());
    socket.on('error', () => {});
    fastify.server.emit('request', raw, response);
  });

  function serve(path: string, route: SocketRoute): void {
    const ids = new WeakMap<IncomingMessage, string>();
    const opener = createOpener(route);
    opener.on('headers', (lines, raw) => lines.push(`x-request-id: ${ids.get(raw) ?? ''}`));
    fastify.get(path, async (request, reply) => {
      const { raw, id } = request;
      const head = heads.get(raw);
      if (!head) return void answerUnknownPath(request, reply);
      reply.hijack();
      const opened = await openRoute(deps, sockets, route, request);
      if (!opened.ok) return refuse(request, reply, opened.error);
      const { socket } = raw;
      if (socket.destroyed) return opened.leave();
      ids.set(raw, id);
      socket.once('close', opened.leave);
      opener.handleUpgrade(raw, socket, head, (websocket) => {
        const session = opened.begin(websocket, socket);
        socket.off('close', opened.leave);
        opened.place.open(websocket, session);
      });
    });
  }

  serve(RESPONSES, createResponsesRoute(deps, sockets));
  serve(REALTIME, createRealtimeRoute(deps, sockets));
}

function createOpener({ maxBytes, subprotocol }: SocketRoute): WebSocketServer {
  // Its types do not know all of them yet.
  const options: ServerOptions & { readonly closeTimeout: number } = {
    noServer: true,
    clientTracking: false,
    // A few bytes may unpack to any number of them.
    perMessageDeflate: false,
    // It takes 31 bits of the number, and 0 for no limit.
    maxPayload: Math.min(maxBytes, 2 ** 31 - 1),
    maxFragments: MAX_FRAGMENTS,
    maxBufferedChunks: MAX_CHUNKS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    // Some clients put their key into one, and it would be said back.
    handleProtocols: (offered) =>
      subprotocol !== undefined && offered.has(subprotocol) ? subprotocol : false,
  };
  return new WebSocketServer(options);
}

async function openRoute(
  deps: RelayDependencies,
  sockets: OpenSockets,
  route: SocketRoute,
  { raw, url, ip: clientAddress }: FastifyRequest,
) {
  const { key: queryKey, query } = splitQuery(url);
  const stated = route.findKey?.(raw);
  const headers =
    stated === undefined || raw.headers.authorization !== undefined
      ? raw.headers
      : { ...raw.headers, authorization: `Bearer ${stated}` };
  const caller = { headers, queryKey, clientAddress };
  const authenticated = await authenticate(deps, caller);
  if (!authenticated.ok) return authenticated;
  const { key } = authenticated;
  const error =
    deps.hops.refusal(headers) ?? (headers['idempotency-key'] === undefined ? undefined : NO_IDEMPOTENCY);
  if (error) return { ok: false, error } as const;
  const place = sockets.take(key.key_id);
  if (typeof place === 'string') return { ok: false, error: route.explain(place) } as const;
  const isThere = () => !raw.socket.destroyed;
  const opening = { caller, key, query: new URLSearchParams(query), isThere };
  const prepared = await route.prepare(opening).catch((error: unknown) => {
    place.giveUp();
    throw error;
  });
  if (prepared.ok) return { ...prepared, place, leave: () => (prepared.leave(), place.giveUp()) };
  place.giveUp();
  return prepared;
}

const refuse = ({ raw, id }: FastifyRequest, reply: FastifyReply, error: RelayError): void =>
  sendError({ incoming: raw, response: reply.raw, protocol: 'openai-responses', requestId: id }, error, {
    connection: 'close',
  });

/** Responses, each asked for by a message. */
function createResponsesRoute(deps: RelayDependencies, { limits }: OpenSockets): SocketRoute {
  const remember = createEarlierResponses(limits.memoryBytes);
  return {
    maxBytes: deps.limits.bodyLimitBytes,
    explain: (refusal) => EXPLAINED[refusal],
    prepare: async ({ caller, key: { key_id: keyId } }) => ({
      ok: true,
      leave: () => {},
      begin(socket, transport) {
        const memory = { bodyMemory: deps.bodyMemory, keyId };
        const arrivals = watchArrivals(transport, memory, (error) =>
          closeOver(socket, error, renderRelayError(error, newRequestId())),
        );
        const earlier = remember(randomUUID());
        return new Session({ deps, socket, transport, handshake: caller, limits, earlier, arrivals });
      },
    }),
  };
}

const POST = 'Send a POST to /v1/responses.';
/** On 426 clients that know both go on with POST at once. */
const EXPLAINED: Readonly<Record<SocketRefusal, RelayError>> = {
  'not served': relayError('websocket_not_served', `WebSockets are not served here. ${POST}`),
  stopping: STOPPING,
  'all taken': relayError(
    'websocket_not_served',
    `This server has as many WebSocket connections open as it may. ${POST}`,
  ),
  'key full': relayError(
    'websocket_not_served',
    `This API key has as many WebSocket connections open as it may. Close one, or go on without. ${POST}`,
  ),
};

const NO_IDEMPOTENCY = relayError(
  'invalid_request',
  'idempotency-key: names one request, and a WebSocket connection carries many. Leave it out, or send a POST.',
  { param: 'idempotency-key' },
);
