import { answerHeadersAt } from './answer-headers.ts';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { Controller, Get, Module, UseGuards } from '@nestjs/common';
import { defineResource, type RequestOf } from '@tollgate/api/route';
import { waitFor } from '@tollgate/harness';
import { z } from 'zod';
import { serviceConfigSchema } from './config.ts';
import { Health } from './health.ts';
import { codeOfStatus, httpError } from './http-errors.ts';
import { createLogger } from './logging.ts';
import { Handles, Input } from './route.ts';
import { startService } from './service.ts';
import type { RunningService } from './service-definition.ts';

const orderSchema = z.strictObject({
  name: z.string().min(1),
  lines: z.array(z.object({ amount: z.int().positive() })),
});
const pageSchema = z.object({ limit: z.coerce.number().int().max(100).default(10) });

const open = { method: 'GET', permission: 'public', answer: z.unknown() } as const;
const orders = defineResource({
  createOrder: {
    ...open,
    method: 'POST',
    path: '/orders',
    summary: 'Order things',
    body: orderSchema,
    status: 201,
  },
  listOrders: { ...open, path: '/orders', summary: 'List orders', query: pageSchema },
  refuse: {
    ...open,
    path: '/refuse/:status',
    summary: 'Refuse',
    params: z.object({ status: z.coerce.number() }),
  },
  fail: { ...open, path: '/fail', summary: 'Fail' },
  failOddly: { ...open, path: '/fail-oddly', summary: 'Fail oddly' },
  slow: { ...open, path: '/slow', summary: 'Take long' },
});

@Controller()
class Orders {
  @Handles(orders.createOrder)
  create(@Input() { body }: RequestOf<typeof orders.createOrder>) {
    return { created: body.name };
  }

  @Handles(orders.listOrders)
  list(@Input() { query }: RequestOf<typeof orders.listOrders>) {
    return query;
  }

  @Handles(orders.refuse)
  refuse(@Input() { params }: RequestOf<typeof orders.refuse>) {
    throw httpError(params.status, 'Not like this.', 'name', codeOfStatus(params.status));
  }

  @Handles(orders.fail)
  fail() {
    throw new Error('connect to postgres://tollgate:hunter2@db failed');
  }

  @Handles(orders.failOddly)
  failOddly() {
    throw { statusCode: 200, message: 'hunter2' };
  }

  @Handles(orders.slow)
  async slow() {
    slowStarted = true;
    await waitFor(() => slowMayEnd, 'the end of the slow request');
    return { slow: 'done' };
  }
}

@Module({ controllers: [Orders] })
class OrdersModule {}

let slowStarted = false;
let slowMayEnd = false;
let service: RunningService;
let health: Health;
let log: string[];

beforeEach(async () => {
  health = new Health();
  log = [];
  service = await startService({
    name: 'orders',
    config: serviceConfigSchema.parse({ PORT: 0 }),
    logger: createLogger('orders', 'info', { write: (line) => void log.push(line) }),
    health,
    module: OrdersModule,
    fastify: { bodyLimit: 1_000 },
    openApi: {
      documentPath: '/api/openapi.json',
      title: 'Orders',
      description: 'Orders of things.',
      resources: { Orders: orders },
      isSignedIn: ({ headers }) => Promise.resolve(headers.cookie === 'tollgate_session=good'),
    },
    publicUrl: 'https://orders.example',
  });
});

afterEach(() => service.stop());

async function call(path: string, init: RequestInit = {}) {
  const answer = await fetch(`${service.url}${path}`, init);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
const post = (body: string, type = 'application/json') =>
  call('/orders', { method: 'POST', headers: { 'content-type': type }, body });
const refusal = (
  status: number,
  message: unknown,
  param: string | null = null,
  code: string | null = null,
  values?: Readonly<Record<string, string>>,
) => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param, code, ...(values && { values }) } },
});

@Controller('things')
class Unnamed {
  @Get(':id')
  show() {
    return {};
  }

  @Get('checked/by/a/guard')
  @UseGuards(
    class {
      canActivate = () => false;
    },
  )
  showMore() {
    return {};
  }

  @Handles({ ...orders.slow, path: '/things/described' })
  showGood() {
    return {};
  }
}

@Module({ controllers: [Unnamed] })
class UnnamedModule {}

test('a service does not start with a handler that no route of the contract describes', async () => {
  const starting = startService({
    name: 'unnamed',
    config: serviceConfigSchema.parse({ PORT: 0 }),
    logger: createLogger('unnamed', 'silent'),
    health,
    module: UnnamedModule,
  });
  await expect(starting).rejects.toThrow(
    'These handlers need a route of the contract and @Handles: GET /things/:id, GET /things/checked/by/a/guard',
  );
});

test('takes a free port and answers there', async () => {
  expect(Number(new URL(service.url).port)).toBeGreaterThan(0);
  expect(await call('/healthz')).toEqual({ status: 200, body: { status: 'ok' } });
});

test('is ready only while every check holds, and says which does not', async () => {
  expect(await call('/readyz')).toEqual({ status: 200, body: { status: 'ok', checks: {} } });
  let away = true;
  health.add('redis', () => {});
  health.add('database', async () => {
    if (away) throw new Error('no connection');
  });
  expect(await call('/readyz')).toEqual({
    status: 503,
    body: { status: 'not ready', checks: { redis: 'ok', database: 'no connection' } },
  });
  expect((await call('/healthz')).status).toBe(200);
  away = false;
  expect(await call('/readyz')).toEqual({
    status: 200,
    body: { status: 'ok', checks: { redis: 'ok', database: 'ok' } },
  });
});

test('is not ready once it is stopping, whatever the checks say', async () => {
  health.add('database', () => {});
  health.stopping();
  expect(await call('/readyz')).toEqual({
    status: 503,
    body: { status: 'not ready', checks: { database: 'ok', shutdown: 'stopping' } },
  });
});

test('a stop lets the request in flight finish and takes no new ones', async () => {
  [slowStarted, slowMayEnd] = [false, false];
  const inFlight = call('/slow');
  await waitFor(() => slowStarted, 'the slow request');
  const stopped = service.stop();
  slowMayEnd = true;
  expect(await inFlight).toEqual({ status: 200, body: { slow: 'done' } });
  await stopped;
  await expect(fetch(`${service.url}/healthz`)).rejects.toThrow();
});

test.each<[string, string]>([
  ['was opened and never used', ''],
  ['was used and is kept', 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['stays in the middle of a head', 'GET /healthz HTTP/1.1\r\nhost: x\r\nx-slow: '],
])('a stop does not wait for a connection that %s', async (_how, sent) => {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  await once(socket, 'connect');
  if (sent !== '') socket.write(sent);
  if (sent.endsWith('\r\n\r\n')) await waitFor(() => received.endsWith('}'), 'the answer');
  else await call('/healthz');
  const closed = once(socket, 'close');
  await service.stop();
  await closed;
});

test('a stop answers a request whose head was under way', async () => {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  await once(socket, 'connect');
  socket.write('GET /healthz HTTP/1.1\r\n');
  await call('/healthz');
  const stopped = service.stop();
  socket.write('host: x\r\n\r\n');
  await once(socket, 'close');
  await stopped;
  expect(received).toMatch(/^HTTP\/1\.1 \d{3} /);
});

test('what the schema allows reaches the route, with its defaults', async () => {
  expect(await post('{"name":"a","lines":[{"amount":1}]}')).toEqual({ status: 201, body: { created: 'a' } });
  expect(await call('/orders')).toEqual({ status: 200, body: { limit: 10 } });
  expect(await call('/orders?limit=7')).toEqual({ status: 200, body: { limit: 7 } });
});

test.each([
  ['{"lines":[]}', 'name', 'field_missing', { kind: 'string' }],
  ['{"name":"","lines":[]}', 'name', 'field_too_short', { min: '1' }],
  ['{"name":7,"lines":[]}', 'name', 'field_of_another_kind', { kind: 'string' }],
  ['{"name":"a"}', 'lines', 'field_missing', { kind: 'array' }],
  ['{"name":"a","lines":[{"amount":1},{"amount":0}]}', 'lines.1.amount', 'field_too_small', { min: '0' }],
])('the body %s is refused with the field %s, and with the code %s', async (body, field, code, values) => {
  expect(await post(body)).toEqual(
    refusal(400, expect.stringMatching(new RegExp(`^${field}: .+\\.$`)), field, code, values),
  );
});

test('an unknown field is refused by its name', async () => {
  expect(await post('{"name":"a","lines":[],"colour":"red"}')).toEqual(
    refusal(400, expect.stringContaining('colour'), null, 'field_unknown', { names: 'colour' }),
  );
});

test('a query that is wrong is refused with the field', async () => {
  expect(await call('/orders?limit=101')).toMatchObject({ status: 400, body: { error: { param: 'limit' } } });
});

test.each([
  ['no JSON', '{broken', 'application/json', 400, 'request_wrong'],
  ['of an unknown type', 'a,b', 'text/csv', 415, 'request_wrong'],
  [
    'too large',
    JSON.stringify({ name: 'x'.repeat(1_000), lines: [] }),
    'application/json',
    413,
    'body_too_large',
  ],
])('a body that is %s is refused in the shared shape', async (_name, body, type, status, code) => {
  expect(await post(body, type)).toEqual(refusal(status, expect.stringMatching(/\w/), null, code));
});

test('an unknown path is a 404 that shows the path without its query', async () => {
  expect(await call('/nowhere?token=hunter2')).toEqual(
    refusal(404, 'Invalid URL (GET /nowhere)', null, 'not_found'),
  );
  expect(await call('/orders', { method: 'DELETE' })).toEqual(
    refusal(404, 'Invalid URL (DELETE /orders)', null, 'not_found'),
  );
});

test.each([
  [400, 'invalid_request_error', 'request_wrong'],
  [401, 'authentication_error', 'not_signed_in'],
  [403, 'permission_error', 'permission_denied'],
  [404, 'invalid_request_error', 'not_found'],
  [409, 'invalid_request_error', 'request_wrong'],
  [429, 'rate_limit_error', 'rate_limit_exceeded'],
  [503, 'server_error', 'service_busy'],
])('a refusal with %d is a %s', async (status, type, code) => {
  expect(await call(`/refuse/${status}`)).toEqual({
    status,
    body: { error: { message: 'Not like this.', type, param: 'name', code } },
  });
});

test.each(['/fail', '/fail-oddly'])('what was not foreseen at %s is logged and not shown', async (path) => {
  const answer = await call(`${path}?token=abc`);
  expect(answer).toMatchObject({ status: 500, body: { error: { type: 'server_error', param: null } } });
  expect(JSON.stringify(answer.body)).not.toContain('hunter2');
  const logged = log.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(logged).toContainEqual(
    expect.objectContaining({ level: 50, method: 'GET', path, err: expect.objectContaining({}) as unknown }),
  );
  expect(log.join('')).toContain('hunter2');
  expect(log.join('')).not.toContain('token=abc');
});

test.each<[string, RequestInit, number]>([
  ['/orders', {}, 200],
  ['/orders/none', {}, 404],
  ['/nothing', {}, 404],
  ['/%ff', {}, 400],
  ['/orders', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }, 400],
  ['/orders', { method: 'POST', body: 'a', headers: { 'content-type': 'text/html' } }, 415],
  ['/api/openapi.json', {}, 200],
  ['/healthz', {}, 200],
])('the answer to %s %j is kept by nobody and taken for nothing else', async (path, init, status) => {
  const answer = await fetch(`${service.url}${path}`, init);
  expect(answer.status).toBe(status);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'strict-transport-security': 'max-age=31536000',
  });
});

test.each([undefined, 'http://localhost:8080'])('a deployment at %s asks nobody for https', (publicUrl) => {
  expect(answerHeadersAt(publicUrl)).not.toHaveProperty('strict-transport-security');
});

test('serves the OpenAPI document with the schemas that check the bodies', async () => {
  const { status, body } = await call('/api/openapi.json', { headers: { cookie: 'tollgate_session=good' } });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    info: { title: 'Orders', description: 'Orders of things.', version: '1' },
    paths: {
      '/orders': { post: { requestBody: { required: true } }, get: { parameters: [{ name: 'limit' }] } },
    },
  });
  expect(JSON.stringify(body)).toContain('"additionalProperties":false');
});

test('while it drains it is not ready, serves all the same, and asks clients to leave', async () => {
  expect((await fetch(`${service.url}/orders`)).headers.get('connection')).toBe('keep-alive');
  service.drain();
  expect(await call('/readyz')).toMatchObject({ status: 503, body: { checks: { shutdown: 'stopping' } } });
  const answer = await fetch(`${service.url}/orders`);
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
});

/**
 * Clients in a thread of their own, which go on while this one stands still: they open connections, perhaps use each once,
 * then wait for their mark to send a request on each, and tell what each was answered.
 */
const CLIENTS = `
const { connect } = require('node:net');
const { parentPort, workerData: { port, count, used, marks } } = require('node:worker_threads');
const REQUEST = 'GET /orders HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n';
const flags = new Int32Array(marks);
const raise = (index) => { Atomics.store(flags, index, 1); Atomics.notify(flags, index); };
const answers = new Array(count).fill('');
const open = () => Promise.all(answers.map((_, index) => new Promise((resolve, reject) => {
  const socket = connect(port, '127.0.0.1', () => resolve(socket));
  socket.on('error', ({ code }) => { answers[index] += code; reject(new Error(code)); });
  socket.on('data', (chunk) => (answers[index] += chunk));
})));
const until = async (holds) => { while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5)); };
(async () => {
  let sockets = [];
  if (used) {
    sockets = await open();
    sockets.forEach((socket) => socket.write(REQUEST));
    await until(() => answers.every((answer) => answer.endsWith('}')));
    answers.fill('');
  }
  parentPort.postMessage('ready');
  await until(() => Atomics.load(flags, 0) === 1);
  if (!used) sockets = await open();
  const closed = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.write(REQUEST, resolve))));
  raise(1);
  await Promise.all(closed);
  parentPort.postMessage(answers);
})();
`;

test.each([
  ['are still to be accepted', false],
  ['were used before and are kept', true],
])('a stop answers every request that has come on connections that %s', async (_how, used) => {
  const marks = new SharedArrayBuffer(8);
  const flags = new Int32Array(marks);
  const port = Number(new URL(service.url).port);
  const workerData = { port, count: 100, used, marks };
  const clients = new Worker(CLIENTS, { eval: true, workerData });
  try {
    await once(clients, 'message');
    Atomics.store(flags, 0, 1);
    // The service stands still while the clients connect and send: the system takes it all in.
    expect(Atomics.wait(flags, 1, 0, 10_000)).toBe('ok');
    const stopped = service.stop();
    const [answers] = (await once(clients, 'message')) as [string[]];
    await stopped;
    expect(answers.filter((answer) => !answer.startsWith('HTTP/1.1 200 '))).toEqual([]);
    expect(answers.filter((answer) => !/^connection: close\r$/im.test(answer))).toEqual([]);
  } finally {
    await clients.terminate();
  }
});

test('a stop waits a moment for the first request of a new connection', async () => {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  await once(socket, 'connect');
  await call('/healthz');
  const stopped = service.stop();
  const refused = () =>
    call('/healthz').then(
      () => false,
      () => true,
    );
  await waitFor(refused, 'the end of listening', 30_000, 5);
  socket.write('GET /orders HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(socket, 'close');
  await stopped;
  expect(received).toMatch(/^HTTP\/1\.1 200 /);
});

test('it is quiet once no request has come for half a second but those that ask how it is', async () => {
  await service.quiet(10_000);
  const calledAt = Date.now();
  await call('/orders');
  let quiet = false;
  const waited = service.quiet(10_000).then(() => (quiet = true));
  await waitFor(async () => (await call('/readyz')) && quiet, 'that it is quiet');
  await waited;
  expect(Date.now() - calledAt).toBeGreaterThanOrEqual(500);
});

test('requests that do not end keep it no longer than it is told', async () => {
  await call('/orders');
  let over = false;
  const waited = service.quiet(700).then(() => (over = true));
  await waitFor(async () => (await call('/orders')) && over, 'the end of the time', 30_000, 5);
  await waited;
});
