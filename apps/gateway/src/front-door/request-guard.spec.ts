import { TEST_SERVICE_SECRET } from '@tollgate/harness';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { loadConfig } from '@tollgate/platform';
import Fastify, { type FastifyInstance } from 'fastify';
import { gatewayConfigSchema } from '../config.ts';
import { proxyApi } from './api-proxy.ts';
import { answerFrameworkError, serveUnknownPaths } from './not-found.ts';
import { createBrokenRequests } from './broken-requests.ts';
import { plainPage } from './console-page.ts';
import { guardRequests } from './request-guard.ts';

interface Seen {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

let behind: Server;
let door: FastifyInstance;
let port: number;
/** What reached the service behind the front door, and what reached a route of its own. */
const proxied: Seen[] = [];
const relayed: string[] = [];

beforeAll(async () => {
  behind = createServer((request, response) => {
    proxied.push({ url: request.url ?? '', headers: request.headers });
    response.writeHead(200, { 'set-cookie': 'session=1', connection: 'x-inner', 'x-inner': '1', te: 'x' });
    response.end('{}');
  });
  await new Promise<void>((resolve) => behind.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(behind.address() as AddressInfo).port}`;
  const config = loadConfig(gatewayConfigSchema, {
    PORT: '0',
    REDIS_URL: 'redis://127.0.0.1:1',
    SEAL_KEY: Buffer.alloc(32).toString('base64'),
    SERVICE_SECRETS: TEST_SERVICE_SECRET,
    BILLING_TCP_URL: 'tcp://127.0.0.1:1',
    PRICING_TCP_URL: 'tcp://127.0.0.1:1',
    BILLING_HTTP_URL: url,
    PRICING_HTTP_URL: url,
    SPOOL_DIR: '/nowhere',
  });
  const broken = createBrokenRequests(() => false);
  door = Fastify({ frameworkErrors: answerFrameworkError, clientErrorHandler: broken.answer });
  broken.watch(door.server);
  guardRequests(door);
  for (const path of ['/v1/chat/completions', '/v1/models/*', '/v1beta/models/*'])
    door.all(path, (request) => {
      relayed.push(request.url);
      return { headers: request.headers };
    });
  proxyApi(door, config);
  serveUnknownPaths(door, plainPage);
  await door.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = door.server.address() as AddressInfo);
});
beforeEach(() => {
  proxied.length = 0;
  relayed.length = 0;
});
afterAll(async () => {
  await door.close();
  behind.closeAllConnections();
  behind.close();
});

/** Sends bytes as they are and reads until the connection ends; the last request must ask for that. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('close', () => resolve(text));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' ? resolve(text) : reject(error),
    );
    socket.write(bytes, 'latin1');
  });
}
const statusesOf = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
const request = (line: string, headers: readonly string[], body = ''): string =>
  [line, ...headers, 'connection: close', '', body].join('\r\n');
const CHAT = 'POST /v1/chat/completions HTTP/1.1';
const SMUGGLED = 'GET /api/smuggled HTTP/1.1\r\nhost: x\r\n\r\n';

test.each<[string, string]>([
  ['two Hosts', request(CHAT, ['host: a', 'host: b', 'content-length: 2'], '{}')],
  ...['a b', 'a/b', 'a@b', 'a,b', 'a:b', 'a:123456', '<a>', '[::1', 'ä', 'a%20b'].map(
    (host): [string, string] => [
      `the Host ${host}`,
      request(CHAT, [`host: ${host}`, 'content-length: 2'], '{}'),
    ],
  ),
  ['no Host', request(CHAT, ['content-length: 2'], '{}')],
  ['two Content-Lengths', request(CHAT, ['host: a', 'content-length: 2', 'content-length: 2'], '{}')],
  [
    'two Content-Lengths that differ',
    request(CHAT, ['host: a', 'content-length: 0', `content-length: ${SMUGGLED.length}`], SMUGGLED),
  ],
  ['a list of Content-Lengths', request(CHAT, ['host: a', 'content-length: 2, 2'], '{}')],
  ['a Content-Length with a sign', request(CHAT, ['host: a', 'content-length: +2'], '{}')],
  ['a Content-Length that is hexadecimal', request(CHAT, ['host: a', 'content-length: 0x2'], '{}')],
  [
    'a Content-Length beside chunks',
    request(CHAT, ['host: a', 'content-length: 4', 'transfer-encoding: chunked'], `0\r\n\r\n${SMUGGLED}`),
  ],
  [
    'chunks beside a Content-Length',
    request(CHAT, ['host: a', 'transfer-encoding: chunked', 'content-length: 4'], `0\r\n\r\n${SMUGGLED}`),
  ],
  [
    'two Transfer-Encodings',
    request(CHAT, ['host: a', 'transfer-encoding: chunked', 'transfer-encoding: identity'], '0\r\n\r\n'),
  ],
  [
    'a Transfer-Encoding that is not the last',
    request(CHAT, ['host: a', 'transfer-encoding: chunked, gzip'], '0\r\n\r\n'),
  ],
  [
    'a Transfer-Encoding nobody knows',
    request(CHAT, ['host: a', 'transfer-encoding: xchunked'], `0\r\n\r\n${SMUGGLED}`),
  ],
  ['a packed Transfer-Encoding', request(CHAT, ['host: a', 'transfer-encoding: gzip, chunked'], '0\r\n\r\n')],
  [
    'a Transfer-Encoding after a tab',
    request(CHAT, ['host: a', 'transfer-encoding:\x0bchunked'], `0\r\n\r\n${SMUGGLED}`),
  ],
  ['a folded header', request(CHAT, ['host: a', 'x-long: one\r\n two', 'content-length: 2'], '{}')],
  [
    'a folded Transfer-Encoding',
    request(CHAT, ['host: a', 'transfer-encoding:\r\n chunked'], `0\r\n\r\n${SMUGGLED}`),
  ],
  ['a space before the colon', request(CHAT, ['host: a', 'content-length : 2'], '{}')],
  ['a space in a name', request(CHAT, ['host: a', 'x foo: 1', 'content-length: 2'], '{}')],
  ['an empty name', request(CHAT, ['host: a', ': 1', 'content-length: 2'], '{}')],
  ['a bare CR in a value', request(CHAT, ['host: a', 'x-foo: 1\rx-bar: 2', 'content-length: 2'], '{}')],
  ['a NUL in a value', request(CHAT, ['host: a', 'x-foo: 1\0', 'content-length: 2'], '{}')],
  ['a bare LF after a line', `${CHAT}\nhost: a\ncontent-length: 2\n\n{}`],
  [
    'a chunk size that overflows',
    request(
      CHAT,
      ['host: a', 'content-type: application/json', 'transfer-encoding: chunked'],
      'fffffffffffffffff\r\n{}',
    ),
  ],
  [
    'two Authorizations',
    request(
      CHAT,
      ['host: a', 'authorization: Bearer a', 'authorization: Bearer b', 'content-length: 2'],
      '{}',
    ),
  ],
  ['two x-api-keys', request(CHAT, ['host: a', 'x-api-key: a', 'x-api-key: b', 'content-length: 2'], '{}')],
  [
    'two Content-Types',
    request(
      CHAT,
      ['host: a', 'content-type: application/json', 'content-type: text/plain', 'content-length: 2'],
      '{}',
    ),
  ],
  [
    'two Content-Encodings',
    request(CHAT, ['host: a', 'content-encoding: gzip', 'content-encoding: br', 'content-length: 2'], '{}'),
  ],
  ['headers of more than 16 KiB', request(CHAT, ['host: a', `x-large: ${'x'.repeat(20_000)}`])],
  [
    'more than a hundred headers',
    request(CHAT, ['host: a', ...Array.from({ length: 100 }, (_, n) => `x-${n}: 1`)]),
  ],
  ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  [
    'an old version with chunks',
    request('POST /v1/chat/completions HTTP/1.0', ['host: a', 'transfer-encoding: gzip'], ''),
  ],
])('a request with %s is refused, and what follows it is not read', async (_what, bytes) => {
  const statuses = statusesOf(await raw(bytes));
  expect(statuses).toHaveLength(1);
  expect([400, 413, 431, 501, 505]).toContain(statuses[0]);
  expect([...relayed, ...proxied]).toEqual([]);
});

test.each([
  '//v1/chat/completions',
  '/v1//chat/completions',
  '/v1/../api/keys',
  '/v1/./chat/completions',
  '/v1/%2e%2e/api/keys',
  '/v1/.%2E/api/keys',
  '/api/%2e%2e/metrics',
  '/api/..%2fmetrics',
  '/api/..%5cmetrics',
  '/api/..\\metrics',
  '/api/..;/metrics',
  '/api/%2e%2e;x/metrics',
  '/api/%252e%252e/metrics',
  '/api/keys%2f..%2f..%2fmetrics',
  '/api%2fkeys',
  '/api/keys%00',
  '/api/keys%0d%0ax-injected:%201',
  '/api/keys#/../metrics',
  '/v1/models/..%2f..%2fapi%2fkeys',
  'http://127.0.0.1/api/keys',
  'http://evil.example/v1/chat/completions',
  '*',
  'api/keys',
  'evil.example:443',
  '/%72eadyz',
  '/%6Detrics',
  '/api/%6beys',
  '/v1/chat/complet%69ons',
  '/v%31/chat/completions',
  '/api/keys%2Dx',
  '/api/%5F',
  '/api/%7Ex',
])('the target %s reaches no route', async (target) => {
  const [status = 0] = statusesOf(await raw(request(`GET ${target} HTTP/1.1`, ['host: a'])));
  expect([400, 404]).toContain(status);
  expect([...relayed, ...proxied]).toEqual([]);
});

test('CONNECT opens nothing', async () => {
  const text = await raw(request('CONNECT 127.0.0.1:22 HTTP/1.1', ['host: a']));
  expect(statusesOf(text).filter((status) => status < 400)).toEqual([]);
  expect([...relayed, ...proxied]).toEqual([]);
});

test.each([
  '/v1/models/openai%2Fgpt-5',
  '/v1/models/openai/gpt-5',
  '/v1beta/models/gemini-3.5-pro:generateContent?key=a%2f..',
  '/v1/models/a..b',
  '/v1/models/%E6%A8%A1',
  '/v1/models/100%25',
  '/v1/models/%67pt%2D5',
])('the target %s is one like any other', async (target) => {
  expect(statusesOf(await raw(request(`GET ${target} HTTP/1.1`, ['host: a'])))).toEqual([200]);
  expect(relayed).toEqual([target]);
});

test('a header with an underscore is not there for anybody', async () => {
  const text = await raw(
    request('GET /v1/models/m HTTP/1.1', ['host: a', 'x_api_key: sk-other', 'X_Forwarded_For: 1.1.1.1']),
  );
  expect(statusesOf(text)).toEqual([200]);
  expect(text).not.toMatch(/_key|_forwarded/i);
});

test('what a caller claims of its address, and what is for one connection, does not pass the proxy', async () => {
  const claims = [
    ...['x-forwarded-for: 203.0.113.9', 'x-forwarded-proto: https', 'x-forwarded-host: evil.example'],
    ...[
      'x-forwarded-port: 1',
      'x-forwarded-prefix: /x',
      'forwarded: for=203.0.113.9',
      'x-real-ip: 203.0.113.9',
    ],
    ...[
      'via: 1.1 evil',
      'x-original-url: /metrics',
      'x-rewrite-url: /metrics',
      'true-client-ip: 203.0.113.9',
    ],
    ...['keep-alive: 1', 'proxy-authorization: Basic x', 'te: trailers', 'x-hop: 1', 'x_api: 1'],
  ];
  const text = await raw(
    [
      'GET /api/keys?a=1 HTTP/1.1',
      'host: relay.example',
      ...claims,
      'connection: x-hop, close',
      'x-kept: 1',
      '',
      '',
    ].join('\r\n'),
  );
  expect(statusesOf(text)).toEqual([200]);
  const [seen] = proxied;
  expect(seen?.url).toBe('/api/keys?a=1');
  const { host: _host, connection: _connection, 'x-request-id': requestId, ...headers } = seen?.headers ?? {};
  expect(requestId).toEqual(expect.any(String));
  expect(headers).toEqual({
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': 'relay.example',
    'x-kept': '1',
  });
});

test('of the answer behind the proxy what is for one connection stays there', async () => {
  const text = await raw(request('GET /api/keys HTTP/1.1', ['host: a']));
  expect(text).toMatch(/^set-cookie: session=1\r$/m);
  expect(text).not.toMatch(/^(?:x-inner|te|keep-alive):/im);
  expect(text).toMatch(/^connection: close\r$/im);
});

test('two requests in a row on one connection are two requests', async () => {
  const first = [CHAT, 'host: a', 'content-type: application/json', 'content-length: 2', '', '{}'].join(
    '\r\n',
  );
  const text = await raw(first + request('GET /v1/models/second HTTP/1.1', ['host: a']));
  expect(statusesOf(text)).toEqual([200, 200]);
  expect(relayed.sort()).toEqual(['/v1/chat/completions', '/v1/models/second']);
});

test('the refusal is in the words of the caller', async () => {
  const gemini = await raw(request('GET /v1beta//models HTTP/1.1', ['host: a']));
  expect(gemini).toContain('"status":"INVALID_ARGUMENT"');
  const openai = await raw(request('GET /v1//models HTTP/1.1', ['host: a']));
  expect(openai).toContain('"type":"invalid_request_error"');
  expect(openai).toMatch(/^connection: close\r$/im);
});
