import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type RunningRedis, startRedis, waitFor } from '@tollgate/harness';
import { connectRedis, createLogger } from '@tollgate/platform';
import { createStateWrapper } from '@tollgate/protocols';
import { type Forwarding, createTestPayload, startForwarding, upstream } from '../../testing/forwarding.ts';
import { shapeAnswer } from '../relay/shape-answer.ts';
import { recallReasoning, rememberReasoning } from './recall-reasoning.ts';
import { createStatePlaces, type StatePlaces } from './state-places.ts';

// A hand-made vendor of Messages signs each thought with the key that it was asked with, and refuses every other signature;
// a client brings back all that it was answered.

const STATES = createStateWrapper(Buffer.alloc(32, 1));
const ACCOUNT = 'account';

let redisServer: RunningRedis;
let redis: ReturnType<typeof connectRedis>;
let server: Server;
let running: Forwarding | undefined;
let places: StatePlaces;
/** The key of each request, and whether its reasoning was taken. */
let seen: { key: string; taken: boolean }[] = [];
/** Whether the vendor takes a signature. */
const takes = (signature: string, key: string) => signature.startsWith(`signed by ${key} `);
let refusesAll = false;

interface Block {
  readonly type: string;
  readonly signature?: string;
}
type Message = { readonly role: string; readonly content: string | readonly Block[] };

beforeAll(async () => {
  redisServer = await startRedis();
  redis = connectRedis(redisServer.url, createLogger('test', 'silent'), { timeoutMs: 20_000 });
  await waitFor(() => redis.status === 'ready', 'Redis');
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const key = String(request.headers['x-api-key']);
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as { messages: Message[]; stream?: boolean };
      const { messages } = asked;
      const signatures = messages.flatMap(({ content }) =>
        typeof content === 'string' ? [] : content.flatMap(({ signature }) => signature ?? []),
      );
      const taken = !refusesAll && signatures.every((signature) => takes(signature, key));
      seen.push({ key, taken });
      if (taken && asked.stream) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        return response.end(streamOf(key));
      }
      response.writeHead(taken ? 200 : 400, { 'content-type': 'application/json' });
      return response.end(JSON.stringify(taken ? answerOf(key, messages.length) : REFUSAL));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(async () => {
  await redis.flushall();
  places = createStatePlaces(redis);
  seen = [];
  refusesAll = false;
});
afterEach(() => running?.close());
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  redis.disconnect();
  await redisServer.stop();
});

const REFUSAL = {
  type: 'error',
  error: {
    type: 'invalid_request_error',
    message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
  },
};

let answers = 0;
const answerOf = (key: string, turn: number) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [
    { type: 'thinking', thinking: 'So.', signature: `signed by ${key} ${(answers += 1)}` },
    { type: 'text', text: `Turn ${turn}.` },
  ],
  stop_reason: 'end_turn',
  usage: { input_tokens: 5, output_tokens: 5 },
});

const WORDS = 100;
const sse = (event: { readonly type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const delta = (index: number, said: object) => ({ type: 'content_block_delta', index, delta: said });
/** The same as events; the signature comes in two. */
function streamOf(key: string): string {
  const { content, usage, ...message } = answerOf(key, 1);
  const signature = content[0]?.signature ?? '';
  const events = [
    { type: 'message_start', message: { ...message, content: [], usage } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    },
    ...Array.from({ length: WORDS }, (_, n) => delta(0, { type: 'thinking_delta', thinking: ` ${n}` })),
    delta(0, { type: 'signature_delta', signature: signature.slice(0, 9) }),
    delta(0, { type: 'signature_delta', signature: signature.slice(9) }),
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    ...Array.from({ length: WORDS }, (_, n) => delta(1, { type: 'text_delta', text: ` ${n}` })),
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    { type: 'message_stop' },
  ];
  return events.map(sse).join('');
}

function start(keys: readonly string[]): Forwarding {
  const { port } = server.address() as AddressInfo;
  return (running = startForwarding({
    upstreams: [upstream('vendor', `http://127.0.0.1:${port}`, keys, { protocols: ['anthropic-messages'] })],
    pool: { members: [{ upstream: 'vendor' }] },
    protocol: 'anthropic-messages',
  }));
}

/** One turn, as the relay does it. Answers the status and the conversation with its answer. */
async function turn(messages: readonly Message[]) {
  if (!running) throw new Error('nothing was started');
  const payload = createTestPayload({ model: 'm', max_tokens: 100, messages });
  const asked = { protocol: 'anthropic-messages', payload, accountId: ACCOUNT, states: STATES } as const;
  const reasoning = await recallReasoning(places, asked, running.stages);
  const forwarded = await running.send({ ...asked, reasoning });
  if (forwarded.kind !== 'answer') throw new Error(`it ${forwarded.kind}`);
  const shaped = shapeAnswer(forwarded, forwarded.request, { tokens: 1, units: {} }, false);
  if (shaped.kind !== 'whole') throw new Error(`it ${shaped.kind}`);
  shaped.meter.feed(shaped.body);
  shaped.meter.finish('complete');
  await rememberReasoning(places, forwarded.request, forwarded.candidate);
  const { content = [] } = JSON.parse(shaped.body.toString()) as { content?: Block[] };
  const next: Message[] = [...messages, { role: 'assistant', content }, { role: 'user', content: 'On.' }];
  return { status: forwarded.status, dropped: forwarded.dropped, messages: next };
}

async function converse(turns: number, from: readonly Message[] = [{ role: 'user', content: 'Go.' }]) {
  let messages = from;
  for (let index = 0; index < turns; index += 1) {
    const answered = await turn(messages);
    expect(answered.status).toBe(200);
    ({ messages } = answered);
  }
  return messages;
}

test('of two accounts of a vendor each conversation keeps to the one that reasoned for it', async () => {
  start(['key-one', 'key-two']);
  for (let each = 0; each < 12; each += 1) {
    const before = seen.length;
    await converse(3);
    expect(new Set(seen.slice(before).map(({ key }) => key)).size).toBe(1);
  }
  expect(seen.every(({ taken }) => taken)).toBe(true);
  expect(new Set(seen.map(({ key }) => key)).size).toBe(2);
});

test("the place of a stream's reasoning is noted, though its words pass without being parsed", async () => {
  const { send, stages } = start(['key-one', 'key-two']);
  const payload = createTestPayload({
    model: 'm',
    max_tokens: 100,
    stream: true,
    messages: [{ role: 'user', content: 'Go.' }],
  });
  const asked = { protocol: 'anthropic-messages', payload, accountId: ACCOUNT, states: STATES } as const;
  const reasoning = await recallReasoning(places, asked, stages);
  if (!reasoning.collector) throw new Error('nobody collects');
  const read = jest.spyOn(reasoning.collector, 'read');
  const forwarded = await send({ ...asked, reasoning, stream: true });
  if (forwarded.kind !== 'stream') throw new Error(`it ${forwarded.kind}`);
  const shaped = shapeAnswer(forwarded, forwarded.request, { tokens: 1, units: {} }, false);
  if (shaped.kind !== 'stream') throw new Error(`it ${shaped.kind}`);
  // One event at a time, as a model sends them.
  for (const record of (await text(forwarded.body)).split(/(?<=\n\n)/))
    shaped.meter.feed(Buffer.from(record));
  shaped.meter.finish('complete');
  rememberReasoning(places, forwarded.request, forwarded.candidate);
  const signature = `signed by ${seen[0]?.key} ${answers}`;
  await waitFor(async () => (await places.find(ACCOUNT, [signature])).size === 1, 'the place of the stream');
  expect((await places.find(ACCOUNT, [signature])).get(signature)).toBe(forwarded.candidate.credential.place);
  expect(read.mock.calls.length).toBeLessThan(WORDS / 2);
});

test('where another account must serve, the reasoning of the first is left out beforehand', async () => {
  start(['key-one']);
  const messages = await converse(1);
  await running?.close();
  const signature = `signed by key-one ${answers}`;
  start(['key-two', 'key-three']);
  await places.remember(ACCOUNT, [signature], 'another-place');
  const answered = await turn(messages);
  expect(answered).toMatchObject({ status: 200, dropped: ['reasoning_state'] });
  expect(seen.map(({ taken }) => taken)).toEqual([true, true]);
});

test('a refusal of reasoning that nobody knew is healed once, and said', async () => {
  start(['key-one']);
  const messages = await converse(1);
  await running?.close();
  start(['key-two']);
  expect(await turn(messages)).toMatchObject({ status: 200, dropped: ['reasoning_state'] });
  expect(seen).toEqual([
    { key: 'key-one', taken: true },
    { key: 'key-two', taken: false },
    { key: 'key-two', taken: true },
  ]);
});

test('who refuses again is believed', async () => {
  const { send } = start(['key-one']);
  const messages = [
    { role: 'assistant', content: [{ type: 'thinking', thinking: 'So.', signature: 'of somebody' }] },
    { role: 'user', content: 'On.' },
  ];
  refusesAll = true;
  const payload = createTestPayload({ model: 'm', max_tokens: 100, messages });
  const answer = await send({ protocol: 'anthropic-messages', payload });
  expect(answer).toMatchObject({ kind: 'answer', status: 400 });
  expect(seen).toHaveLength(2);
});

test('what was wrapped for another vendor never reaches this one', async () => {
  start(['key-one']);
  const signature = STATES.wrap([{ format: 'gemini', kind: 'signed', data: 'x' }]);
  const messages = [
    { role: 'user', content: 'Go.' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'So.', signature },
        { type: 'text', text: 'Yes.' },
      ],
    },
    { role: 'user', content: 'On.' },
  ];
  expect(await turn(messages)).toMatchObject({ status: 200, dropped: ['reasoning_state'] });
  expect(seen).toEqual([{ key: 'key-one', taken: true }]);
  await converse(2, messages);
});

test('what is known of a state is known to its account alone, and only its hash is kept', async () => {
  await places.remember(ACCOUNT, ['a state', 'another'], 'place');
  expect(await places.find(ACCOUNT, ['another', 'unknown', 'a state'])).toEqual(
    new Map([
      ['another', 'place'],
      ['a state', 'place'],
    ]),
  );
  expect(await places.find('somebody else', ['a state'])).toEqual(new Map());
  const keys = await redis.keys('*');
  expect(keys).toHaveLength(2);
  expect(keys.join()).not.toContain('state');
  for (const key of keys) expect(await redis.ttl(key)).toBeGreaterThan(6 * 3_600 - 60);
});

test('without Redis a conversation goes on all the same', async () => {
  const away = connectRedis('redis://127.0.0.1:1', createLogger('test', 'silent'), { timeoutMs: 50 });
  places = createStatePlaces(away);
  start(['key-one', 'key-two']);
  await converse(4);
  away.disconnect();
});
