import { NO_JOBS } from '../../testing/jobs.ts';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { createLogger, createMetrics } from '@tollgate/platform';
import Fastify from 'fastify';
import { createRequestMetrics } from '../telemetry/request-metrics.ts';
import type { RelayDependencies } from './relay-request.ts';
import { relayRoutes, takeDirectly } from './relay-routes.ts';

const fails = (): never => {
  throw new Error('nobody foresaw this');
};

function openDoor() {
  let log = '';
  const lines = new PassThrough({ encoding: 'utf8' });
  lines.on('data', (text: string) => (log += text));
  const registry = createMetrics('gateway');
  const deps: RelayDependencies = {
    keys: { find: fails, holds: fails, canFind: fails, forget: fails },
    wrongKeys: { blockedMs: fails, count: fails },
    limiter: {
      degraded: false,
      admitLeased: fails,
      admit: fails,
      settle: fails,
      admitOnCredit: fails,
      settleCredit: fails,
      close: fails,
    },
    loadCredit: fails,
    refusals: { note: fails, find: fails },
    bodyMemory: { lease: fails, heldBytes: 0 },
    uploads: { directory: '', disk: { lease: fails, heldBytes: 0 } },
    table: fails,
    hops: { refusal: fails, next: fails },
    passHeaders: new Set(),
    publisher: { publish: fails },
    storesUsage: fails,
    statePlaces: { remember: fails, find: fails },
    backgroundJobs: NO_JOBS,
    keptResponses: { maxBytes: 1, keep: fails, findAnswer: fails, findQuestion: fails },
    idempotency: { begin: fails, idle: fails },
    departures: { watch: fails },
    unseenReasoning: { note: fails, isKnownOf: fails },
    states: { wrap: fails, unwrap: fails },
    storedIds: { wrap: fails, unwrap: fails },
    telemetry: {
      metrics: createRequestMetrics(registry),
      tracer: undefined,
      logger: createLogger('gateway', 'info', lines),
      requests: { ended() {} },
    },
    limits: {
      bodyLimitBytes: 1,
      bodyValues: 1,
      uploadLimitBytes: 1,
      uploadLimits: {},
      uploadStallMs: 1_000,
      uploadTimeoutMs: 60_000,
      bodyBytesPerS: 1,
      answerLimitBytes: 1,
      eventLimitBytes: 1,
      keepAliveMs: 1_000,
    },
  };
  return { deps, registry, readLog: () => log };
}

test("a failure that nobody foresaw is answered in the caller's protocol, logged with the request's id, and counted", async () => {
  const { deps, registry, readLog } = openDoor();
  const door = Fastify({ genReqId: () => 'req_of_this_test' });
  relayRoutes(door, deps);
  const url = await door.listen({ port: 0, host: '127.0.0.1' });
  const answer = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': `sk-${'a'.repeat(48)}` },
    body: '{}',
  });
  expect(answer.status).toBe(500);
  expect(await answer.json()).toMatchObject({ type: 'error', error: { type: 'api_error' } });
  await door.close();
  expect(JSON.parse(readLog())).toMatchObject({
    level: 50,
    request_id: 'req_of_this_test',
    event: 'request_failed',
    msg: 'a request failed',
    err: { message: 'nobody foresaw this' },
  });
  const text = await registry.metrics();
  expect(text).toContain('tollgate_gateway_requests_in_flight{service="gateway"} 0');
  expect(text).toContain(
    'tollgate_gateway_requests_total{protocol="anthropic-messages",status="500",outcome="refused",service="gateway"} 1',
  );
});

/** Sends bytes to a server that takes what it can and answers 204 to the rest; resolves to all that comes back. */
async function sendTo(takes: ReturnType<typeof takeDirectly>, bytes: string): Promise<string> {
  const server = createServer((incoming, response) => {
    if (!takes(incoming, response)) response.writeHead(204, { connection: 'close' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.write(bytes);
  await new Promise((resolve) => socket.once('close', resolve));
  server.close();
  return text;
}

const post = (path: string, ...headers: string[]): string =>
  [`POST ${path} HTTP/1.1`, 'host: x', 'connection: close', 'content-length: 0', ...headers, '', ''].join(
    '\r\n',
  );

test.each([
  ['a path that is none', post('/v1/nothing')],
  ['a path that names a model', post('/v1beta/models/m:generateContent')],
  ['a query', post('/v1/chat/completions?key=a')],
  ['a slash at the end', post('/v1/chat/completions/')],
  ['another spelling of the path', post('/v1/chat%2Fcompletions')],
  ['another method', post('/v1/chat/completions').replace('POST', 'PUT')],
  ['a header that stands twice', post('/v1/chat/completions', 'x-api-key: a', 'x-api-key: b')],
  ['a Host that is none', post('/v1/chat/completions').replace('host: x', 'host: a@b')],
  ['chunks beside a length', post('/v1/chat/completions', 'transfer-encoding: gzip')],
])('what is not plainly for the relay is left to the routes: %s', async (_what, bytes) => {
  const { deps, readLog } = openDoor();
  expect(await sendTo(takeDirectly(deps, []), bytes)).toMatch(/^HTTP\/1\.1 (?:204|400) /);
  expect(readLog()).toBe('');
});

test.each([
  ['nobody is trusted', [], '127.0.0.1'],
  ['the proxy is trusted', ['127.0.0.0/8'], '192.0.2.7'],
  ['all who stand before are trusted', ['127.0.0.1', '192.0.2.0/24'], '198.51.100.1'],
])(
  'what is taken directly comes from the address that a route would see: %s',
  async (_what, trusted, address) => {
    const { deps, readLog } = openDoor();
    const asked: string[] = [];
    const wrongKeys = { blockedMs: (of: string) => asked.push(of), count: fails };
    const found = { ...deps, wrongKeys, keys: { ...deps.keys, holds: () => false } };
    const forwarded = ['x-forwarded-for: 198.51.100.1, 192.0.2.7', `x-api-key: sk-${'a'.repeat(48)}`];
    const door = Fastify({ trustProxy: trusted.length > 0 ? trusted : false });
    relayRoutes(door, found);
    await door.inject({
      method: 'POST',
      url: '/v1/messages',
      headers: { 'x-forwarded-for': '198.51.100.1, 192.0.2.7', 'x-api-key': `sk-${'a'.repeat(48)}` },
    });
    const answer = await sendTo(takeDirectly(found, trusted), post('/v1/messages', ...forwarded));
    expect(answer).toContain('HTTP/1.1 429 ');
    expect(asked).toEqual([address, address]);
    expect(readLog()).toBe('');
  },
);
