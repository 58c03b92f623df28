/*
 * Models of Vertex embed for clients of OpenAI, in both ways in which it is asked. The vectors are held against those that the
 * simulator makes of the same texts, and the charge against its own bill.
 */
import { randomUUID } from 'node:crypto';
import { makeVector } from '@tollgate/simulator/embedding';
import { type Books, openBooks } from '../books.ts';
import { call } from '../call.ts';
import { type OwnSimulator, requestId, startOwnSimulator } from '../pools/own-pool.ts';
import { buildDoorUpstream } from '../pools.ts';
import { sharedStack } from '../shared-stack.ts';
import { makeTaskModels } from './task-models.ts';

const at = sharedStack();
const model = { operations: ['embed'], prices: { input: 130_000, output: 0 }, context_window: 8_192 };
const atVendor = { per_million: { input: '0.13' } };

let simulator: OwnSimulator;
let books: Books;
beforeAll(async () => {
  simulator = await startOwnSimulator();
  books = openBooks(at.databaseUrl);
});
afterAll(async () => {
  await books.close();
  await simulator.close();
});

// The prices of its vendor are in place of all others.
test('models on Vertex embed at its own paths, one text a call, and are charged as the vendor does', async () => {
  const door = await buildDoorUpstream({ ...at, simulatorUrl: simulator.url }, 'vertex-gemini');
  const upstream = { ...door, task_formats: { embed: 'vertex' } };
  const made = await makeTaskModels(at, simulator.url, {
    'text-embedding-005': { model, upstream, atVendor },
    'gemini-embedding-2': { model, upstream, atVendor },
  });
  for (const [name, verb] of [
    ['text-embedding-005', 'predict'],
    ['gemini-embedding-2', 'embedContent'],
  ] as const) {
    await simulator.reset();
    await fetch(`${simulator.url}/__sim/bill`, { method: 'DELETE' });
    const input = [`${randomUUID()} one`, `${randomUUID()} two`];
    const answer = await call(`${at.baseUrl}/v1/embeddings`, {
      headers: { authorization: `Bearer ${made.key}` },
      body: { model: made.names[name], input, encoding_format: 'float' },
    });
    expect([answer.status, answer.json?.['data']]).toMatchObject([
      200,
      input.map((text, index) => ({ index, embedding: makeVector(text) })),
    ]);
    const asked = (await simulator.requests()).filter(({ url }) => url.includes(made.names[name]));
    const path = '/google/v1/projects/sim/locations/eu/publishers/google/models';
    expect(asked.map(({ url }) => url)).toEqual(Array(2).fill(`${path}/${made.names[name]}:${verb}`));
    const bills = (await (await fetch(`${simulator.url}/__sim/bill`)).json()) as { amount_pico: string }[];
    expect(await books.usage(requestId(answer))).toMatchObject({
      operation: 'embed',
      usage_source: 'upstream',
      tokens_input: '4',
      cost_pico: bills[0]?.amount_pico,
    });
  }
});
