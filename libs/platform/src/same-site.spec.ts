import { HttpException } from '@nestjs/common';
import Fastify, { type FastifyInstance } from 'fastify';
import { requireSameSite } from './same-site.ts';

let server: FastifyInstance;
let host: string;

beforeAll(async () => {
  server = Fastify();
  server.addContentTypeParser('*', (_request, _body, done) => done(null));
  server.setErrorHandler((error, _request, reply) =>
    error instanceof HttpException
      ? reply.code(error.getStatus()).send(error.getResponse())
      : reply.send(error),
  );
  server.route({
    method: ['POST', 'PUT', 'PATCH', 'DELETE'],
    url: '/',
    handler: (request) => {
      requireSameSite(request);
      return 'passed';
    },
  });
  host = new URL(await server.listen({ port: 0, host: '127.0.0.1' })).host;
});

afterAll(() => server.close());

async function statusOf(method: string, headers: Record<string, string>, body?: string): Promise<number> {
  const answer = await fetch(`http://${host}/`, { method, headers, ...(body === undefined ? {} : { body }) });
  await answer.arrayBuffer();
  return answer.status;
}
const JSON_TYPE = { 'content-type': 'application/json' };

test.each(['POST', 'PUT', 'PATCH'])('%s with JSON passes, with our own Origin or none', async (method) => {
  expect(await statusOf(method, JSON_TYPE, '{}')).toBe(200);
  expect(await statusOf(method, { ...JSON_TYPE, origin: `http://${host}` }, '{}')).toBe(200);
  expect(await statusOf(method, { 'content-type': 'application/json; charset=utf-8' }, '{}')).toBe(200);
});

test.each([
  'https://evil.example',
  'http://127.0.0.1:1',
  'http://127.0.0.1',
  'null',
  'not an origin',
  'http://127.0.0.1.evil.example',
])('the Origin %s is another site', async (origin) => {
  expect(await statusOf('POST', { ...JSON_TYPE, origin }, '{}')).toBe(403);
  expect(await statusOf('DELETE', { origin })).toBe(403);
});

test.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain'])(
  'a form of type %s is refused even without an Origin',
  async (type) => {
    expect(await statusOf('POST', { 'content-type': type }, 'a=b')).toBe(400);
    expect(await statusOf('DELETE', { 'content-type': type }, 'a=b')).toBe(400);
  },
);

test('only a DELETE may come without a body', async () => {
  expect(await statusOf('DELETE', {})).toBe(200);
  expect(await statusOf('POST', {})).toBe(400);
});

test('the refusal says why', async () => {
  const answer = await fetch(`http://${host}/`, {
    method: 'DELETE',
    headers: { origin: 'https://evil.example' },
  });
  expect(await answer.json()).toEqual({
    error: {
      message: 'The Origin of this request is another site.',
      type: 'permission_error',
      param: null,
      code: 'wrong_origin',
    },
  });
});
