/*
 * Responses over a WebSocket: a client as Codex is, the official SDKs, and clients that mean harm, on the shared stack with
 * an upstream of every format. What each response costs is read in the books and compared with that of the same POST.
 */
import { randomBytes } from 'node:crypto';
import { waitFor } from '@tollgate/harness';
import { CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import OpenAI7 from 'openai';
import OpenAI6 from 'openai-6';
import { ResponsesWS as ResponsesWS7 } from 'openai/resources/responses/ws';
import { ResponsesWS as ResponsesWS6 } from 'openai-6/resources/responses/ws';
import { openBooks } from '../books.ts';
import { call } from '../call.ts';
import { makePools, modelOn } from '../pools.ts';
import { admin, makeKey, sharedStack } from '../shared-stack.ts';
import {
  isEnd,
  openResponses,
  readResponse,
  type ResponsesSocket,
  type SocketEvent,
} from '../websocket-client.ts';

const at = sharedStack();
const books = openBooks(at.databaseUrl);
const TOOL = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather of a city',
  strict: false,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const model = modelOn('openai-responses');
const say = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const script = (how: object) => ({ headers: { 'x-sim-script': JSON.stringify(how) } });

let key: string;
beforeAll(async () => {
  key = await makePools(at, 'websocket');
}, 60_000);
afterAll(() => books.close());

const sockets: ResponsesSocket[] = [];
async function open(options?: Parameters<typeof openResponses>[2], by = key): Promise<ResponsesSocket> {
  const opened = await openResponses(at.baseUrl, by, options);
  sockets.push(opened);
  return opened;
}
afterEach(() => {
  for (const { socket } of sockets.splice(0)) socket.terminate();
});

/** What a request was counted and charged; of no request it is the same twice by chance. */
async function readCharge(requestId: string) {
  const { tokens_input, tokens_output, tokens_cache_read, cost_pico, outcome, stream } =
    await books.usage(requestId);
  return { tokens_input, tokens_output, tokens_cache_read, cost_pico, outcome, stream };
}

describe.each(CLIENT_PROTOCOLS)('on an upstream that speaks %s', (format) => {
  test('an agent warms up, calls a tool and goes on from each answer, and pays what POSTs cost', async () => {
    const connection = await open();
    const common = { model: modelOn(format), store: false, tools: [TOOL], instructions: 'Be brief.' };
    const warm = readResponse(await connection.ask({ ...common, input: [say('Hello')], generate: false }));
    expect(warm.response).toMatchObject({ status: 'completed', output: [], usage: { total_tokens: 0 } });

    const question = say('Use tool please');
    const first = readResponse(
      await connection.ask({ ...common, input: [question], previous_response_id: warm.response.id }),
    );
    const calls = first.response.output.filter(({ type }) => type === 'function_call');
    expect(calls).toMatchObject([{ name: 'get_weather', arguments: '{"city":"Paris"}' }]);
    const result = { type: 'function_call_output', call_id: calls[0]?.call_id, output: 'Sunny' };
    const second = readResponse(
      await connection.ask({ ...common, input: [result], previous_response_id: first.response.id }),
    );
    expect(second.text).toContain('Sunny');

    const { output } = first.response;
    for (const [socket, input] of [
      [first, [say('Hello'), question]],
      [second, [say('Hello'), question, ...output, result]],
    ] as const) {
      const { headers, text } = await call(`${at.baseUrl}/v1/responses`, {
        headers: { authorization: `Bearer ${key}` },
        body: { ...common, stream: true, input },
      });
      expect(text).toContain('response.completed');
      const [charge, ofPost] = await Promise.all([
        readCharge(socket.requestId),
        readCharge(headers.get('x-request-id') ?? ''),
      ]);
      expect(charge).toEqual(ofPost);
      expect(charge).toMatchObject({ outcome: 'completed', stream: true });
    }
    expect(
      await books.one('SELECT count(*)::int AS rows FROM billing.usage WHERE request_id = $1', [
        warm.requestId,
      ]),
    ).toEqual({ rows: 0 });
  });

  test('the events are those of the POST', async () => {
    const connection = await open();
    const body = { model: modelOn(format), input: 'Hello there', store: false };
    const events = await connection.ask(body);
    const { text } = await call(`${at.baseUrl}/v1/responses`, {
      headers: { authorization: `Bearer ${key}` },
      body: { ...body, stream: true },
    });
    const posted = text
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice(6)) as SocketEvent);
    const types = (each: readonly SocketEvent[]) => each.map(({ type, delta }) => [type, delta]);
    expect(types(events)).toEqual(types(posted));
    const [{ headers, ...first } = { type: '' }, ...rest] = events;
    expect(headers).toMatchObject({ 'x-request-id': expect.stringMatching(/^req_/) });
    expect([first, ...rest].map((event) => Object.keys(event))).toEqual(
      posted.map((event) => Object.keys(event)),
    );
  });
});

describe.each([
  ['openai 7', OpenAI7, ResponsesWS7],
  ['openai 6', OpenAI6 as unknown as typeof OpenAI7, ResponsesWS6 as unknown as typeof ResponsesWS7],
])('the WebSocket of %s', (_version, OpenAI, ResponsesWS) => {
  test('answers, and tells an error', async () => {
    const client = new OpenAI({ baseURL: `${at.baseUrl}/v1`, apiKey: key, maxRetries: 0 });
    const connection = new ResponsesWS(client);
    const texts: string[] = [];
    const ended = Promise.withResolvers<unknown>();
    const failed = Promise.withResolvers<Error>();
    connection.on('response.output_text.delta', ({ delta }) => texts.push(delta));
    connection.on('response.completed', ({ response }) => ended.resolve(response.usage));
    connection.on('error', (error) => failed.resolve(error));
    connection.send({ type: 'response.create', model, input: 'Hello there' });
    expect(await ended.promise).toMatchObject({ input_tokens: 2, output_tokens: 3 });
    expect(texts.join('')).toBe('Echo: Hello there');
    connection.send({ type: 'response.create', model: 'no-such-model', input: 'Hello' });
    expect((await failed.promise).message).toContain('no-such-model');
    connection.close();
  });
});

describe('opening', () => {
  const refusal = (options: Parameters<typeof openResponses>[2], by = key) =>
    expect(openResponses(at.baseUrl, by, options)).rejects;

  test('a wrong key is a 401, and no key opens with an Idempotency-Key', async () => {
    await refusal({}, `sk-${'a'.repeat(48)}`).toThrow('401');
    await refusal({ headers: { 'idempotency-key': 'one' } }).toThrow('400');
  });

  test('neither compression nor a subprotocol is taken', async () => {
    const { socket } = await open({ perMessageDeflate: true });
    expect(socket.extensions).toBe('');
  });
});

describe('messages', () => {
  test.each([
    ['what is no JSON', '{', 400, null],
    ['a list', '[]', 400, null],
    ['another type', '{"type":"session.update"}', 400, 'type'],
    ['a stream without a name', '{"type":"response.create","stream_id":""}', 400, 'stream_id'],
    ['work in the background', '{"type":"response.create","background":true}', 400, 'background'],
    ['another word for it', '{"type":"response.create","background":"yes"}', 400, 'background'],
    ['no model', '{"type":"response.create","input":"Hello"}', 400, 'model'],
    ['levels without end', `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 400, null],
  ])('%s is refused, and the next one is served', async (_what, message, status, param) => {
    const connection = await open();
    connection.socket.send(message);
    expect(await connection.next(isEnd)).toMatchObject({ type: 'error', status, error: { param } });
    const events = await connection.ask({ model, input: 'Hello' });
    expect(readResponse(events).text).toBe('Echo: Hello');
  });

  test('an answer that nobody keeps is named by the code that has clients send everything', async () => {
    const connection = await open();
    const [error] = await connection.ask({
      model: modelOn('openai-chat'),
      input: 'Hello',
      previous_response_id: `resp_${'0'.repeat(40)}`,
    });
    expect(error).toMatchObject({
      status: 400,
      error: { code: 'previous_response_not_found', param: 'previous_response_id' },
    });
  });

  test('streams run side by side and say their names, and each of them in its order', async () => {
    const connection = await open(script({ chunk_delay_ms: 10, words: 20 }));
    for (const [stream_id, input] of [
      ['a', 'one'],
      ['b', 'two'],
      ['a', 'three'],
    ])
      connection.send({ type: 'response.create', model, stream_id, input });
    await waitFor(() => connection.events.filter(isEnd).length === 3, 'three answers', 20_000);
    const order = connection.events.filter(
      ({ type }) => type === 'response.created' || type === 'response.completed',
    );
    const of = (id: string) => order.filter(({ stream_id }) => stream_id === id).map(({ type }) => type);
    expect(of('a')).toEqual([
      'response.created',
      'response.completed',
      'response.created',
      'response.completed',
    ]);
    expect(order.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.created']);
  });

  test('steering is refused with the words that go back into the conversation', async () => {
    const connection = await open();
    connection.send({ type: 'response.steer', previous_response_id: 'resp_1', input: 'Stop' });
    const event = await connection.next(({ type }) => type === 'response.steer.failed');
    expect(event).toMatchObject({
      error: { code: 'steering_not_supported' },
      steer: { previous_response_id: 'resp_1', input: 'Stop' },
    });
  });
});

describe('what ends a connection', () => {
  test('a key that is disabled: what is under way is answered, then it closes with 1008', async () => {
    const made = await makeKey(at, { group: 'websocket' });
    const idle = await open({}, made.key);
    const busy = await open(script({ chunk_delay_ms: 150, words: 20 }), made.key);
    busy.send({ type: 'response.create', model, input: 'Hello' });
    await busy.next(({ type }) => type === 'response.created');
    await admin(at, 'PATCH', `/api/keys/${made.id}`, { status: 'disabled' });
    expect(await idle.closed).toBe(1008);
    expect(idle.events).toMatchObject([{ type: 'error', status: 401, error: { code: 'api_key_disabled' } }]);
    expect(await busy.closed).toBe(1008);
    expect(busy.events.map(({ type }) => type)).toContain('response.completed');
  });

  test('a client that leaves in the middle pays as one that leaves its POST', async () => {
    const connection = await open(script({ chunk_delay_ms: 120, words: 40 }));
    connection.send({ type: 'response.create', model, input: 'Hello' });
    const first = await connection.next(({ type }) => type === 'response.created');
    await connection.next(({ type }) => type === 'response.output_text.delta');
    connection.socket.terminate();
    const row = await waitFor(
      () => books.usage(first.headers?.['x-request-id'] ?? '').catch(() => undefined),
      'the row of the answer that nobody read',
      20_000,
    );
    expect(row).toMatchObject({ outcome: 'client_aborted', usage_source: 'upstream', tokens_output: '40' });
  });

  test('no credit is an error, and not the end', async () => {
    const name = `poor ${randomBytes(4).toString('hex')}`;
    const { id } = await admin(at, 'POST', '/api/accounts', { name, mode: 'prepaid' });
    const made = await makeKey(at, { account_id: id, group: 'websocket' });
    const connection = await open({}, made.key);
    for (let times = 0; times < 2; times += 1)
      expect(await connection.ask({ model, input: 'Hello' })).toMatchObject([
        { type: 'error', status: 429, error: { code: 'insufficient_quota' } },
      ]);
  });
});

describe('clients that mean harm', () => {
  test('bytes that are no text close it with 1003, too many of them with 1009', async () => {
    const binary = await open();
    binary.socket.send(Buffer.from('{}'));
    expect(await binary.closed).toBe(1003);
    const giant = await open();
    giant.socket.send('x'.repeat(33 * 1024 * 1024));
    expect(await giant.closed).toBe(1009);
  });

  test('who is refused a hundred times in a row is cut off', async () => {
    const connection = await open();
    for (let times = 0; times < 200; times += 1) connection.socket.send('{');
    expect(await connection.closed).toBe(1008);
    expect(connection.events.length).toBeLessThanOrEqual(101);
  });

  test('of what comes at once sixteen are taken', async () => {
    const connection = await open(script({ first_delay_ms: 3_000 }));
    for (let times = 0; times < 20; times += 1)
      connection.send({ type: 'response.create', model, input: 'Hello', stream_id: `s${times}` });
    await waitFor(() => connection.events.filter(isEnd).length === 20, 'twenty answers', 20_000);
    const refused = connection.events.filter(({ type }) => type === 'error');
    expect(refused).toHaveLength(4);
    expect(refused[0]).toMatchObject({ status: 429, stream_id: 's16' });
  });

  test('a message in thousands of pieces is refused as a whole', async () => {
    const { socket, closed } = await open();
    for (let pieces = 0; pieces < 5_000; pieces += 1) socket.send(' ', { fin: false });
    expect(await closed).toBe(1008);
  });
});
