/* Forms whose clients are slow, on a server that gives every other request one second once it has seen them come. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sleepAwake, waitFor } from '@tollgate/harness';
import { createBodyMemory } from '../body/body-memory.ts';
import { readBody } from '../body/read-body.ts';
import { createBrokenRequests } from '../front-door/broken-requests.ts';
import { mayTakeLonger } from './long-requests.ts';
import { readUpload, type UploadLimits } from './read-upload.ts';

const MIB = 1024 * 1024;
const LIMITS: UploadLimits = {
  uploadLimitBytes: 4 * MIB,
  uploadLimits: {},
  bodyLimitBytes: MIB,
  bodyBytesPerS: 500,
  uploadStallMs: 60_000,
  uploadTimeoutMs: 60_000,
};
const disk = createBodyMemory({ bodyMemoryBytes: 32 * MIB, keyBodyMemoryBytes: 32 * MIB });
let limits = LIMITS;
let directory: string;
let server: Server;
/** How many requests came in a test. */
let come = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tollgate-slow-uploads-'));
  server = createServer(
    { requestTimeout: 0, headersTimeout: 0, connectionsCheckingInterval: 100 },
    (request, response) => {
      come += 1;
      void answer(request).then((text) => response.end(text));
    },
  );
  const broken = createBrokenRequests(mayTakeLonger);
  broken.watch(server);
  server.on('clientError', broken.answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  limits = LIMITS;
  come = 0;
  server.requestTimeout = 0;
});

/** Takes time from all requests, once so many have come: a machine that stands still before has taken none. */
async function limitTime(requests: number): Promise<void> {
  await waitFor(() => come === requests, 'the requests');
  server.requestTimeout = 1_000;
}
afterEach(() => expect(disk.heldBytes).toBe(0));
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(directory, { recursive: true });
});

async function answer(request: IncomingMessage): Promise<string> {
  const lease = disk.lease('key');
  const read =
    request.url === '/form'
      ? await readUpload(request, limits, { directory, disk: lease, take: () => undefined })
      : await readBody(request, limits, () => undefined);
  if ('upload' in read) read.upload[Symbol.dispose]();
  lease.release();
  return read.ok === true ? 'whole' : read.ok === 'gone' ? 'gone' : read.error.message;
}

/** A request of a stated length whose body is still to come. */
function begin(path: string, length: number): { socket: Socket; answered: Promise<string> } {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  const answered = new Promise<string>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\r\n\r\n')) resolve(text);
    });
    socket.on('close', () => resolve(text));
  });
  socket.on('error', () => {});
  const type = path === '/form' ? 'multipart/form-data; boundary=b' : 'application/json';
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`,
  );
  return { socket, answered };
}

const HEAD = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
const TAIL = '\r\n--b--\r\n';
const formOf = (bytes: number) => HEAD.length + bytes + TAIL.length;

/** Sends so many pieces of 10,000 bytes, ten a second. */
async function sendPieces(socket: Socket, count: number): Promise<void> {
  for (let sent = 0; sent < count && !socket.destroyed; sent += 1) {
    socket.write(Buffer.alloc(10_000, 120));
    await sleep(100);
  }
}

test('a form that is slow and goes on is read to its end, and another request is not waited for', async () => {
  const form = begin('/form', formOf(300_000));
  const json = begin('/json', 300_000);
  form.socket.write(HEAD);
  await limitTime(2);
  await Promise.all([sendPieces(form.socket, 30), sendPieces(json.socket, 30)]);
  form.socket.end(TAIL);
  expect(await form.answered).toMatch(/^HTTP\/1\.1 200 [^]*whole$/);
  expect(await json.answered).toMatch(/^HTTP\/1\.1 408 /);
});

test('the next request of the connection has the time of every other one', async () => {
  const { socket, answered } = begin('/form', formOf(150_000));
  socket.write(HEAD);
  await limitTime(1);
  await sendPieces(socket, 15);
  socket.write(TAIL);
  expect(await answered).toContain('whole');
  const closed = new Promise((resolve) => void socket.on('close', () => resolve('closed')));
  socket.write('POST /json HTTP/1.1\r\nhost: x\r\ncontent-length: 10000000\r\n\r\n');
  const sent = sendPieces(socket, 300).then(() => closed);
  expect(await Promise.race([sent, sleepAwake(20_000)])).toBe('closed');
});

test('a form that stands still is given up, however fast it began', async () => {
  limits = { ...LIMITS, uploadStallMs: 1_500 };
  const { socket, answered } = begin('/form', formOf(2 * MIB));
  socket.write(HEAD);
  socket.write(Buffer.alloc(MIB));
  await limitTime(1);
  expect(await answered).toContain('comes too slowly');
  socket.destroy();
});

test('a form has its time too, also where it goes on', async () => {
  limits = { ...LIMITS, uploadTimeoutMs: 2_000 };
  const { socket, answered } = begin('/form', formOf(MIB));
  socket.write(HEAD);
  await limitTime(1);
  await Promise.race([answered, sendPieces(socket, 100)]);
  expect(await answered).toContain('comes too slowly');
  socket.destroy();
});

test('what trickles after a form that took long and was refused is cut', async () => {
  const { socket, answered } = begin('/form', formOf(MIB));
  socket.write(HEAD);
  await limitTime(1);
  await sendPieces(socket, 15);
  const packed = 'Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64';
  socket.write(`\r\n--b\r\n${packed}\r\n\r\nx\r\n--b\r\n`);
  expect(await answered).toContain('Content-Transfer-Encoding');
  const closed = new Promise((resolve) => void socket.on('close', () => resolve('closed')));
  const trickle = setInterval(() => socket.write('x'), 200);
  expect(await Promise.race([closed, sleep(25_000, 'open', { ref: false })])).toBe('closed');
  clearInterval(trickle);
});
