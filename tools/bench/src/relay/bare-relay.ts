// A process of its own: the least that a relay on this platform can be, Fastify in front and undici behind, and nothing
// between. It is what Tollgate's own work is measured against.
import type { Readable } from 'node:stream';
import Fastify from 'fastify';
import { Pool } from 'undici';

const pool = new Pool(process.env['UPSTREAM'] ?? '', { connections: null });
const fastify = Fastify({ bodyLimit: 32 * 1024 * 1024 });
fastify.removeAllContentTypeParsers();
fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
fastify.get('/readyz', () => 'ready');
fastify.post('/v1/chat/completions', async (request, reply) => {
  const answer = await pool.request({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { 'content-type': 'application/json', authorization: request.headers.authorization ?? '' },
    body: request.body as Buffer,
  });
  const { 'content-type': type, 'content-length': length } = answer.headers;
  void reply.code(answer.statusCode);
  if (type !== undefined) void reply.header('content-type', type);
  if (length !== undefined) void reply.header('content-length', length);
  return reply.send(answer.body as Readable);
});
await fastify.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
