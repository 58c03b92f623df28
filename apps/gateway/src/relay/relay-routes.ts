import { CODECS } from '@tollgate/protocols';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answerUnknownPath } from '../front-door/not-found.ts';
import { splitQuery } from '../front-door/query.ts';
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
