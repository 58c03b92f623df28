import { randomBytes } from 'node:crypto';
import { Agent, createServer, type IncomingMessage, request as httpRequest, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { waitFor } from '@tollgate/harness';
import { relayError } from '@tollgate/protocols';
import { type BodyLimits, readBody, type TakeRoom } from './read-body.ts';

const MIB = 1024 * 1024;
const LIMITS: BodyLimits = { bodyLimitBytes: 8 * MIB, bodyBytesPerS: 500 };

let server: Server;
let port: number;
let limits = LIMITS;
let takeRoom: TakeRoom = () => undefined;
const results: string[] = [];
/** Of the last body, as they came. */
let pieces: Buffer[];
beforeAll(async () => {
  server = createServer((request: IncomingMessage, response) => {
    // As after a look-up of the key: by then a small body is here.
    const here = request.headers['x-here'] ? waitFor(() => request.complete, 'the body', 5_000, 1) : null;
    void Promise.resolve(here).then(async () => {
      const reading = readBody(request, limits, takeRoom);
      pieces = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      const read = await reading;
      const text =
        read.ok === true
          ? read.body.toString()
          : read.ok === 'gone'
            ? 'gone'
            : `${read.error.kind}: ${read.error.message}`;
      results.push(text.slice(0, 200));
      response.writeHead(200, request.headers['x-keep'] ? {} : { connection: 'close' }).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
beforeEach(() => {
  limits = LIMITS;
  takeRoom = () => undefined;
  results.length = 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends a body in pieces of a size; without a length, as chunks. */
function send(
  body: Buffer,
  headers: Record<string, string>,
  pieceBytes = 65_536,
  agent?: Agent,
  sockets?: Set<unknown>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, method: 'POST', headers, agent }, (answer) => {
      sockets?.add(answer.socket);
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () => resolve(text));
    });
    // A refusal comes before all is sent.
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
    for (let at = 0; at < body.length; at += pieceBytes) request.write(body.subarray(at, at + pieceBytes));
    request.end();
  });
}

const TEXT = JSON.stringify({ messages: Array.from({ length: 500 }, (_, n) => ({ n, text: `Grüße ${n}` })) });
test('the pieces of a large body take no memory beside the whole of it', async () => {
  const text = JSON.stringify('0123456789abcdef'.repeat(65_536));
  expect((await send(Buffer.from(text), {})) === text).toBe(true);
  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces.map(({ length }) => length)).toEqual(pieces.map(() => 0));
  const packed = gzipSync(randomBytes(300_000).toString('hex'));
  await send(packed, { 'content-encoding': 'gzip' });
  expect(Buffer.concat(pieces).equals(packed)).toBe(true);
});

const PACKED: readonly [string, Buffer][] = [
  ['gzip', gzipSync(TEXT)],
  ['x-gzip', gzipSync(TEXT)],
  ['GZIP', gzipSync(TEXT)],
  ['gzip', Buffer.concat([gzipSync(TEXT.slice(0, 100)), gzipSync(TEXT.slice(100))])],
  ['deflate', deflateSync(TEXT)],
  ['deflate', deflateRawSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
  ['zstd', zstdCompressSync(TEXT)],
  ['identity', Buffer.from(TEXT)],
  ['', Buffer.from(TEXT)],
];

test.each([
  ['', ''],
  ['{"a":"é"}', '{"a":"é"}'],
  ['x'.repeat(9_000), 'x'.repeat(9_000)],
  ['x'.repeat(9_001), 'payload_too_large: '],
])('a body that is here before it is read is read the same', async (body, read) => {
  limits = { ...LIMITS, bodyLimitBytes: 9_000 };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sockets = new Set<unknown>();
  const headers = { 'x-here': '1', 'x-keep': '1' };
  for (const piece of [9_001, 100]) {
    const answer = await send(Buffer.from(body), headers, piece, agent, sockets);
    expect(answer.slice(0, read.length)).toBe(read);
  }
  // The connection goes on with the next request.
  expect(sockets.size).toBe(1);
  agent.destroy();
});

test.each(PACKED)('a body packed with %p is read, however it is cut', async (coding, packed) => {
  for (const piece of [1 + Math.floor(packed.length / 40), packed.length])
    expect(await send(packed, { 'content-encoding': coding }, piece)).toBe(TEXT);
});

test.each(['gzip, br', 'compress', 'gzip,gzip', 'x', 'constructor'])(
  'the coding %p is refused by its name',
  async (coding) => {
    expect(await send(Buffer.from('{}'), { 'content-encoding': coding })).toBe(
      `invalid_request: The Content-Encoding "${coding}" is not supported; send gzip, deflate, br or zstd, or the body as it is.`,
    );
  },
);

test.each(['gzip', 'deflate', 'br', 'zstd'])('what is no %s, or breaks off, is refused', async (coding) => {
  const refusal = `invalid_request: The body is not ${coding}, which its Content-Encoding says.`;
  expect(await send(Buffer.from('{"model":"m"}'), { 'content-encoding': coding })).toBe(refusal);
  const [, packed = Buffer.alloc(0)] = PACKED.find(([name]) => name === coding) ?? [];
  expect(await send(packed.subarray(0, packed.length - 12), { 'content-encoding': coding })).toBe(refusal);
});

/** Zeros become as small by this as by the best, which takes thirty times as long. */
const packQuickly = (bytes: Buffer) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } });

test.each<[string, (text: Buffer) => Buffer]>([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', packQuickly],
  ['zstd', zstdCompressSync],
])('a bomb of %s is refused before it is unpacked', async (coding, pack) => {
  const bomb = pack(Buffer.alloc(64 * MIB));
  expect(bomb.length).toBeLessThan(MIB);
  const before = process.memoryUsage().arrayBuffers;
  expect(await send(bomb, { 'content-encoding': coding })).toMatch(/^payload_too_large: /);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(24 * MIB);
});

test('after a refused body the connection goes on with the next request', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sockets = new Set<unknown>();
  const bomb = gzipSync(Buffer.alloc(200 * MIB));
  const headers = { 'content-encoding': 'gzip', 'content-length': String(bomb.length), 'x-keep': '1' };
  for (let round = 0; round < 3; round += 1) {
    expect(await send(bomb, headers, 65_536, agent, sockets)).toMatch(/^payload_too_large: /);
    expect(await send(Buffer.from('{}'), { 'x-keep': '1' }, 65_536, agent, sockets)).toBe('{}');
  }
  expect(sockets.size).toBe(1);
  agent.destroy();
});

test.each([
  [20, 'read'],
  [45, 'read'],
  [60, 'refused'],
])('a text that is packed to a part of %i is %s', async (ratio, outcome) => {
  // Noise that does not pack, and white space that packs to nothing.
  const noise = randomBytes(40_000).toString('latin1').replaceAll(/["\\]/g, ' ');
  const text = Buffer.from(noise, 'latin1').toString('base64');
  const packed = gzipSync(text).length;
  const body = `"${text}${' '.repeat(packed * ratio - text.length)}"`;
  expect(body.length).toBeGreaterThan(MIB / 2);
  const answer = await send(gzipSync(body), { 'content-encoding': 'gzip' });
  expect(answer.startsWith('payload_too_large')).toBe(outcome === 'refused');
});

const FULL = relayError('rate_limited', 'There is no room.');

test.each([
  ['with its length', {}, Buffer.alloc(300_000, 'x')],
  ['in chunks', { 'transfer-encoding': 'chunked' }, Buffer.alloc(300_000, 'x')],
  ['packed', { 'content-encoding': 'gzip' }, gzipSync(randomBytes(300_000).toString('hex'))],
])(
  'a large body %s takes room for all of it, and is refused where there is none',
  async (_, headers, body) => {
    let taken = 0;
    takeRoom = (bytes) => void (taken += bytes);
    const own = {
      ...headers,
      ...('transfer-encoding' in headers ? {} : { 'content-length': String(body.length) }),
    };
    const read = await send(body, own);
    expect(taken).toBe(read.length);
    taken = 0;
    takeRoom = (bytes) => ((taken += bytes) > 150_000 ? FULL : undefined);
    expect(await send(body, own)).toBe('rate_limited: There is no room.');
    expect(taken).toBeLessThan(300_000);
    takeRoom = () => FULL;
    expect(await send(body, own)).toBe('rate_limited: There is no room.');
  },
);

test('a small body takes no room', async () => {
  takeRoom = () => FULL;
  const text = 'x'.repeat(65_536);
  expect((await send(Buffer.from(text), {})) === text).toBe(true);
  expect(await send(Buffer.from(`${text}x`), {})).toBe('rate_limited: There is no room.');
});

test('what is very regular but small is no bomb', async () => {
  const text = `"${' '.repeat(900_000)}"`;
  expect(await send(gzipSync(text), { 'content-encoding': 'gzip' })).toBe(text);
});

test('the limit counts what is unpacked, to the byte', async () => {
  const long = Buffer.from(TEXT.slice(0, 60));
  limits = { ...LIMITS, bodyLimitBytes: long.length };
  expect(await send(gzipSync(long), { 'content-encoding': 'gzip' })).toBe(long.toString());
  limits = { ...LIMITS, bodyLimitBytes: long.length - 1 };
  const tooLarge = `payload_too_large: The request body is larger than the ${long.length - 1} bytes that are accepted.`;
  expect(await send(gzipSync(long), { 'content-encoding': 'gzip' })).toBe(tooLarge);
  expect(await send(long, {})).toBe(tooLarge);
  expect(await send(long, { 'content-length': String(long.length) })).toBe(tooLarge);
});

test('a zstd frame that asks for more than 8 MiB of window is refused', async () => {
  // Magic number, no content size, a window of 128 MiB, one raw block of two bytes that is the last.
  const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 17 << 3, 0x11, 0x00, 0x00, 0x7b, 0x7d]);
  expect(await send(frame, { 'content-encoding': 'zstd' })).toMatch(/^invalid_request: The body is not zstd/);
  frame[5] = 13 << 3;
  expect(await send(frame, { 'content-encoding': 'zstd' })).toBe('{}');
});

test('a body that trickles is given up, one that is only slow is not', async () => {
  const open = (length: number) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`);
    return socket;
  };
  const [trickle, slow] = [open(100_000), open(6_000)];
  const timer = setInterval(() => trickle.write('x'), 200);
  const faster = setInterval(() => slow.write('y'.repeat(400)), 400);
  await waitFor(() => results.length === 2, 'both ends', 12_000);
  clearInterval(timer);
  clearInterval(faster);
  trickle.destroy();
  slow.destroy();
  expect(results.sort()).toEqual(['request_timeout: The request body comes too slowly.', 'y'.repeat(200)]);
});

test('a client that goes away in the middle of its body leaves nothing behind', async () => {
  for (const coding of ['', 'gzip']) {
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-encoding: ${coding}\r\ncontent-length: 1000\r\n\r\n`);
    socket.write(gzipSync(TEXT).subarray(0, 100));
    setTimeout(() => socket.destroy(), 50);
    await waitFor(() => results.length > 0, 'the end');
    expect(results.splice(0)).toEqual(['gone']);
  }
});
