import type { AnswerOf, publicPrices } from '@tollgate/api';
import { freePort, waitFor } from '@tollgate/harness';
import { expectedCost, openBooks } from './books.ts';
import { call, GOOD } from './call.ts';
import { admin, sharedStack, makeKey } from './shared-stack.ts';

const at = sharedStack();
const books = openBooks(at.databaseUrl);
afterAll(() => books.close());

const chat = (url: string, key: string, model: string) =>
  call(`${url}${GOOD.chat.path}`, {
    headers: { authorization: `Bearer ${key}` },
    body: { ...GOOD.chat.body, model },
  });

test('a model that an admin adds is served and priced by every gateway soon', async () => {
  const { key } = await makeKey(at, { group: 'vip' });
  const { version } = await admin(at, 'PUT', '/api/catalogue/models/brand-new', {
    vendor: 'openai',
    prices: { input: 7_000_000, output: 9_000_000 },
  });
  // Unheard of it, a gateway would find it when it looks, every ten seconds.
  const deadline = Date.now() + 8_000;
  for (const url of at.gatewayUrls) {
    const served = await waitFor(
      async () => {
        const answer = await chat(url, key, 'brand-new');
        return answer.status === 200 ? answer : undefined;
      },
      'the new model',
      Math.max(1, deadline - Date.now()),
    );
    const row = await books.usage(served.headers.get('x-request-id') ?? '');
    expect(row.snapshot_version).toBeGreaterThanOrEqual(version);
    expect(BigInt(row.cost_pico)).toBe(await expectedCost(at, row));
    expect(row.cost_pico).toBe(String(((1 * 7_000_000 + 2 * 9_000_000) * 8) / 10));
  }
});

test('a new price holds for new requests; what was billed stays under the version it was admitted with', async () => {
  const { key } = await makeKey(at, { group: 'vip' });
  const price = (input: number) =>
    admin(at, 'PUT', '/api/catalogue/models/repriced', {
      vendor: 'openai',
      prices: { input, output: 0 },
    });
  const ask = async (minimum: number) =>
    waitFor(async () => {
      const { status, headers } = await chat(at.baseUrl, key, 'repriced');
      if (status !== 200) return undefined;
      const row = await books.usage(headers.get('x-request-id') ?? '');
      return row.snapshot_version >= minimum ? row : undefined;
    }, 'a request under the new version');
  const first = await price(1_000_000);
  const before = await ask(first.version);
  const second = await price(2_000_000);
  const after = await ask(second.version);
  expect([before.cost_pico, after.cost_pico]).toEqual(['800000', '1600000']);

  const past = await call(`${at.baseUrl}/api/pricing?version=${first.version}`);
  const { data, pricing_version } = JSON.parse(past.text) as AnswerOf<typeof publicPrices.listPrices>;
  expect(data.find(({ model_name }) => model_name === 'repriced')?.prices.input).toBe(1_000_000);
  expect(pricing_version).toBe(first.hash);
});

test('GET /api/pricing answers 304 to the ETag of what the caller has', async () => {
  const first = await call(`${at.baseUrl}/api/pricing?version=1`);
  const etag = first.headers.get('etag') ?? '';
  const again = await call(`${at.baseUrl}/api/pricing?version=1`, { headers: { 'if-none-match': etag } });
  expect([again.status, again.text]).toEqual([304, '']);
});

test('a pool goes on to its next upstream when the first cannot be reached', async () => {
  await admin(at, 'PUT', '/api/catalogue/upstreams/unreachable', {
    base_url: `http://127.0.0.1:${await freePort()}`,
    protocols: ['openai-chat'],
    credentials: [{ name: 'a', secret: 'nobody-hears-this' }],
    allow_private_addresses: true,
  });
  await admin(at, 'PUT', '/api/catalogue/models/two-upstreams', {
    vendor: 'openai',
    prices: { input: 1, output: 1 },
  });
  await admin(at, 'PUT', '/api/catalogue/pools/two?before=simulated', {
    groups: ['*'],
    models: ['two-upstreams'],
    members: [
      { upstream: 'unreachable', priority: 0 },
      { upstream: 'simulator', priority: 1 },
    ],
  });
  const { key } = await makeKey(at, { group: 'vip' });
  const served = await waitFor(async () => {
    const answer = await chat(at.baseUrl, key, 'two-upstreams');
    return answer.status === 200 ? answer : undefined;
  }, 'the new pool');
  const row = await books.usage(served.headers.get('x-request-id') ?? '');
  expect(row['upstream']).toBe('simulator');
});

test('credentials are never shown again', async () => {
  const text = JSON.stringify(await admin(at, 'GET', '/api/catalogue'));
  expect(text).toContain('has_secret');
  expect(text).not.toContain('sealed');
  expect(text).not.toContain('simulator-credential');
});
