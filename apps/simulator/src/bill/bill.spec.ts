import {
  anthropicMessages,
  ask,
  type Dialect,
  gemini,
  openaiChat,
  openaiResponses,
} from '../../testing/dialects.ts';
import { type RunningSimulator, startSimulator } from '../simulator.ts';
import type { CredentialBill } from './bill.ts';

let simulator: RunningSimulator;
beforeEach(async () => {
  simulator = await startSimulator();
});
afterEach(() => simulator.close());

const control = (method: string, path: string, body?: object) =>
  fetch(`${simulator.url}/__sim/${path}`, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
const readBill = async () => (await (await control('GET', 'bill')).json()) as CredentialBill[];

const PRICES = {
  'sim-model': {
    per_million: {
      input: '3',
      cached_input: '0.3',
      cache_write: '3.75',
      cache_write_1h: '6',
      audio_input: '40',
      image_input: '5',
      output: '15',
      audio_output: '80',
    },
    per_thousand: { search: '10', fetch: '1', file_search: '2.5', container: '30' },
    tiers: { priority: '2', flex: '0.5', fast: '6' },
    regions: { us: '1.1' },
  },
  'gpt-image-1': {
    per_million: {
      input: '5',
      cached_input: '1.25',
      image_input: '10',
      cached_image_input: '2.5',
      output: '20',
      image_output: '40',
    },
  },
};

const usage = { input: 1_000, output: 100, cache_read: 400, cache_write: 200, reasoning: 30 };

test.each<[what: string, Dialect, script: object, pico: bigint]>([
  // (400 × 3 + 400 × 0.3 + 200 × 3.75 + 100 × 15) USD a million
  ['Chat: tokens', openaiChat, { usage }, 3_570_000_000n],
  [
    'Chat: sound and pictures',
    openaiChat,
    { usage: { input: 100, output: 50, audio_in: 20, image_in: 10, audio_out: 40 } },
    // 70 × 3 + 20 × 40 + 10 × 5 + 10 × 15 + 40 × 80
    4_410_000_000n,
  ],
  ['Chat: tokens of a tier', openaiChat, { usage, tier: 'priority' }, 7_140_000_000n],
  [
    'Chat: searches cost the same in each tier',
    openaiChat,
    { usage, tier: 'flex', searches: 3, search_words: 'xai' },
    1_785_000_000n + 30_000_000_000n,
  ],
  [
    'Chat: a model that always searches costs one',
    openaiChat,
    { usage, searches: 3 },
    3_570_000_000n + 10_000_000_000n,
  ],
  [
    'Responses: searches, not pages; containers, not calls',
    openaiResponses,
    { usage, searches: 2, pages_opened: 5, file_searches: 2, containers: 2, code_calls: 7 },
    3_570_000_000n + 20_000_000_000n + 5_000_000_000n + 60_000_000_000n,
  ],
  [
    'Responses: what is drawn, at the prices of the model that draws, in whatever tier',
    openaiResponses,
    {
      usage,
      tier: 'priority',
      drawing: {
        input_text: 30,
        input_image: 20,
        cached_text: 10,
        cached_image: 5,
        output_text: 2,
        output_image: 100,
      },
    },
    // 20 × 5 + 15 × 10 + 10 × 1.25 + 5 × 2.5 + 2 × 20 + 100 × 40
    7_140_000_000n + 4_315_000_000n,
  ],
  [
    'Messages: tier, region and tools',
    anthropicMessages,
    {
      usage: { ...usage, cache_write_1h: 100 },
      tier: 'fast',
      region: 'us',
      searches: 1,
      fetches: 2,
      containers: 1,
    },
    // (300 × 3 + 400 × 0.3 + 200 × 3.75 + 100 × 6 + 100 × 15) × 6 × 1.1
    (3_870_000_000n * 66n) / 10n + 10_000_000_000n + 2_000_000_000n + 30_000_000_000n,
  ],
  [
    'Gemini: each query',
    gemini,
    { usage: { input: 100, output: 10, cache_read: 50, audio_in: 10, reasoning: 5 }, searches: 4 },
    // 40 × 3 + 50 × 0.3 + 10 × 40 + 10 × 15
    685_000_000n + 40_000_000_000n,
  ],
])('%s', async (_what, dialect, script, pico) => {
  await control('PUT', 'prices', PRICES);
  for (const stream of [false, true]) await ask(simulator.url, dialect, { script, stream });
  const [bill, ...others] = await readBill();
  expect(others).toEqual([]);
  expect(bill).toMatchObject({ credential: 'test', requests: 2, unpriced: [] });
  expect(bill?.latest.map(({ amount_pico }) => amount_pico)).toEqual([String(pico), String(pico)]);
  expect(bill?.amount_pico).toBe(String(2n * pico));
});

test('Gemini up to 2: a prompt that is grounded is charged once', async () => {
  await control('PUT', 'prices', { 'gemini-2.5-flash': PRICES['sim-model'] });
  const old = { ...gemini, path: () => '/v1beta/models/gemini-2.5-flash:generateContent' };
  await ask(simulator.url, old, { script: { searches: 4, usage: { input: 0, output: 0 } } });
  expect(await readBill()).toMatchObject([{ amount_pico: '10000000000' }]);
});

test('each line tells its model, kind, tier and count; what has no price is named', async () => {
  await control('PUT', 'prices', PRICES);
  const script = { usage: { input: 2, output: 0, cache_read: 1 }, tier: 'scale', searches: 1 };
  await ask(simulator.url, openaiResponses, { text: 'Draw', script });
  const at = { model: 'sim-model', tier: 'scale', region: null };
  expect(await readBill()).toMatchObject([
    {
      latest: [
        {
          asked: 'Draw',
          lines: [
            { ...at, kind: 'input', count: 1 },
            { ...at, kind: 'cached_input', count: 1 },
            { ...at, kind: 'search', count: 1, amount_pico: '10000000000' },
          ],
        },
      ],
      unpriced: ['sim-model: the tier scale'],
    },
  ]);
});

test('a bill is kept only where there are prices, for each credential, until it is forgotten', async () => {
  await ask(simulator.url, openaiChat);
  expect(await readBill()).toEqual([]);
  await control('PUT', 'prices', PRICES);
  for (const credential of ['a', 'b', 'b'])
    await ask(simulator.url, openaiChat, { headers: { authorization: `Bearer ${credential}` } });
  await ask(simulator.url, openaiChat, { script: { status: 500 } });
  expect((await readBill()).map(({ credential, requests }) => [credential, requests])).toEqual([
    ['a', 1],
    ['b', 2],
  ]);
  await control('DELETE', 'bill');
  expect(await readBill()).toEqual([]);
});

test.each([{ m: {} }, { m: { per_million: { input: 3 } } }, { m: { per_million: { input: '0.0000001' } } }])(
  'the prices %j are refused',
  async (prices) => {
    const answer = await control('PUT', 'prices', prices);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('The prices cannot be read');
  },
);
