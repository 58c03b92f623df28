/*
 * Clients of Jina and of Cohere rank documents on upstreams of three formats, and moderations pass. What is charged is held
 * against the simulator's own bill.
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
const byTokens = { operations: ['rerank'], prices: { input: 20_000, output: 0 } };
const byUnits = {
  operations: ['rerank'],
  prices: { input: 0, output: 0 },
  unit_prices: { rerank_units: 2_000_000_000 },
};
const protocols = ['openai-chat'];
const perToken = { per_million: { input: '0.02' } };
const perSearch = { per_million: {}, per_thousand: { rerank: '2' } };
const MODELS = {
  jina: { model: byTokens, upstream: { protocols }, atVendor: perToken },
  cohere: {
    model: byUnits,
    upstream: { protocols, task_formats: { rerank: 'cohere' } },
    atVendor: perSearch,
  },
  tei: {
    model: byUnits,
    upstream: { protocols, task_formats: { rerank: 'tei' }, max_inputs: 2 },
    atVendor: perSearch,
  },
  moderation: {
    model: { operations: ['moderate'], prices: { input: 0, output: 0 }, request_price: 100 },
    upstream: { protocols },
    atVendor: { per_million: {} },
  },
};
const RANKERS = ['jina', 'cohere', 'tei'] as const;

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

const DOCUMENTS = [
  'Rome is in Italy',
  'the capital of France is Paris',
  'cheese',
  'France is big and far away',
];
const rerank = (name: keyof typeof MODELS, more: object = {}, path = '/v1/rerank') =>
  call(`${at.baseUrl}${path}`, {
    headers: { authorization: `Bearer ${made.key}` },
    body: {
      model: made.names[name],
      query: `capital of France ${randomUUID()}`,
      documents: DOCUMENTS,
      ...more,
    },
  });

async function readBill(credential: string): Promise<string> {
  const answer = await fetch(`${simulator.url}/__sim/bill`);
  const bills = (await answer.json()) as { credential: string; amount_pico: string }[];
  return bills.find((each) => each.credential === credential)?.amount_pico ?? '0';
}

describe.each(RANKERS)('an upstream of kind %s', (name) => {
  test.each(['/v1/rerank', '/v2/rerank', '/rerank'])('ranks at %s', async (path) => {
    const answer = await rerank(
      name,
      { top_n: 2, ...(path === '/v2/rerank' ? {} : { return_documents: true }) },
      path,
    );
    expect([answer.status, answer.json?.['results']]).toMatchObject([200, [{ index: 1 }, { index: 3 }]]);
    const [best] = (answer.json?.['results'] ?? []) as unknown as { document?: { text: string } }[];
    if (path !== '/v2/rerank') expect(best?.document).toEqual({ text: DOCUMENTS[1] });
  });

  test('is charged once, as its vendor charges', async () => {
    await fetch(`${simulator.url}/__sim/bill`, { method: 'DELETE' });
    const row = await books.usage(requestId(await rerank(name)));
    const cost = name === 'tei' ? '2000000000' : await readBill(made.names[name]);
    expect(row).toMatchObject({ operation: 'rerank', cost_pico: cost });
    expect(Number(cost)).toBeGreaterThan(0);
    if (name !== 'jina') expect(row).toMatchObject({ units_rerank_units: '1' });
  });

  test('is told what is wrong in the words of every client', async () => {
    const answer = await rerank(name, { documents: [] }, '/v2/rerank');
    expect([answer.status, answer.json]).toMatchObject([
      400,
      { message: expect.stringContaining('documents'), error: { param: 'documents' } },
    ]);
  });
});

test('two hundred documents are two searches', async () => {
  const documents = Array.from({ length: 200 }, (_, index) => `document ${index}`);
  const row = await books.usage(requestId(await rerank('cohere', { documents })));
  expect(row).toMatchObject({ units_rerank_units: '2', cost_pico: '4000000000', usage_source: 'upstream' });
});

describe.each([
  ['openai 7', OpenAI7],
  ['openai 6', OpenAI6 as unknown as typeof OpenAI7],
])('%s', (_version, OpenAI) => {
  const connect = () => new OpenAI({ baseURL: `${at.baseUrl}/v1`, apiKey: made.key, maxRetries: 0 });

  test('moderates, and pays for the request', async () => {
    const ask = { model: made.names.moderation, input: ['Hello', 'I do harm'] };
    const { data, request_id } = await connect().moderations.create(ask).withResponse();
    expect(data.results.map(({ flagged }) => flagged)).toEqual([false, true]);
    expect(await books.usage(request_id ?? '')).toMatchObject({
      operation: 'moderate',
      cost_pico: '100000000',
    });
  });

  test('is told of a model that is none for it', async () => {
    const ask = connect().moderations.create({ model: made.names.jina, input: 'a' });
    await expect(ask).rejects.toThrow(OpenAI.BadRequestError);
    // The one that OpenAI takes where none is named is not here.
    await expect(connect().moderations.create({ input: 'a' })).rejects.toMatchObject({ param: 'model' });
  });
});
