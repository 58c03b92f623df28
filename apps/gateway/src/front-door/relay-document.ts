import { describeRelay } from '@tollgate/api/relay-openapi';
import { ERROR_KINDS } from '@tollgate/protocols';
import type { FastifyInstance } from 'fastify';

/** `GET /openapi.json`, for anybody: what clients of models may call, made once. */
export function serveRelayDocument(fastify: FastifyInstance): void {
  const document = Buffer.from(JSON.stringify(describeRelay(ERROR_KINDS)));
  fastify.get('/openapi.json', (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(document),
  );
}
