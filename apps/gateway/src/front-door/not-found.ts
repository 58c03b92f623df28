import { relayError } from '@tollgate/protocols';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ENDPOINTS } from '../relay/endpoints.ts';
import { type ConsolePage, plainPage } from './console-page.ts';
import { replyError } from './reply-error.ts';
import { apiAnswerHeaders } from './request-id.ts';
import { findClientFormat } from './shared-route.ts';
import { splitQuery } from './query.ts';

/** Below these a path is an API route or nothing. */
const API_PATH = /^\/(?:v1|v1beta|api|assets|console-assets|ws)(?:\/|$)/;

/**
 * A path that is no route: an API path, or a method that changes something, is a JSON 404 that needs no key; any other path
 * shows the console's page. A path that takes a POST is a 426 for who wants a WebSocket there.
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
  const error = wantsWebSocketOfPost(request, path)
    ? relayError('websocket_not_served', `${path} is served over HTTP only: send a POST.`)
    : relayError('not_found', `Invalid URL (${request.method} ${path})`);
  return replyError(reply, protocol, error);
}

/** Codex asks for a WebSocket first, and goes on with POST at once where it is told 426; a 404 costs it five tries. */
const wantsWebSocketOfPost = ({ method, headers }: FastifyRequest, path: string): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && Object.hasOwn(ENDPOINTS, path);

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
