import type { AnswerOf, providers } from '@tollgate/api';
import {
  EVENT,
  type UpstreamTest,
  upstreamTestClaimRedisKey,
  upstreamTestRedisKey,
  upstreamTestSchema,
} from '@tollgate/contracts';
import { waitFor } from '@tollgate/harness';
import { type EventSubscription, onEvent, subscribeEvents } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { type AdminApi, startAdminApi } from '../../testing/admin-api.ts';
import { openRedis, silent } from '../../testing/pricing-service.ts';

type Added = AnswerOf<typeof providers.addProvider>;

let api: AdminApi;
let redis: Redis;
let events: EventSubscription;
const heard: UpstreamTest[] = [];
beforeAll(async () => {
  api = await startAdminApi();
  redis = await openRedis(api.environment.redisServer.url);
  events = subscribeEvents(api.environment.redisServer.url, silent, {
    [EVENT.upstreamTest]: onEvent(upstreamTestSchema, async (test) => {
      heard.push(test);
      await redis.set(upstreamTestClaimRedisKey(test.id), 'one');
      const result = { gateway: 'one', ok: true, status: 200, latency_ms: 3, error: null };
      const models = test.model === null ? { models: ['gpt-4o', 'gpt-new'] } : {};
      await redis.set(upstreamTestRedisKey(test.id), JSON.stringify({ ...result, ...models }));
    }),
  });
  await waitFor(() => events.fresh(), 'the subscription');
}, 60_000);
afterAll(async () => {
  events.close();
  redis.disconnect();
  await api.stop();
}, 60_000);

const OPENAI = { provider: 'openai', secret: 'sk-very-secret' };

test('providers are listed with prices and their sources, without what only the relay needs', async () => {
  const { body } = await api.call('GET', '/providers');
  const { items } = body as AnswerOf<typeof providers.listProviders>;
  expect(items.length).toBeGreaterThanOrEqual(30);
  expect(items.find(({ name }) => name === 'openai')?.models.find(({ name }) => name === 'gpt-4o')).toEqual({
    name: 'gpt-4o',
    context_window: 128_000,
    max_output_tokens: 16_384,
    prices: { input: 2_500_000, cache_read: 1_250_000, output: 10_000_000 },
    has_tiers: false,
    source: { url: expect.stringMatching(/^https:/), date: expect.stringMatching(/^20/) },
  });
});

test('a provider is tried and asked for its models before anything is published; its secret travels sealed', async () => {
  const before = await api.currentVersion();
  expect(await api.call('POST', '/providers/test', { ...OPENAI, model: 'gpt-4o' })).toEqual({
    status: 200,
    body: { gateway: 'one', ok: true, status: 200, latency_ms: 3, error: null },
  });
  const listed = await api.call('POST', '/providers/models', OPENAI);
  expect(listed.body).toEqual({ models: ['gpt-4o', 'gpt-new'], error: null });
  expect(heard.map(({ model }) => model)).toEqual(['gpt-4o', null]);
  expect(heard[0]?.candidate).toMatchObject({ name: 'openai', base_url: 'https://api.openai.com/v1' });
  expect(JSON.stringify(heard)).not.toContain('very-secret');
  expect(await api.currentVersion()).toBe(before);
});

test('a dry run says what would be done; then one version holds all of it', async () => {
  const before = await api.currentVersion();
  const request = { ...OPENAI, models: [{ name: 'gpt-4o' }, { name: 'o3' }] };
  const dry = await api.call('POST', '/providers', { ...request, dry_run: true });
  expect(dry.body).toMatchObject({
    version: null,
    upstream: 'openai',
    pool: 'openai',
    models: ['gpt-4o', 'o3'],
  });
  expect(await api.currentVersion()).toBe(before);
  const added = (await api.call('POST', '/providers', request)).body as Added;
  expect(added.version).toBe(before + 1);
  const shown = JSON.stringify((await api.call('GET', '')).body);
  expect(shown).toContain('"name":"openai"');
  expect(shown).not.toContain('very-secret');
});

test.each([
  ['no such provider', { ...OPENAI, provider: 'nobody' }, 404, 'provider'],
  ['no secret', { provider: 'anthropic' }, 400, 'secret'],
  ['no such model', { provider: 'anthropic', secret: 's', models: [{ name: 'x' }] }, 400, 'models.x.prices'],
  ['a name that is taken', OPENAI, 400, 'name'],
])('%s is refused, by the field', async (_what, params, status, param) => {
  const said = await api.call('POST', '/providers', { models: [{ name: 'gpt-4o' }], ...params });
  expect(said).toMatchObject({ status, body: { error: { param } } });
});
