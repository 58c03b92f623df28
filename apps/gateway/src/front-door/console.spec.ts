import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { serveConsole } from './console.ts';
import { serveUnknownPaths } from './not-found.ts';

const INLINE = 'document.documentElement.dataset.ready = "yes";';
const PAGE = `<!doctype html><html lang="en"><head><script>${INLINE}</script></head><body>The console</body></html>`;
const SCRIPT = 'export const answer = 42;'.repeat(50);

let directory: string;
let fastify: FastifyInstance;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tollgate-console-'));
});
afterEach(async () => {
  await fastify.close();
  rmSync(directory, { recursive: true });
});

function build(): void {
  mkdirSync(join(directory, 'console-assets'));
  for (const [name, text] of Object.entries({
    'index.html': PAGE,
    'console-assets/main-a1b2c3d4.js': SCRIPT,
  })) {
    writeFileSync(join(directory, name), text);
    writeFileSync(join(directory, `${name}.br`), brotliCompressSync(text));
    writeFileSync(join(directory, `${name}.gz`), gzipSync(text));
  }
}

async function serve(): Promise<void> {
  fastify = Fastify();
  serveUnknownPaths(fastify, serveConsole(fastify, directory));
  await fastify.ready();
}

const get = (url: string, headers: Record<string, string> = {}) => fastify.inject({ url, headers });

test.each(['/', '/keys', '/usage?model=sim-chat', '/console/keys', '/v1-notes'])(
  'GET %s is the page of the build, which browsers ask for again each time',
  async (path) => {
    build();
    await serve();
    const answer = await get(path);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-cache');
    expect(answer.body).toBe(PAGE);
  },
);

test.each([
  ['br, gzip', 'br', brotliDecompressSync],
  ['gzip, deflate', 'gzip', gunzipSync],
  ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
])('a browser that accepts "%s" gets both page and script as %s', async (accepted, coding, open) => {
  build();
  await serve();
  for (const [path, text] of [
    ['/', PAGE],
    ['/console-assets/main-a1b2c3d4.js', SCRIPT],
  ] as const) {
    const answer = await get(path, { 'accept-encoding': accepted });
    expect(answer.headers['content-encoding']).toBe(coding);
    expect(String(answer.headers['vary']).toLowerCase()).toContain('accept-encoding');
    expect(open(answer.rawPayload).toString()).toBe(text);
  }
});

test('an asset may be kept for good, and is what it says it is', async () => {
  build();
  await serve();
  const answer = await get('/console-assets/main-a1b2c3d4.js');
  expect(answer.body).toBe(SCRIPT);
  expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(answer.headers['content-type']).toContain('javascript');
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
  const head = await fastify.inject({ method: 'HEAD', url: '/console-assets/main-a1b2c3d4.js' });
  expect([head.statusCode, head.headers['content-length'], head.body]).toEqual([200, '1250', '']);
});

test('scripts come from this address or are known by their hash, and no other site frames the page', async () => {
  build();
  await serve();
  const policy = String((await get('/')).headers['content-security-policy']);
  const hash = createHash('sha256').update(INLINE).digest('base64');
  expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
  expect(policy).toContain("default-src 'none';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/script-src[^;]*unsafe/);
});

test.each([
  '/console-assets/gone-00000000.js',
  '/console-assets/%2e%2e%2findex.html',
  '/console-assets/.hidden',
  '/console-assets/a/b.js',
  '/api/nothing',
  '/v1/nothing',
  '/assets/old.js',
])('GET %s is a JSON 404', async (path) => {
  build();
  await serve();
  const answer = await get(path);
  expect(answer.statusCode).toBe(404);
  expect(answer.headers['content-type']).toContain('application/json');
  expect(answer.json()).toHaveProperty('error.message');
});

test('a method that changes something never gets the page', async () => {
  build();
  await serve();
  const answer = await fastify.inject({ method: 'POST', url: '/keys', payload: {} });
  expect(answer.statusCode).toBe(404);
});

test('a newer build is served without a restart, and the older one while it is written', async () => {
  build();
  await serve();
  for (const name of ['index.html', 'index.html.br', 'index.html.gz']) rmSync(join(directory, name));
  expect((await get('/')).body).toBe(PAGE);
  writeFileSync(join(directory, 'index.html'), PAGE.replace('The console', 'The newer console'));
  expect((await get('/', { 'accept-encoding': 'br' })).body).toContain('The newer console');
});

test('without a build a plain page says where the API is', async () => {
  await serve();
  const answer = await get('/keys', { 'accept-encoding': 'br, gzip' });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['content-encoding']).toBeUndefined();
  expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(answer.body).toContain('AI model relay');
});
