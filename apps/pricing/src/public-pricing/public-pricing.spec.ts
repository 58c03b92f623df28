import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { completePrices } from '@tollgate/catalogue';
import { makeModel, smallCatalogue } from '../../testing/catalogues.ts';
import {
  type TestEnvironment,
  type RunningPricing,
  startTestEnvironment,
  startPricingOn,
} from '../../testing/pricing-service.ts';

const by = { actor: 'owner@pricing.example', reason: 'test' };
const golden = readFile(join(import.meta.dirname, 'golden', 'small-catalogue.json'), 'utf8');
/** JSON without white space between its parts; every number keeps its digits. */
const compact = (json: string) => json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');

let environment: TestEnvironment;
let pricing: RunningPricing;
beforeEach(async () => {
  environment = await startTestEnvironment();
  pricing = await startPricingOn(environment, {
    PUBLIC_REQUESTS_PER_MINUTE: '6',
    TRUSTED_PROXIES: '127.0.0.1',
  });
});
afterEach(async () => {
  await pricing.stop();
  await environment.stop();
});

const publish = async () =>
  (await environment.store.publish([{ op: 'replace', catalogue: smallCatalogue() }], by)).snapshot;
const get = (query = '', headers: Record<string, string> = {}) =>
  fetch(`${pricing.url}/api/pricing${query}`, { headers });

test('the body is, digit for digit, what clients of such relays read', async () => {
  const snapshot = await publish();
  const answer = await get();
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('x-pricing-version')).toBe('1');
  const body = (await answer.text()).replace(snapshot.published_at, '2026-01-01T00:00:00.000Z');
  expect(body).toBe(compact(await golden));
});

test.each([
  ['model_ratio', { input: 1, output: 0 }, '0.0000005'],
  ['model_ratio', { input: 2_200_000, output: 0 }, '1.1'],
  ['completion_ratio', { input: 700_000, output: 2_310_000 }, '3.3'],
  ['cache_ratio', { input: 3, cache_read: 2, output: 0 }, '0.666666667'],
  ['create_cache_ratio', { input: 10_000_000, cache_write: 12_500_000, output: 0 }, '1.25'],
  ['audio_completion_ratio', { input: 1, output: 1, input_audio: 700_000, output_audio: 70_000 }, '0.1'],
])('%s of %j is written without floating-point noise', async (ratio, prices, digits) => {
  const catalogue = { ...smallCatalogue(), models: [makeModel('exact', prices)], groups: [], pools: [] };
  await environment.store.publish([{ op: 'replace', catalogue }], by);
  const body = await (await get()).text();
  expect(body.match(new RegExp(`"${ratio}":([^,]+),`))?.[1]).toBe(digits);
});

test.each([
  ['a model that is paid by the request alone', { input: 0, output: 0 }, 12_345, 1, '0.012345'],
  ['a model that is paid by tokens and by the request', { input: 0, output: 1 }, 12_345, 0, '0'],
  ['a model that is paid by tokens', { input: 1, output: 1 }, 0, 0, '0'],
  ['a free model', { input: 0, output: 0 }, 0, 0, '0'],
])('%s has the quota type and price that clients know', async (_what, prices, request_price, type, price) => {
  const catalogue = {
    ...smallCatalogue(),
    models: [makeModel('exact', prices, { request_price })],
    groups: [],
    pools: [],
  };
  await environment.store.publish([{ op: 'replace', catalogue }], by);
  const body = await (await get()).text();
  expect(body).toContain(`"quota_type":${type},"model_price":${price},`);
  expect(JSON.parse(body)).toMatchObject({
    data: [{ request_price }],
    request_price_unit: 'micro-USD per request',
  });
});

test('tiers are shown beside the prices; what accounts pay less and upstreams charge is not', async () => {
  const base = smallCatalogue();
  const tier = {
    above_input_tokens: 200_000,
    prices: completePrices({ input: 6_000_000, output: 30_000_000 }),
  };
  const [east] = base.upstreams;
  if (!east) throw new Error('the small catalogue has an upstream');
  const costs = {
    prices: completePrices({ input: 1_234_567, output: 7_654_321 }),
    tiers: [],
    request_price: 0,
    unit_prices: { searches: 3_141_592 },
    service_tiers: { priority: '6.283' },
    regions: { 'hidden-place': '1' },
  };
  const catalogue = {
    ...base,
    models: [
      makeModel('acme-large', { input: 3_000_000, output: 15_000_000 }, { tiers: [tier] }),
      ...base.models.slice(1),
    ],
    upstreams: [{ ...east, costs: { 'acme-large': costs }, cost_ratio: '0.4711' }],
    discounts: [{ account_id: '0198f1c2-7d1e-7000-8000-000000000001', models: ['*'], ratio: '0.8642' }],
  };
  await environment.store.publish([{ op: 'replace', catalogue }], by);
  const body = await (await get()).text();
  expect(JSON.parse(body)).toMatchObject({ data: [{ tiers: [tier] }, { tiers: [] }, { tiers: [] }] });
  const numbers = ['1234567', '7654321', '4711', '8642', '0198f1c2', '3141592', '6.283'];
  for (const secret of [...numbers, 'discount', 'cost', 'east', 'hidden-place'])
    expect(body).not.toContain(secret);
});

test('what is charged beside tokens is told of every model, and of one that says nothing that there is nothing', async () => {
  const beside = {
    unit_prices: { searches: 10_000_000_000, container_sessions: 30_000_000_000 },
    service_tiers: { priority: '2', flex: '0.5' },
    regions: { us: '1.1' },
    features: { web_search: 'priced', service_tier: 'priced', web_fetch: 'free' },
    image_models: ['tokens-alone'],
  } as const;
  const models = [
    makeModel('beside', { input: 1, output: 2 }, { ...beside, image_models: ['tokens-alone'] }),
    makeModel('tokens-alone', { input: 1, output: 2 }),
  ];
  const catalogue = { ...smallCatalogue(), models, groups: [], pools: [] };
  await environment.store.publish([{ op: 'replace', catalogue }], by);
  expect(await (await get()).json()).toMatchObject({
    data: [beside, { unit_prices: {}, service_tiers: {}, regions: {}, features: {}, image_models: [] }],
    unit_price_unit: 'micro-USD per million units',
  });
});

test('an ETag that still holds is answered with 304 and no body, until prices change', async () => {
  await publish();
  const etag = (await get()).headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[^"]+"$/);
  for (const header of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const answer = await get('', { 'if-none-match': header });
    expect([answer.status, await answer.text()]).toEqual([304, '']);
    expect(answer.headers.get('etag')).toBe(etag);
  }
  await environment.store.publish([{ op: 'delete', section: 'models', name: 'umbra-free' }], by);
  const changed = await get('', { 'if-none-match': etag });
  expect(changed.status).toBe(200);
  expect(changed.headers.get('etag')).not.toBe(etag);
});

test('an earlier version is found by its number and by its hash, and may be cached for good', async () => {
  const first = await publish();
  await environment.store.publish([{ op: 'delete', section: 'models', name: 'umbra-free' }], by);
  expect(await (await get()).json()).toMatchObject({ snapshot_version: 2 });
  for (const version of ['1', first.hash]) {
    const answer = await get(`?version=${version}`);
    expect(answer.headers.get('cache-control')).toContain('immutable');
    expect(await answer.json()).toMatchObject({
      snapshot_version: 1,
      pricing_version: first.hash,
    });
  }
});

test('before anything is published there are no prices', async () => {
  const answer = await get();
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ error: { message: 'No prices are published yet.' } });
});

test('an unknown version is not found', async () => {
  await publish();
  expect((await get('?version=2')).status).toBe(404);
  expect((await get(`?version=${'0'.repeat(64)}`)).status).toBe(404);
});

test.each(['', 'newest', '-1', '1.0', '1e3', 'ABCDEF', '0'.repeat(63), '%00', '1&version=2'])(
  'the version "%s" is malformed',
  async (version) => {
    await publish();
    const answer = await get(`?version=${version}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error', param: 'version' } });
  },
);

test('one client address gets the allowed number of answers a minute, then 429 with the time to wait', async () => {
  await publish();
  const statuses: number[] = [];
  for (let request = 0; request < 6; request += 1) statuses.push((await get()).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200]);
  const refused = await get();
  expect(refused.status).toBe(429);
  const seconds = Number(refused.headers.get('retry-after'));
  expect(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60).toBe(true);
  expect(Number(refused.headers.get('retry-after-ms'))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({
    error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  });
});

test('a /64 of IPv6 is one client', async () => {
  await publish();
  const from = async (address: string) => (await get('', { 'x-forwarded-for': address })).status;
  for (let each = 0; each < 6; each += 1) expect(await from(`2001:db8:1:2:${each}::`)).toBe(200);
  expect([await from('2001:db8:1:2:ffff::'), await from('2001:db8:1:3::')]).toEqual([429, 200]);
});
