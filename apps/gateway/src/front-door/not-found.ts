import { relayError } from '@tollgate/protocols';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ConsolePage, plainPage } from './console-page.ts';
import { replyError } from './reply-error.ts';
import { apiAnswerHeaders } from './request-id.ts';
import { findClientFormat } from './shared-route.ts';
import { splitQuery } from './query.ts';

/** Below these a path is an API route or nothing. */
const API_PATH = /^\/(?:v1|v1beta|api|assets|console-assets|ws)(?:\/|$)/;

/** What clients of vendors may ask for and is not served: they are told so, and what is. */
const NOT_SERVED: readonly (readonly [path: RegExp, why: string])[] = [
  [
    /^\/v1\/realtime\/./,
    'Realtime over WebRTC and SIP, its short-lived keys and its translations are not served. Open a WebSocket to /v1/realtime?model=… with an API key of this service.',
  ],
  [
    /^\/v1\/images\/variations$/,
    'Variations of a picture are not served: only DALL·E 2 drew them. Send the picture to /v1/images/edits, and say what is to change.',
  ],
  [/^\/v1\/live\//, 'Live sessions are not served. Open a WebSocket to /v1/realtime?model=…'],
  [/^\/ws\/google\./, 'Gemini Live is not served. Open a WebSocket to /v1/realtime?model=…'],
];

/**
 * A path that is no route: an API path, or a method that changes something, is a JSON 404 that needs no key, or a 426
 * for who wants a WebSocket; any other path shows the console's page.
 */
export function answerUnknownPath(
  request: FastifyRequest,
  reply: FastifyReply,
  page: ConsolePage = plainPage,
): FastifyReply {
  const { path, key } = splitQuery(request.url);
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (reads && !API_PATH.test(path)) return page(request, reply);
  const protocol = findClientFormat(path, request.headers, key);
  // Codex asks for a WebSocket first, and goes on with POST at once where it is told 426; a 404 costs it five tries.
  const unserved = NOT_SERVED.find(([pattern]) => pattern.test(path));
  const error = unserved
    ? relayError('unsupported', unserved[1])
    : asksForWebSocket(request)
      ? relayError('websocket_not_served', `${path} is served over HTTP only: send a POST.`)
      : relayError('not_found', `Invalid URL (${request.method} ${path})`);
  return replyError(reply, protocol, error);
}

const asksForWebSocket = ({ headers }: FastifyRequest): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket';

/** A path that cannot be decoded is no route either, and none of the console's. */
export function answerFrameworkError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  // Hooks do not run for what cannot be decoded.
  void reply.headers(apiAnswerHeaders(request.id));
  if (error.code === 'FST_ERR_BAD_URL') return answerUnknownPath(request, reply);
  return replyError(reply, 'openai-chat', relayError('invalid_request', error.message));
}

/** Takes every request that no other route takes, with its body unread. */
export function serveUnknownPaths(fastify: FastifyInstance, page: ConsolePage): void {
  void fastify.register((routes, _options, done) => {
    routes.removeAllContentTypeParsers();
    routes.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    routes.all('/*', (request, reply) => answerUnknownPath(request, reply, page));
    done();
  });
}
