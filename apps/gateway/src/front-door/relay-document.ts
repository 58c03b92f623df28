import { ERROR_KINDS } from '@tollgate/protocols';
import type { FastifyInstance } from 'fastify';

/** `GET /openapi.json`, for anybody: what clients of models may call. It is made when it is first asked for: a sixth of a start. */
export function serveRelayDocument(fastify: FastifyInstance): void {
  let document: Promise<Buffer> | undefined;
  fastify.get('/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(await (document ??= makeDocument())),
  );
}

async function makeDocument(): Promise<Buffer> {
  const { describeRelay } = await import('@tollgate/api/relay-openapi');
  return Buffer.from(JSON.stringify(describeRelay(ERROR_KINDS)));
}
