import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  brotliCompressSync,
  constants,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { Pool } from 'undici';
import { readWhole } from './body.ts';
import { unpackAnswer } from './unpack-answer.ts';

const MIB = 1024 * 1024;
const servers: Server[] = [];
const pools: Pool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.destroy()));
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function answered(listener: RequestListener): Promise<Readable> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  pools.push(pool);
  const { body, headers } = await pool.request({ method: 'GET', path: '/' });
  return unpackAnswer(body, headers['content-encoding']);
}
const send =
  (coding: string, bytes: Buffer): RequestListener =>
  (_request, response) => {
    response.writeHead(200, { 'content-encoding': coding });
    response.end(bytes);
  };

const TEXT = JSON.stringify(Array.from({ length: 3_000 }, (_, n) => `Grüße ${n}`));

test.each([
  ['gzip', gzipSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
  ['deflate', deflateRawSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
  ['zstd', zstdCompressSync(TEXT)],
  ['identity', Buffer.from(TEXT)],
])('an answer that is packed with %s all the same is read', async (coding, bytes) => {
  expect((await readWhole(await answered(send(coding, bytes)), MIB)).toString()).toBe(TEXT);
});

test('an answer without a byte is empty', async () => {
  expect(await readWhole(await answered(send('gzip', Buffer.alloc(0))), MIB)).toHaveLength(0);
});

test('a stream that is packed comes as it is sent', async () => {
  const body = await answered((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    const pack = createGzip();
    pack.pipe(response);
    pack.write('data: one\n\n');
    pack.flush();
    response.once('close', () => pack.destroy());
  });
  const [first] = (await once(body, 'data')) as [Buffer];
  expect(first.toString()).toBe('data: one\n\n');
  body.destroy();
});

test.each<[string, Buffer]>([
  ['gzip', gzipSync(TEXT).subarray(0, 500)],
  ['gzip', Buffer.from(TEXT)],
  ['br, gzip', gzipSync(TEXT)],
  ['pack200', Buffer.from(TEXT)],
])('an answer that says %s and is not breaks off', async (coding, bytes) => {
  await expect(answered(send(coding, bytes)).then((body) => readWhole(body, MIB))).rejects.toThrow();
});

/** Zeros become as small by this as by the best, which takes thirty times as long. */
const packQuickly = (bytes: Buffer) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } });

test.each<[string, (bytes: Buffer) => Buffer]>([
  ['gzip', gzipSync],
  ['br', packQuickly],
  ['zstd', zstdCompressSync],
])('a bomb of %s breaks off, long before it is unpacked', async (coding, pack) => {
  const body = await answered(send(coding, pack(Buffer.alloc(64 * MIB))));
  await expect(readWhole(body, 1_024 * MIB)).rejects.toThrow('far more');
});

test('what nobody reads is not unpacked', async () => {
  const body = await answered(send('gzip', gzipSync(Buffer.from(TEXT.repeat(500)))));
  await sleep(200);
  expect(body.readableLength).toBeLessThan(MIB);
  expect((await readWhole(body, 64 * MIB)).length).toBe(Buffer.byteLength(TEXT) * 500);
});

test('an upstream that goes away in the middle breaks the answer off', async () => {
  const body = await answered((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': '1000' });
    response.write(gzipSync(TEXT).subarray(0, 100));
    setTimeout(() => response.destroy(), 50);
  });
  await expect(readWhole(body, MIB)).rejects.toThrow();
});
