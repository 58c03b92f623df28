/*
 * What a person does first with a real provider, from the terminal: lists them, tries one, lets it serve, and reads a price file.
 * The provider stands at a simulator, behind the door of its vendor, which refuses what the vendor refuses.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@tollgate/harness';
import { openBooks } from '../books.ts';
import { call } from '../call.ts';
import { ask, keyFor, ownName, type OwnSimulator, requestId, startOwnSimulator } from '../pools/own-pool.ts';
import { admin, sharedStack } from '../shared-stack.ts';
import { type Ended, tollgate } from './tollgate.ts';

const at = sharedStack();
const books = openBooks(at.databaseUrl);
let vendor: OwnSimulator;
beforeAll(async () => {
  vendor = await startOwnSimulator();
});
afterAll(async () => {
  await Promise.all([vendor.close(), books.close()]);
});

/** No other test asks for this model of Perplexity's list. */
const MODEL = 'sonar-reasoning-pro';
const addProvider = (
  provider: string,
  name: string,
  models: readonly string[],
  more: readonly string[] = [],
) =>
  tollgate(
    [
      ...['provider', 'add', provider, '--name', name, '--models', models.join(','), '--allow-private'],
      ...['--base-url', `${vendor.url}/vendors/${provider}`, ...more],
    ],
    { env: { TOLLGATE_PROVIDER_SECRET: `${provider}-key` } },
  );
const add = (name: string, more: readonly string[] = []): Promise<Ended> =>
  addProvider('perplexity', name, [MODEL], more);

/** Others publish at the same time, and then it is to be done again. */
async function forSure(again: () => Promise<Ended>): Promise<Ended> {
  let ended = await again();
  for (let tries = 1; tries < 5 && ended.exit !== 0; tries += 1) ended = await again();
  return ended;
}

test('providers are listed with what they ask for', async () => {
  const { exit, out } = await tollgate(['provider', 'list']);
  expect(exit).toBe(0);
  expect(out).toMatch(/^vertex +Google Vertex AI, Gemini +\d+ +project location/m);
  expect(out).toMatch(/^perplexity +Perplexity +3 +-/m);
});

test('a provider is tried first, added, and serves its model at its list price', async () => {
  const name = ownName('perplexity');
  const dry = await add(name, ['--dry-run']);
  expect(dry).toMatchObject({
    exit: 0,
    out: expect.stringContaining(`It would serve 1 models of Perplexity through the pool ${name}`),
  });
  expect((await admin(at, 'GET', '/api/catalogue')).catalogue.pools.map((pool) => pool.name)).not.toContain(
    name,
  );

  const added = await forSure(() => add(name));
  expect(added.err).toMatch(/sonar-reasoning-pro answered after \d+ ms/);
  expect(added).toMatchObject({
    exit: 0,
    out: expect.stringMatching(/Version \d+ serves 1 models of Perplexity/),
  });

  const key = await keyFor(at, 'default', [MODEL]);
  // Perplexity refuses tools; that is known of it, and the caller is notified of it.
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
  const answer = await waitFor(async () => {
    const each = await ask(at.baseUrl, { key, model: MODEL }, { body: { tools } });
    return each.status === 200 ? each : undefined;
  }, 'the provider to serve');
  expect(answer.headers.get('x-tollgate-dropped')).toBe('tools');
  const row = await books.usage(requestId(answer));
  expect(row).toMatchObject({ upstream: name, model: MODEL });
  // One word in at 2 USD, two out at 8 USD per million tokens, and 0.014 USD for the request.
  expect(row.cost_pico).toBe(String(1 * 2_000_000 + 2 * 8_000_000 + 14_000 * 1_000_000));
  const [sent] = await vendor.requests('perplexity-key');
  expect(sent?.url).toBe('/vendors/perplexity/chat/completions');

  expect(await add(name)).toMatchObject({ exit: 1, err: expect.stringContaining(`"${name}" already`) });
});

/** Names that no other test asks for, with what a request of two texts costs: tokens are words here. */
const TASK_PROVIDERS = [
  {
    provider: 'cohere',
    // 0.12 USD per million tokens, and 2 USD for a thousand searches.
    embed: { model: 'embed-v4.0', path: '/vendors/cohere/v2/embed', pico: 4 * 120_000 },
    rerank: { model: 'rerank-v4.0-fast', path: '/vendors/cohere/v2/rerank', pico: 2_000_000_000 },
  },
  {
    provider: 'jina',
    embed: { model: 'jina-embeddings-v3', path: '/vendors/jina/v1/embeddings', pico: 4 * 20_000 },
    // The query is read with each document.
    rerank: {
      model: 'jina-reranker-v2-base-multilingual',
      path: '/vendors/jina/v1/rerank',
      pico: 8 * 18_000,
    },
  },
];

test.each(TASK_PROVIDERS)(
  '$provider embeds and ranks at its list prices once it is added',
  async ({ provider, embed, rerank }) => {
    const name = ownName(provider);
    const added = await forSure(() => addProvider(provider, name, [embed.model, rerank.model]));
    expect(added).toMatchObject({ exit: 0, out: expect.stringMatching(/Version \d+ serves 2 models/) });
    const key = await keyFor(at, 'default', [embed.model, rerank.model]);
    const ask = (path: string, body: object) =>
      waitFor(async () => {
        const each = await call(`${at.baseUrl}${path}`, {
          headers: { authorization: `Bearer ${key}` },
          body,
        });
        return each.status === 200 ? each : undefined;
      }, 'the provider to serve');

    const texts = ['two words', 'or four'];
    const embedded = await ask('/v1/embeddings', { model: embed.model, input: texts });
    expect(embedded.json?.['data']).toHaveLength(2);
    const ranked = await ask('/v1/rerank', { model: rerank.model, query: 'or two', documents: texts });
    expect(ranked.json?.['results']).toHaveLength(2);

    for (const [answer, { path, pico }] of [
      [embedded, embed],
      [ranked, rerank],
    ] as const) {
      expect(await books.usage(requestId(answer))).toMatchObject({
        upstream: name,
        usage_source: 'upstream',
        cost_pico: String(pico),
      });
      expect((await vendor.requests(`${provider}-key`)).map(({ url }) => url)).toContain(path);
    }
  },
);

test('a provider that does not work is not published', async () => {
  const name = ownName('perplexity');
  await vendor.script({ status: 401 });
  const { exit, err } = await add(name);
  await vendor.reset();
  expect(exit).toBe(1);
  expect(err).toContain('Perplexity does not work');
  expect(err).toContain('Nothing was published.');
  expect(err).not.toContain('perplexity-key');
  const { catalogue } = await admin(at, 'GET', '/api/catalogue');
  expect(catalogue.upstreams.map((upstream) => upstream.name)).not.toContain(name);
});

test('a price file goes into a draft, and one of a day later into the same', async () => {
  const [model, draft] = [ownName('fed'), ownName('prices')];
  await admin(at, 'PUT', `/api/catalogue/models/${model}`, {
    vendor: 'openai',
    prices: { input: 1_000_000, output: 2_000_000 },
  });
  const path = join(mkdtempSync(join(tmpdir(), 'tollgate-feed-')), 'prices.json');
  const feed = (input: string) => {
    writeFileSync(path, `{"${model}": {"input_cost_per_token": ${input}, "output_cost_per_token": 4e-6}}`);
    return tollgate(['prices', 'feed', path, '--draft', draft]);
  };
  const drafted = async () => {
    const { changes } = await admin(at, 'GET', `/api/catalogue/drafts/${draft}`);
    return changes.map((change) =>
      change.op === 'put' && change.section === 'models' ? change.entry.prices.input : undefined,
    );
  };
  const first = await feed('1.5e-06');
  expect(first).toMatchObject({ exit: 0, out: expect.stringContaining('1.00 -> 1.50') });
  expect(first.out).toContain(`The draft ${draft} holds them`);
  expect(await drafted()).toEqual([1_500_000]);
  expect(await feed('2.5e-06')).toMatchObject({ exit: 0 });
  expect(await drafted()).toEqual([2_500_000]);
  const { catalogue } = await admin(at, 'GET', '/api/catalogue');
  expect(catalogue.models.find(({ name }) => name === model)?.prices.input).toBe(1_000_000);
});
