/*
 * Clients of OpenAI and of Gemini embed texts on upstreams of every format. The vectors are held against those that the
 * simulator makes of the same texts, and the charge against its own bill.
 */
import { randomUUID } from 'node:crypto';
import * as genai3 from '@google/genai';
import * as genai2 from '@google/genai-2';
import OpenAI7 from 'openai';
import OpenAI6 from 'openai-6';
import { Agent, setGlobalDispatcher } from 'undici';
import { type Books, openBooks } from '../books.ts';
import { call } from '../call.ts';
import { type OwnSimulator, requestId, startOwnSimulator } from '../pools/own-pool.ts';
import { sharedStack } from '../shared-stack.ts';
import { makeTaskModels } from './task-models.ts';

// The SDK asks the global object for fetch's dispatcher, and a Jest test has a global object of its own.
setGlobalDispatcher(new Agent());

const at = sharedStack();
const model = { operations: ['embed'], prices: { input: 130_000, output: 0 }, context_window: 8_192 };
const atVendor = { per_million: { input: '0.13' } };
const on = (upstream: object, more: object = {}) => ({ model: { ...model, ...more }, upstream, atVendor });
const MODELS = {
  openai: on({ protocols: ['openai-chat'] }),
  gemini: on({ protocols: ['gemini'] }),
  single: on({ protocols: ['gemini'], task_formats: { embed: 'gemini-single' } }),
  cohere: on({ protocols: ['openai-chat'], task_formats: { embed: 'cohere' } }),
  pairs: on({ protocols: ['openai-chat'], max_inputs: 2 }),
};
const UPSTREAMS = Object.keys(MODELS) as (keyof typeof MODELS)[];

let simulator: OwnSimulator;
let books: Books;
let made: Awaited<ReturnType<typeof makeTaskModels<keyof typeof MODELS>>>;
beforeAll(async () => {
  simulator = await startOwnSimulator();
  books = openBooks(at.databaseUrl);
  made = await makeTaskModels(at, simulator.url, MODELS);
});
afterEach(() => simulator.reset());
afterAll(async () => {
  await books.close();
  await simulator.close();
});

const embed = (name: keyof typeof MODELS, body: object, headers: Record<string, string> = {}) =>
  call(`${at.baseUrl}/v1/embeddings`, {
    headers: { authorization: `Bearer ${made.key}`, ...headers },
    body: { model: made.names[name], ...body },
  });

/** What the vendor itself makes of a text. */
async function readVector(text: string): Promise<number[]> {
  const { json } = await call(`${simulator.url}/v1/embeddings`, {
    headers: { authorization: 'Bearer nobody' },
    body: { model: 'any', input: text },
  });
  return json?.['data']?.[0]?.['embedding'] as unknown as number[];
}

const readFloats = (text: string) => {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
};

const texts = (count: number) => Array.from({ length: count }, (_, index) => `${randomUUID()} text ${index}`);

interface CredentialBill {
  readonly credential: string;
  readonly amount_pico: string;
}
async function readBill(credential: string): Promise<string> {
  const bills = (await (await fetch(`${simulator.url}/__sim/bill`)).json()) as CredentialBill[];
  return bills.find((each) => each.credential === credential)?.amount_pico ?? '0';
}
const forgetBill = () => fetch(`${simulator.url}/__sim/bill`, { method: 'DELETE' });

describe.each(UPSTREAMS)('an upstream of kind %s', (name) => {
  test.each(['float', 'base64'])('gives every vector in its place, as %s', async (encoding_format) => {
    const input = texts(5);
    const answer = await embed(name, { input, encoding_format });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"list"')]);
    const data = (answer.json?.['data'] ?? []) as unknown as {
      index: number;
      embedding: string | number[];
    }[];
    for (const [index, text] of input.entries()) {
      const found = data.find((each) => each.index === index)?.embedding ?? '';
      expect(typeof found === 'string' ? readFloats(found) : found).toEqual(await readVector(text));
    }
  });

  test('is charged as the vendor does, once', async () => {
    await forgetBill();
    const answer = await embed(name, { input: texts(5) });
    const row = await books.usage(requestId(answer));
    expect(row).toMatchObject({
      operation: 'embed',
      usage_source: 'upstream',
      tokens_input: '15',
      tokens_output: '0',
      cost_pico: await readBill(made.names[name]),
    });
    expect(BigInt(row.cost_pico)).toBe(15n * 130_000n);
    expect(await books.entriesOf(requestId(answer))).toMatchObject({ sum: '0' });
  });

  test('that reports no usage is charged by what we count', async () => {
    await simulator.script({ no_usage: true });
    const answer = await embed(name, { input: texts(3) });
    const { usage_source, tokens_input } = await books.usage(requestId(answer));
    expect(usage_source).toBe('estimated');
    expect(Number(tokens_input)).toBeGreaterThan(30);
  });
});

test.each(UPSTREAMS)('a client of Cohere embeds on %s', async (name) => {
  const said = texts(2);
  const answer = await call(`${at.baseUrl}/v2/embed`, {
    headers: { authorization: `Bearer ${made.key}` },
    body: { model: made.names[name], texts: said, input_type: 'search_query', embedding_types: ['float'] },
  });
  expect(answer.json).toMatchObject({
    embeddings: { float: await Promise.all(said.map(readVector)) },
    meta: { billed_units: { input_tokens: 6 } },
  });
  expect(await books.usage(requestId(answer))).toMatchObject({
    operation: 'embed',
    usage_source: 'upstream',
    tokens_input: '6',
  });
});

describe.each([
  ['openai 7', OpenAI7],
  ['openai 6', OpenAI6 as unknown as typeof OpenAI7],
])('%s', (_version, OpenAI) => {
  const connect = (apiKey = made.key) => new OpenAI({ baseURL: `${at.baseUrl}/v1`, apiKey, maxRetries: 0 });

  test.each(UPSTREAMS)('embeds on %s', async (name) => {
    const [first = '', second = ''] = texts(2);
    const { data, usage } = await connect().embeddings.create({
      model: made.names[name],
      input: [first, second],
    });
    expect(data.map(({ embedding }) => embedding).toSorted()).toEqual(
      [await readVector(first), await readVector(second)].toSorted(),
    );
    expect(usage).toEqual({ prompt_tokens: 6, total_tokens: 6 });
  });

  test('reads vectors of a server that ignores base64', async () => {
    await simulator.script({ ignores_encoding: true });
    const [text = ''] = texts(1);
    const { data } = await connect().embeddings.create({ model: made.names.openai, input: text });
    expect(data[0]?.embedding).toEqual(await readVector(text));
  });

  test('is told of what is wrong by the class of its error', async () => {
    const { openai, gemini } = made.names;
    const tokens = { model: gemini, input: [1, 2, 3] };
    await expect(connect().embeddings.create(tokens)).rejects.toThrow(OpenAI.BadRequestError);
    await expect(connect().embeddings.create(tokens)).rejects.toMatchObject({ param: 'input' });
    await expect(connect().embeddings.create({ model: openai, input: '' })).rejects.toMatchObject({
      status: 400,
      param: 'input',
    });
    await expect(
      connect(`sk-${'x'.repeat(48)}`).embeddings.create({ model: openai, input: 'a' }),
    ).rejects.toThrow(OpenAI.AuthenticationError);
    await simulator.script({ status: 429, retry_after_s: 1 });
    await expect(connect().embeddings.create({ model: openai, input: 'a' })).rejects.toThrow(
      OpenAI.RateLimitError,
    );
  });
});

describe.each([
  ['@google/genai 3', genai3],
  ['@google/genai 2', genai2 as unknown as typeof genai3],
])('%s', (_version, { GoogleGenAI, ApiError }) => {
  const connect = () =>
    new GoogleGenAI({
      apiKey: made.key,
      httpOptions: { baseUrl: at.baseUrl, retryOptions: { attempts: 1 } },
    });

  test.each(UPSTREAMS)('embeds on %s', async (name) => {
    const contents = texts(2);
    const { embeddings } = await connect().models.embedContent({ model: made.names[name], contents });
    const expected = await Promise.all(contents.map(readVector));
    expect(embeddings?.map(({ values }) => values)).toEqual(expected);
  });

  test('is told of what is wrong', async () => {
    const ask = connect().models.embedContent({ model: 'nobody', contents: 'a' });
    await expect(ask).rejects.toThrow(ApiError);
    await expect(ask).rejects.toMatchObject({ status: 400 });
  });
});

test('bytes pass untouched where the upstream speaks the format of the client', async () => {
  const body = `{ "input":"${randomUUID()}",  "model":"${made.names.openai}" }`;
  await call(`${at.baseUrl}/v1/embeddings`, { headers: { authorization: `Bearer ${made.key}` }, body });
  const sent = (await simulator.requests(made.names.openai)).find(({ url }) => url === '/v1/embeddings');
  expect(sent?.body).toBe(body);
});

test('a request that needs several calls fails as a whole, and what was paid for is a cost of ours', async () => {
  const mark = randomUUID();
  const input = [`${mark} a`, 'b', 'c [[sim {"status":400}]]', 'd'];
  const answer = await embed('pairs', { input });
  expect(answer.status).toBe(400);
  const lost = () =>
    books.one('SELECT * FROM billing.lost_attempt WHERE request_id = $1', [`${requestId(answer)}.1`]);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(await lost()).toMatchObject({ operation: 'embed', tokens_input: '3', cause: 'garbage' });
  expect(
    await books.one('SELECT count(*)::int AS n FROM billing.usage WHERE request_id = $1', [
      requestId(answer),
    ]),
  ).toEqual({ n: 0 });
});

describe('a model serves what it is for, and nothing else', () => {
  const chat = { messages: [{ role: 'user', content: 'Hello' }] };

  test.each([
    [
      'conversations of an embedding model',
      '/v1/chat/completions',
      () => ({ model: made.names.openai, ...chat }),
    ],
    ['embeddings of a conversation model', '/v1/embeddings', () => ({ model: 'sim-chat', input: 'a' })],
  ])('%s are refused before anything is sent or held', async (_what, path, body) => {
    const key = path.includes('chat') ? made.key : at.apiKey;
    const answer = await call(`${at.baseUrl}${path}`, {
      headers: { authorization: `Bearer ${key}` },
      body: body(),
    });
    expect([answer.status, answer.json?.['error']]).toMatchObject([
      400,
      { param: 'model', code: 'model_not_found', message: expect.stringMatching(/is not for .*, but for/) },
    ]);
    expect(await simulator.requests()).toEqual([]);
  });

  test('the lists of models say what each is for', async () => {
    const { json } = await call(`${at.baseUrl}/v1/models/${made.names.openai}`, {
      headers: { authorization: `Bearer ${made.key}` },
    });
    expect(json).toMatchObject({ supported_endpoint_types: ['embeddings'] });
    const prices = await call(`${at.baseUrl}/api/pricing`);
    const entries = (prices.json?.['data'] ?? []) as unknown as {
      model_name: string;
      operations: string[];
    }[];
    expect(entries.find(({ model_name }) => model_name === made.names.openai)).toMatchObject({
      operations: ['embed'],
      supported_endpoint_types: ['embeddings'],
    });
  });
});

test('a request that the account cannot pay for is refused before it is sent', async () => {
  const poor = await makeTaskModels(at, simulator.url, {
    dear: on({ protocols: ['openai-chat'] }, { prices: { input: 900_000_000_000, output: 0 } }),
  });
  const answer = await call(`${at.baseUrl}/v1/embeddings`, {
    headers: { authorization: `Bearer ${poor.key}` },
    body: { model: poor.names.dear, input: 'a'.repeat(2_000) },
  });
  expect([answer.status, answer.json?.['error']]).toMatchObject([429, { code: 'insufficient_quota' }]);
  expect(await simulator.requests(poor.names.dear)).toEqual([]);
});
