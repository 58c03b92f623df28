import { freePort } from '@tollgate/harness';
import { openBooks } from '../books.ts';
import type { Answer } from '../call.ts';
import { sharedStack } from '../shared-stack.ts';
import { SINGLE, GUARDED, toModelName, publishFaults } from './fragile.ts';
import {
  CHAT_ANSWER,
  chatChunk,
  chatEnd,
  head,
  type RawAnswer,
  type RawUpstream,
  startRawUpstream,
  STREAM_HEAD,
  whole,
} from './raw-upstream.ts';
import { openBilledClient, type BilledClient } from './billed-client.ts';

const at = sharedStack();
const books = openBooks(at.databaseUrl);
const MIB = 1024 * 1024;
const JSON_TYPE = 'application/json';
const SSE_TYPE = 'text/event-stream';

/** Before the caller has a byte: what a caller without another upstream sees. */
const BEFORE: Record<string, { answer?: RawAnswer; status: number; says: string; streams?: 'only' }> = {
  'refuses connections': { status: 503, says: 'No upstream of this model can be reached' },
  'takes the request and hangs': { answer: () => {}, status: 504, says: 'did not answer in time' },
  'sends its head a byte at a time, too slowly': {
    async answer(write) {
      for (const byte of head({ 'content-type': JSON_TYPE })) {
        if (!(await write(byte))) return;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    status: 504,
    says: 'did not answer in time',
  },
  'ends the connection': {
    answer: (_write, socket) => void socket.destroy(),
    status: 502,
    says: 'closed the connection',
  },
  'sends something that is no HTTP': {
    async answer(write, socket) {
      await write(Buffer.from('\u0000\u0001 220 mail.example ESMTP\r\n\r\n', 'latin1'));
      socket.end();
    },
    status: 502,
    says: '',
  },
  'sends a page in place of JSON': {
    answer: async (write) => void (await write(whole(JSON_TYPE, '<html><h1>Welcome</h1></html>'))),
    status: 502,
    says: 'cannot be read',
  },
  'sends a page of its own type': {
    answer: async (write) => void (await write(whole('text/html', '<html><h1>Welcome</h1></html>'))),
    status: 502,
    says: 'cannot be read',
  },
  'sends nothing with a 200': {
    answer: async (write) => void (await write(whole(JSON_TYPE, ''))),
    status: 502,
    says: 'cannot be read',
  },
  'states a length that is too short': {
    async answer(write, socket) {
      await write(whole(JSON_TYPE, CHAT_ANSWER, 40));
      socket.end();
    },
    status: 502,
    says: '',
  },
  'states a length that is too long, and ends': {
    async answer(write, socket) {
      await write(whole(JSON_TYPE, CHAT_ANSWER, 100_000));
      socket.end();
    },
    status: 502,
    says: 'closed the connection',
  },
  'sends more than an answer may have': {
    async answer(write) {
      await write(head({ 'content-type': JSON_TYPE, connection: 'close' }));
      const piece = Buffer.alloc(MIB, ' ');
      while (await write(piece));
    },
    status: 502,
    says: '',
  },
  'sends a head without an end': {
    async answer(write) {
      await write('HTTP/1.1 200 OK\r\n');
      for (let n = 0; await write(`x-filler-${n}: ${'x'.repeat(1_000)}\r\n`); n += 1);
    },
    status: 502,
    says: '',
  },
  'ends a stream before its first byte': {
    async answer(write, socket) {
      await write(STREAM_HEAD);
      socket.end();
    },
    status: 502,
    says: 'cannot be read',
    streams: 'only',
  },
  'streams garbage': {
    async answer(write, socket) {
      await write(STREAM_HEAD);
      await write(Buffer.from(Array.from({ length: 2_000 }, (_, n) => (n * 37) % 256)));
      socket.end();
    },
    status: 502,
    says: 'cannot be read',
    streams: 'only',
  },
  'says an error in a stream': {
    async answer(write, socket) {
      await write(`${STREAM_HEAD}${chatChunk('')}data: {"error":{"message":"Overloaded","code":502}}\n\n`);
      socket.end();
    },
    status: 502,
    says: 'Overloaded',
    streams: 'only',
  },
  'says an error with a 200': {
    answer: async (write) => void (await write(whole(JSON_TYPE, '{"error":{"message":"Overloaded"}}'))),
    status: 502,
    says: 'Overloaded',
  },
};

/** After the first bytes: what comes ends in an error event, and the rest of the row. */
const AFTER: Record<string, RawAnswer> = {
  async 'is cut in the middle of an event'(write, socket) {
    await write(STREAM_HEAD + chatChunk('word ').repeat(5) + 'data: {"id":"chat');
    socket.destroy();
  },
  async 'ends in order, but without an end of the answer'(write, socket) {
    await write(STREAM_HEAD + chatChunk('word ').repeat(5));
    socket.end();
  },
  async 'falls silent'(write) {
    await write(STREAM_HEAD + chatChunk('word ').repeat(5));
  },
  async 'states a longer length than it has'(write, socket) {
    const text = chatChunk('word ').repeat(5);
    await write(head({ 'content-type': SSE_TYPE, 'content-length': 100_000 }) + text);
    socket.end();
  },
  async 'breaks its chunks'(write) {
    const text = chatChunk('word ').repeat(5);
    await write(head({ 'content-type': SSE_TYPE, 'transfer-encoding': 'chunked' }));
    await write(`${text.length.toString(16)}\r\n${text}\r\nzz\r\n`);
  },
};

const ANSWER = chatChunk('Well') + chatEnd(4, 1);
/** Odd, and whole all the same. */
const TOLD: Record<string, RawAnswer> = {
  async 'comes a byte at a time'(write, socket) {
    await write(STREAM_HEAD);
    for (const byte of ANSWER) if (!(await write(byte))) return;
    socket.end();
  },
  'never ends its connection': async (write) => void (await write(STREAM_HEAD + ANSWER)),
  async 'ends its connection badly'(write, socket) {
    await write(head({ 'content-type': SSE_TYPE, 'content-length': 100_000 }) + ANSWER);
    socket.end();
  },
};

const nameOf = (fault: string) => fault.replaceAll(/\W+/g, '-');
const befores = Object.keys(BEFORE);
const afters = Object.keys(AFTER);
let upstream: RawUpstream;
let alone: BilledClient;
let guarded: BilledClient;

beforeAll(async () => {
  const answers = Object.fromEntries([
    ...Object.entries(BEFORE).flatMap(([fault, { answer }]) => (answer ? [[nameOf(fault), answer]] : [])),
    ...Object.entries(AFTER).map(([fault, answer]) => [nameOf(fault), answer]),
    ...Object.entries(TOLD).map(([way, answer]) => [nameOf(way), answer]),
  ]);
  upstream = await startRawUpstream(answers);
  const closed = `http://127.0.0.1:${await freePort()}`;
  const faults = [...befores, ...afters, ...Object.keys(TOLD)].map(nameOf);
  await publishFaults(at, faults, (fault) => (answers[fault] ? `${upstream.url}/${fault}` : closed));
  [alone, guarded] = await Promise.all([
    openBilledClient(at, { group: SINGLE }),
    openBilledClient(at, { group: GUARDED }),
  ]);
}, 60_000);

afterAll(async () => {
  await upstream?.stop();
  await books.close();
});

/** The kinds of request that meet the fault: for a whole answer, and for a stream. */
const kindsOf = (fault: string) => (BEFORE[fault]?.streams === 'only' ? [true] : [false, true]);
const said = ({ text }: Answer) => /"message":"([^"]*)"/.exec(text)?.[1] ?? '';

test.each(befores)(
  'an upstream that %s: the caller gets an error and no bill, a stream as much',
  async (fault) => {
    const { status, says } = BEFORE[fault] ?? { status: 0, says: '' };
    for (const stream of kindsOf(fault)) {
      const answer = await alone.ask({ model: toModelName(nameOf(fault)), stream });
      expect([answer.status, said(answer)]).toEqual([status, expect.stringContaining(says)]);
      expect(answer.text).not.toContain(upstream.url.slice('http://'.length));
    }
  },
);

/** What ran into a time-out is not sent a second time. */
const SOON = befores.filter((fault) => BEFORE[fault]?.status !== 504);

test.each(SOON)('an upstream that %s: another one answers, and that is billed', async (fault) => {
  for (const stream of kindsOf(fault)) {
    const answer = await guarded.ask({ model: toModelName(nameOf(fault)), stream });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('Echo')]);
    const row = await books.usage(answer.headers.get('x-request-id') ?? '');
    expect(row).toMatchObject({ upstream: 'simulator', outcome: 'completed' });
  }
});

test.each(afters)(
  'a stream that %s: the caller gets an error event, and what came is billed',
  async (fault) => {
    const answer = await guarded.ask({ model: toModelName(nameOf(fault)), stream: true });
    expect(answer.status).toBe(200);
    expect(answer.text.match(/word /g)).toHaveLength(5);
    expect(answer.text).toMatch(/data: \{"error":\{"message":"[^"]+"/);
    expect(answer.text).not.toContain('[DONE]');
    expect(upstream.asked(nameOf(fault))).toBe(1);
    const row = await books.usage(answer.headers.get('x-request-id') ?? '');
    expect(row).toMatchObject({
      outcome: 'upstream_cut',
      usage_source: 'estimated',
      upstream: toModelName(nameOf(fault)),
    });
    expect(Number(row['tokens_output'])).toBeGreaterThanOrEqual(5);
    const { entries, sum } = await books.entriesOf(row.request_id);
    expect([Number(entries) > 0, sum]).toEqual([true, '0']);
  },
);

test.each(Object.keys(TOLD))('a stream that %s is passed on whole, and billed as reported', async (way) => {
  const answer = await guarded.ask({ model: toModelName(nameOf(way)), stream: true });
  expect([answer.status, answer.text]).toEqual([200, ANSWER]);
  const row = await books.usage(answer.headers.get('x-request-id') ?? '');
  expect(row).toMatchObject({
    outcome: 'completed',
    usage_source: 'upstream',
    tokens_input: '4',
    tokens_output: '1',
  });
});

test('nothing else is in the books', async () => {
  const rows = `SELECT count(*)::int AS rows FROM billing.usage WHERE key_id = $1`;
  expect(await books.one(rows, [alone.keyId])).toEqual({ rows: 0 });
  const failedOver = SOON.flatMap(kindsOf).length;
  const passed = afters.length + Object.keys(TOLD).length;
  expect(await books.one(rows, [guarded.keyId])).toEqual({ rows: failedOver + passed });
});
