import type { TakesRequest } from '@tollgate/platform';
import { CODECS } from '@tollgate/protocols';
import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answerUnknownPath } from '../front-door/not-found.ts';
import { splitQuery } from '../front-door/query.ts';
import { findHeaderFault } from '../front-door/request-guard.ts';
import { newRequestId } from '../front-door/request-id.ts';
import { ENDPOINTS, type Endpoint } from './endpoints.ts';
import type { RelayDependencies } from './relay-request.ts';
import { relayWatched } from './relay-watched.ts';

/**
 * The routes that forward to upstreams. They are raw Fastify handlers that leave the request body unread and
 * answer on the raw response: nothing stands between the client's bytes and the upstream's.
 */
export function relayRoutes(fastify: FastifyInstance, deps: RelayDependencies): void {
  void fastify.register((routes, _options, done) => {
    routes.removeAllContentTypeParsers();
    routes.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    for (const [path, endpoint] of Object.entries(ENDPOINTS)) {
      routes.post(path, (request, reply) => handle(request, reply, endpoint, deps));
    }
    done();
  });
}

/** Endpoints whose path says all. */
const PLAIN_ENDPOINTS = new Map(
  Object.entries(ENDPOINTS).flatMap(([path, { action, ...endpoint }]) =>
    action === 'from-path' ? [] : [[path, { ...endpoint, action }] as const],
  ),
);

/**
 * Takes what nearly all requests are, before any router: a POST to just the path of an endpoint, with headers that nobody
 * could read in two ways. Hooks, router and objects of Fastify are a twentieth of what each of them costs.
 *
 * @param trustedProxies whose word on the caller's address counts.
 */
export function takeDirectly(deps: RelayDependencies, trustedProxies: readonly string[]): TakesRequest {
  const trusts = trustedProxies.length > 0 ? proxyAddr.compile([...trustedProxies]) : undefined;
  const addressOf = (incoming: IncomingMessage): string =>
    (trusts ? proxyAddr.all(incoming, trusts).at(-1) : incoming.socket.remoteAddress) ?? '';
  return (incoming, response) => {
    const { method, url = '' } = incoming;
    const endpoint = method === 'POST' ? PLAIN_ENDPOINTS.get(url) : undefined;
    if (!endpoint || findHeaderFault(incoming)) return false;
    const { protocol, action, task } = endpoint;
    void relayWatched(deps, {
      incoming,
      response,
      requestId: newRequestId(),
      clientAddress: addressOf(incoming),
      protocol,
      action,
      task,
      framing: CODECS[protocol].clientFraming(''),
      pathModel: undefined,
      queryKey: undefined,
      query: '',
    });
    return true;
  };
}

async function handle(
  request: FastifyRequest,
  reply: FastifyReply,
  endpoint: Endpoint,
  deps: RelayDependencies,
): Promise<void> {
  const { path, query, key } = splitQuery(request.url);
  const { parsePath, clientFraming } = CODECS[endpoint.protocol];
  const { action, task } = endpoint;
  const target = action === 'from-path' ? parsePath?.(path) : { model: undefined, action, task };
  if (!target) {
    await answerUnknownPath(request, reply);
    return;
  }
  reply.hijack();
  await relayWatched(deps, {
    incoming: request.raw,
    response: reply.raw,
    requestId: request.id,
    clientAddress: request.ip,
    protocol: endpoint.protocol,
    action: target.action,
    task: target.task,
    framing: clientFraming(query),
    pathModel: target.model,
    queryKey: key,
    query,
  });
}
