// An upstream that writes the head of its answer and breaks off at once. In HTTP/2, which upstreams behind TLS may choose, both are
// frames of one read: the break is told in the same turn of the event loop, when nobody may have begun to wait for what comes
// behind the head. Of HTTP/1.1 it is told when the connection is closed, behind the end of the turn.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Client } from 'undici';
import { outcome, startForwarding, upstream } from '../../testing/forwarding.ts';

interface Head {
  readonly fields: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

let says: Head;

function breakOff(socket: Socket): void {
  socket.once('data', () => {
    const fields = Object.entries(says.fields).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 200 OK\r\n${fields.join('')}content-length: 1000\r\n\r\n`);
    socket.write(says.body);
    socket.resetAndDestroy();
  });
}

const FRAME = { data: 0, headers: 1, reset: 3, settings: 4 } as const;
const FRAME_HEAD_BYTES = 9;
const PREFACE_BYTES = 24;
const END_HEADERS = 4;
const INTERNAL_ERROR = Buffer.from([0, 0, 0, 2]);
const STATUS_200 = Buffer.from([0x88]);

function toFrame(type: number, payload: Buffer = Buffer.alloc(0), stream = 1): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = type === FRAME.headers ? END_HEADERS : 0;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A field that no table has. */
const toField = ([name, value]: [string, string]): Buffer =>
  Buffer.concat([
    Buffer.from([0, name.length]),
    Buffer.from(name),
    Buffer.from([value.length]),
    Buffer.from(value),
  ]);

function hasFrame(bytes: Buffer, type: number): boolean {
  for (
    let at = PREFACE_BYTES;
    at + FRAME_HEAD_BYTES <= bytes.length;
    at += FRAME_HEAD_BYTES + bytes.readUIntBE(at, 3)
  )
    if (bytes[at + 3] === type) return true;
  return false;
}

function breakOffFrames(socket: Socket): void {
  let asked: Buffer = Buffer.alloc(0);
  socket.write(toFrame(FRAME.settings, undefined, 0));
  socket.on('data', (chunk: Buffer) => {
    asked = Buffer.concat([asked, chunk]);
    if (!hasFrame(asked, FRAME.headers)) return;
    socket.removeAllListeners('data').resume();
    const head = toFrame(
      FRAME.headers,
      Buffer.concat([STATUS_200, ...Object.entries(says.fields).map(toField)]),
    );
    const body = says.body.length > 0 ? toFrame(FRAME.data, says.body) : says.body;
    socket.write(Buffer.concat([head, body, toFrame(FRAME.reset, INTERNAL_ERROR)]));
  });
}

const EVENT = 'data: {"id":"1","choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n';
const JSON_BEGIN = '{"id":"1","choices":[';
const pack = (text: string) => gzipSync(text).subarray(0, 15);

describe.each([
  ['HTTP/1.1', breakOff],
  ['HTTP/2', breakOffFrames],
])('of %s', (version, listener) => {
  let server: Server;
  let sockets: Socket[];
  let pool: Client;
  beforeEach(async () => {
    sockets = [];
    server = createServer((socket) => {
      sockets.push(socket.on('error', () => {}));
      listener(socket);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    await pool.destroy();
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  test.each([
    ['a stream', 'no byte', ''],
    ['a stream', 'half an event', EVENT.slice(0, 20)],
    ['a packed stream', 'no byte', ''],
    ['a packed stream', 'half an event', pack(EVENT)],
    ['a whole answer', 'no byte', ''],
    ['a whole answer', 'its beginning', JSON_BEGIN],
    ['a packed whole answer', 'no byte', ''],
    ['a packed whole answer', 'its beginning', pack(JSON_BEGIN)],
  ])(
    '%s that breaks off with its head, with %s, is told as a break and no time-out',
    async (what, _of, body) => {
      const stream = what.endsWith('stream');
      const coding = what.includes('packed') ? { 'content-encoding': 'gzip' } : {};
      const type = stream ? 'text/event-stream' : 'application/json';
      says = { fields: { 'content-type': type, ...coding }, body: Buffer.from(body) };
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const limits = { first_byte_timeout_ms: 1_000, total_timeout_ms: 1_000 };
      const forwarding = startForwarding({
        upstreams: [upstream('one', url, ['a'], limits)],
        pool: { members: [{ upstream: 'one' }], attempts: 1 },
      });
      const [candidate] = forwarding.stages[0]?.candidates ?? [];
      // Without TLS, which would choose it, it has to be told which version to speak.
      pool = new Client(url, { h2Options: { useH2c: version === 'HTTP/2' } });
      if (candidate) Object.assign(candidate.client, { pool });
      expect(outcome(await forwarding.send({ stream }))).toBe('upstream_error');
      expect([...(candidate?.target.tally.failures ?? [])]).toEqual([['broken', 1]]);
      await forwarding.close();
    },
  );
});
