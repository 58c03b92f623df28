import { connect, type Socket } from 'node:net';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { openBooks } from '../books.ts';
import { GOOD, STYLES } from '../call.ts';
import { sharedStack } from '../shared-stack.ts';
import { sendFrom } from './from-address.ts';

const at = sharedStack();
const { hostname, port } = new URL(at.baseUrl);
const books = openBooks(at.databaseUrl);
afterAll(() => books.close());

/** Sends bytes as they are; the answer until the connection ends. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
    socket.write(bytes, 'latin1');
  });
}
const get = (target: string): Promise<string> =>
  raw(`GET ${target} HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n\r\n`);

test.each([
  '/api/../metrics',
  '/api/%2e%2e/metrics',
  '/api/..%2fmetrics',
  '/api/%252e%252e%252fmetrics',
  '/api//../metrics',
  '/api/..;/readyz',
  '/api/pricing/%2e%2e/%2e%2e/readyz',
  '//metrics',
  'http://127.0.0.1/api/../metrics',
])('%s shows nothing of the services behind', async (target) => {
  const text = await get(target);
  expect(text).toMatch(/^HTTP\/1\.1 40[04] /);
  expect(text).not.toMatch(/# HELP|"checks"/);
});

test('a request that hides another one in its body is one request, and refused', async () => {
  const hidden = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${at.apiKey}\r\n\r\n`;
  const text = await raw(
    `POST /api/auth/login HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\n` +
      `content-length: ${hidden.length + 5}\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
  );
  expect(text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 400']);
});

test('what is no HTTP is answered in the shape of every error', async () => {
  const text = await raw('HELLO\r\n\r\n');
  expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({
    error: { type: 'invalid_request_error' },
  });
});

test.each(STYLES)('a packed body of %s is answered and billed like any other', async (style) => {
  const { path, body } = GOOD[style];
  const text = Buffer.from(JSON.stringify(body));
  for (const [coding, bytes] of [
    ['gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', zstdCompressSync(text)],
  ] as const) {
    const headers = { 'x-api-key': at.apiKey, 'content-encoding': coding };
    const answer = await sendFrom('127.0.0.1', `${at.baseUrl}${path}`, { headers, body: bytes });
    expect(answer.status).toBe(200);
    expect((await books.usage(String(answer.headers['x-request-id']))).usage_source).toBe('upstream');
  }
});

test('a bomb is refused, and the gateway lives', async () => {
  const body = gzipSync(Buffer.alloc(200 * 1024 * 1024, ' '));
  const headers = { authorization: `Bearer ${at.apiKey}`, 'content-encoding': 'gzip' };
  const answers = await Promise.all(
    Array.from({ length: 4 }, () =>
      sendFrom('127.0.0.1', `${at.baseUrl}${GOOD.chat.path}`, { headers, body }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual([413, 413, 413, 413]);
  expect((await sendFrom('127.0.0.1', `${at.baseUrl}/healthz`)).status).toBe(200);
});

test("no header of the upstream's account or connection reaches a caller", async () => {
  const answer = await sendFrom('127.0.0.1', `${at.baseUrl}${GOOD.chat.path}`, {
    headers: { authorization: `Bearer ${at.apiKey}` },
    body: GOOD.chat.body,
  });
  expect(answer.status).toBe(200);
  expect(
    Object.keys(answer.headers).filter((name) =>
      /^(?:set-cookie|server|via|alt-svc|x-powered-by)$/.test(name),
    ),
  ).toEqual([]);
});

/** Fewer than wait to be accepted at most: the system makes every other one wait for seconds. */
const AT_ONCE = 100;

/** As many as the system lets one process open, leaving some for everybody else; at most ten thousand. */
const idleConnections = (): number => {
  const open = Number(execFileSync('/bin/sh', ['-c', 'ulimit -n']).toString());
  return Math.max(2_000, Math.min(10_000, (Number.isNaN(open) ? 100_000 : open) - 1_000));
};

test('thousands of connections that say nothing do not hold up the others', async () => {
  const sockets: Socket[] = [];
  try {
    const count = idleConnections();
    while (sockets.length < count) {
      const batch = Array.from({ length: Math.min(AT_ONCE, count - sockets.length) }, (_, n) =>
        connect({ port: Number(port), host: hostname, localAddress: `127.0.6.${1 + (n % 10)}` }),
      );
      for (const socket of batch) socket.on('error', () => {});
      sockets.push(...batch);
      await Promise.all(batch.map((socket) => once(socket, 'connect')));
    }
    // Half of them have begun a head that does not end.
    for (const socket of sockets.slice(0, count / 2))
      socket.write('POST /v1/chat/completions HTTP/1.1\r\nx: ');
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        sendFrom('127.0.0.1', `${at.baseUrl}${GOOD.chat.path}`, {
          headers: { authorization: `Bearer ${at.apiKey}` },
          body: GOOD.chat.body,
        }),
      ),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(sockets.length).toBeGreaterThanOrEqual(2_000);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}, 120_000);
