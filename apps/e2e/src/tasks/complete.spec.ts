/*
 * The official SDKs complete texts, whole and as streams. What each is charged is held against the simulator's own bill, and
 * what the upstream was sent against what the client sent.
 */
import { randomUUID } from 'node:crypto';
import OpenAI7 from 'openai';
import OpenAI6 from 'openai-6';
import { type Books, openBooks } from '../books.ts';
import { call } from '../call.ts';
import { type OwnSimulator, requestId, startOwnSimulator } from '../pools/own-pool.ts';
import { sharedStack } from '../shared-stack.ts';
import { makeTaskModels } from './task-models.ts';

const at = sharedStack();
const model = { operations: ['complete'], prices: { input: 1_500_000, output: 2_000_000 } };
const atVendor = { per_million: { input: '1.5', output: '2' } };
const MODELS = {
  plain: { model, upstream: { protocols: ['openai-chat'] }, atVendor },
  short: {
    model: { ...model, max_output_tokens: 3 },
    upstream: { protocols: ['openai-chat'] },
    atVendor,
  },
};

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

const complete = (body: object, key = made.key) =>
  call(`${at.baseUrl}/v1/completions`, {
    headers: { authorization: `Bearer ${key}` },
    body: { model: made.names.plain, ...body },
  });

async function readBill(): Promise<string> {
  const answer = await fetch(`${simulator.url}/__sim/bill`);
  const bills = (await answer.json()) as { credential: string; amount_pico: string }[];
  return bills.find((each) => each.credential === made.names.plain)?.amount_pico ?? '0';
}
const forgetBill = () => fetch(`${simulator.url}/__sim/bill`, { method: 'DELETE' });

describe.each([
  ['openai 7', OpenAI7],
  ['openai 6', OpenAI6 as unknown as typeof OpenAI7],
])('%s', (_version, OpenAI) => {
  const connect = (apiKey = made.key) => new OpenAI({ baseURL: `${at.baseUrl}/v1`, apiKey, maxRetries: 0 });

  test('completes a text', async () => {
    const { choices, usage } = await connect().completions.create({
      model: made.names.plain,
      prompt: 'once upon a time',
      max_tokens: 3,
    });
    expect(choices).toMatchObject([{ index: 0, text: 'word1 word2 word3', finish_reason: 'length' }]);
    expect(usage).toEqual({ prompt_tokens: 4, completion_tokens: 3, total_tokens: 7 });
  });

  test.each([true, false])('streams, with usage only where it is asked for: %s', async (asks) => {
    const ask = connect().completions.create({
      model: made.names.plain,
      prompt: ['once upon', 'a time'],
      stream: true,
      ...(asks ? { stream_options: { include_usage: true } } : {}),
    });
    const { data, request_id } = await ask.withResponse();
    const texts = ['', ''];
    const usages: unknown[] = [];
    for await (const { choices, usage } of data) {
      for (const { index, text } of choices) texts[index] = (texts[index] ?? '') + text;
      if (usage) usages.push(usage);
      if (!asks) expect(choices).not.toEqual([]);
    }
    expect(texts).toEqual(['word1 word2 word3 word4 word5', 'word1 word2 word3 word4 word5']);
    expect(usages).toEqual(asks ? [{ prompt_tokens: 4, completion_tokens: 10, total_tokens: 14 }] : []);
    expect(await books.usage(request_id ?? '')).toMatchObject({
      operation: 'complete',
      stream: true,
      usage_source: 'upstream',
      tokens_input: '4',
      tokens_output: '10',
    });
  });

  test('is told of what is wrong by the class of its error', async () => {
    const ask = (body: object) =>
      connect().completions.create({ model: made.names.plain, prompt: 'a', ...body });
    await expect(ask({ max_tokens: -1 })).rejects.toThrow(OpenAI.BadRequestError);
    await expect(ask({ best_of: 21 })).rejects.toMatchObject({ status: 400, param: 'best_of' });
    await expect(ask({ model: 'nobody' })).rejects.toMatchObject({ status: 400, code: 'model_not_found' });
    await simulator.script({ status: 429, retry_after_s: 1 });
    await expect(ask({})).rejects.toThrow(OpenAI.RateLimitError);
    await expect(
      connect(`sk-${'x'.repeat(48)}`).completions.create({ model: made.names.plain, prompt: 'a' }),
    ).rejects.toThrow(OpenAI.AuthenticationError);
  });

  test('is told that a model for conversations completes no texts', async () => {
    const ask = connect(at.apiKey).completions.create({ model: 'sim-chat', prompt: 'a' });
    await expect(ask).rejects.toThrow(OpenAI.BadRequestError);
    await expect(ask).rejects.toMatchObject({
      param: 'model',
      message: expect.stringContaining('not supported in the v1/completions endpoint'),
    });
  });
});

test.each([
  ['a text', { prompt: 'once upon a time' }, 4, 5],
  ['texts', { prompt: ['once upon', 'a time'], n: 2 }, 4, 20],
  ['tokens', { prompt: [1, 2, 3] }, 3, 5],
  ['lists of tokens', { prompt: [[1], [2, 3]], max_tokens: 2 }, 3, 4],
  ['the best of several', { prompt: 'a', n: 1, best_of: 4 }, 1, 20],
  ['what stands between', { prompt: 'once', suffix: 'a time' }, 3, 5],
  ['probabilities', { prompt: 'once upon', echo: true, logprobs: 2, max_tokens: 0 }, 2, 0],
  ['a stream', { prompt: ['once upon', 'a time'], n: 2, stream: true }, 4, 20],
])('%s: is charged once, as the vendor does', async (_what, body, input, output) => {
  await forgetBill();
  const answer = await complete(body);
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('text_completion')]);
  const row = await books.usage(requestId(answer));
  expect(row).toMatchObject({
    tokens_input: String(input),
    tokens_output: String(output),
    usage_source: 'upstream',
    cost_pico: await readBill(),
  });
  expect(await books.entriesOf(requestId(answer))).toMatchObject({ sum: '0' });
});

test.each([false, true])('what is not reported is counted, of a stream: %s', async (stream) => {
  await simulator.script({ no_usage: true, words: 8 });
  const answer = await complete({ prompt: 'once upon a time', stream });
  const row = await books.usage(requestId(answer));
  expect(row).toMatchObject({ usage_source: 'estimated' });
  expect(Number(row.tokens_input)).toBeGreaterThanOrEqual(4);
  expect(Number(row.tokens_output)).toBeGreaterThanOrEqual(8);
});

test('a stream that breaks off is charged for what passed', async () => {
  await simulator.script({ cut_after_chunks: 3, words: 10 });
  const answer = await complete({ prompt: 'once upon a time', stream: true });
  expect(answer.text).toContain('"error"');
  const row = await books.usage(requestId(answer));
  expect(row).toMatchObject({ outcome: 'upstream_cut', usage_source: 'estimated' });
  expect(Number(row.tokens_output)).toBeLessThan(10);
});

test('who answers a stream whole, or a whole answer as a stream', async () => {
  await simulator.script({ stream: false });
  const streamed = await complete({ prompt: 'a', stream: true });
  expect(streamed.text).toMatch(/^data: \{.*\n\ndata: \[DONE\]\n\n$/s);
  expect(await books.usage(requestId(streamed))).toMatchObject({ tokens_output: '5' });
  await simulator.script({ stream: true });
  expect((await complete({ prompt: 'a' })).status).toBe(502);
});

test('bytes pass untouched, and no more is asked for than the model writes', async () => {
  const body = `{ "prompt":"${randomUUID()}",  "model":"${made.names.plain}" }`;
  const headers = { authorization: `Bearer ${made.key}` };
  await call(`${at.baseUrl}/v1/completions`, { headers, body });
  await complete({ model: made.names.short, prompt: 'a', max_tokens: 1_000 });
  const sent = (await simulator.requests()).filter(({ url }) => url === '/v1/completions');
  expect(sent.map((each) => each.body)).toEqual([body, expect.stringContaining('"max_tokens":3')]);
});

test('a request whose answers the account cannot pay for is refused before it is sent', async () => {
  const poor = await makeTaskModels(at, simulator.url, {
    dear: { ...MODELS.plain, model: { ...model, prices: { input: 0, output: 1_000_000_000_000 } } },
  });
  const ask = (n: number) =>
    complete({ model: poor.names.dear, prompt: ['a', 'b'], max_tokens: 100, n }, poor.key);
  expect((await ask(1)).status).toBe(200);
  const refused = await ask(6);
  expect([refused.status, refused.json?.['error']]).toMatchObject([429, { code: 'insufficient_quota' }]);
});
