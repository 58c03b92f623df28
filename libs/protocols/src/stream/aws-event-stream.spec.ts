import { crc32 } from 'node:zlib';
import { createEventFrameSplitter, type EventFrame, EventStreamError } from './aws-event-stream.ts';
import { createFrameReader } from './frames-to-events.ts';

/** InvokeModel's `chunk`, with an event of Anthropic's inside. */
const CHUNK =
  '000000d70000004bbff9e4380b3a6576656e742d747970650700056368756e6b0d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d747970650700056576656e747b226279746573223a2265794a306558426c496a6f695932397564475675644639696247396a6131396b5a57783059534973496d6c755a475634496a6f774c434a6b5a5778305953493665794a306558426c496a6f69644756346446396b5a57783059534973496e526c654851694f694a4961534a3966513d3d227d4b8e9495';
/** Converse's `contentBlockDelta`. */
const DELTA =
  '0000009400000057b4ab9aee0b3a6576656e742d74797065070011636f6e74656e74426c6f636b44656c74610d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d747970650700056576656e747b22636f6e74656e74426c6f636b496e646578223a302c2264656c7461223a7b2274657874223a224869227d7d1f944657';
const EXCEPTION =
  '00000090000000618e91a9b70f3a657863657074696f6e2d747970650700137468726f74746c696e67457863657074696f6e0d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d74797065070009657863657074696f6e7b226d657373616765223a22546f6f206d616e79207265717565737473227de67f8005';
const ALL = Buffer.from(CHUNK + DELTA + EXCEPTION, 'hex');

const plain = ({ headers, payload }: EventFrame) => ({ headers, payload: payload.toString() });
const JSON_TYPE = { ':content-type': 'application/json' };
const FRAMES = [
  {
    headers: { ':event-type': 'chunk', ...JSON_TYPE, ':message-type': 'event' },
    payload: `{"bytes":"${Buffer.from('{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}').toString('base64')}"}`,
  },
  {
    headers: { ':event-type': 'contentBlockDelta', ...JSON_TYPE, ':message-type': 'event' },
    payload: '{"contentBlockIndex":0,"delta":{"text":"Hi"}}',
  },
  {
    headers: { ':exception-type': 'throttlingException', ...JSON_TYPE, ':message-type': 'exception' },
    payload: '{"message":"Too many requests"}',
  },
];

test('frames are read wherever their bytes are cut', () => {
  for (let at = 0; at <= ALL.length; at += 1) {
    const splitter = createEventFrameSplitter();
    const frames = [...splitter.push(ALL.subarray(0, at)), ...splitter.push(ALL.subarray(at))];
    expect(frames.map(plain)).toEqual(FRAMES);
  }
});

test('frames are read byte by byte', () => {
  const splitter = createEventFrameSplitter();
  const frames = [...ALL].flatMap((byte) => [...splitter.push(Buffer.from([byte]))]);
  expect(frames.map(plain)).toEqual(FRAMES);
});

test('a frame that is cut is none, and those before a fault are read', () => {
  const read = (bytes: Buffer) => {
    const reader = createFrameReader(({ payload }) => `${payload.length},`);
    return [reader.push(bytes)?.toString(), reader.push(ALL)?.toString(), reader.isBroken()];
  };
  expect(read(ALL.subarray(0, ALL.length - 1))[0]).toBe('124,45,');
  expect(read(Buffer.concat([ALL, spoilt(9)]))).toEqual(['124,45,31,', undefined, true]);
});

/** A frame with these headers, whose checksums are right. */
function frame(headers: Buffer, payload: string, lengths: { total?: number; headers?: number } = {}): Buffer {
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(lengths.total ?? 16 + headers.length + payload.length, 0);
  prelude.writeUInt32BE(lengths.headers ?? headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, headers, Buffer.from(payload)]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(message));
  return Buffer.concat([message, checksum]);
}

test('headers of every type are read, and their texts kept', () => {
  const values = [
    '00',
    '01',
    '02ff',
    '03ffff',
    '04ffffffff',
    `05${'ff'.repeat(8)}`,
    '060002abcd',
    `08${'00'.repeat(8)}`,
    `09${'ab'.repeat(16)}`,
  ];
  const headers = Buffer.from(`${values.map((value) => `0161${value}`).join('')}016207000161`, 'hex');
  const [read] = [...createEventFrameSplitter().push(frame(headers, '{}'))];
  expect(read?.headers).toEqual({ b: 'a' });
});

const spoilt = (at: number): Buffer => {
  const bytes = Buffer.from(DELTA, 'hex');
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  return bytes;
};

test.each([
  ['a wrong checksum of its beginning', spoilt(9)],
  ['a wrong checksum', spoilt(100)],
  ['no length', frame(Buffer.alloc(0), '', { total: 0 })],
  ['a length of 4 GiB', frame(Buffer.alloc(0), '', { total: 0xff_ff_ff_ff })],
  ['a length above 16 MiB', frame(Buffer.alloc(0), '', { total: 16 * 1024 * 1024 + 1 })],
  ['headers that are longer than it', frame(Buffer.alloc(0), '', { headers: 5 })],
  ['a header that is cut', frame(Buffer.from('056162', 'hex'), '')],
  ['a header whose text is cut', frame(Buffer.from('01610700ff61', 'hex'), '')],
  ['a header of an unknown type', frame(Buffer.from('01610b', 'hex'), '')],
])('a frame with %s is refused', (_what, bytes) => {
  expect(() => [...createEventFrameSplitter().push(bytes)]).toThrow(EventStreamError);
});

test('a length is refused before the frame has come', () => {
  const beginning = frame(Buffer.alloc(0), '', { total: 0xff_ff_ff_ff }).subarray(0, 12);
  expect(() => [...createEventFrameSplitter().push(beginning)]).toThrow('4294967295 bytes');
});
