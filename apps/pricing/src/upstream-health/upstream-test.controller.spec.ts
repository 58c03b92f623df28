import {
  EVENT,
  type UpstreamTest,
  upstreamTestClaimRedisKey,
  upstreamTestRedisKey,
  type UpstreamTestResult,
  upstreamTestSchema,
} from '@tollgate/contracts';
import { waitFor } from '@tollgate/harness';
import { type EventSubscription, onEvent, subscribeEvents } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { type AdminApi, startAdminApi } from '../../testing/admin-api.ts';
import { openRedis, silent } from '../../testing/pricing-service.ts';

const RESULT: UpstreamTestResult = { gateway: 'one', ok: true, status: 200, latency_ms: 12, error: null };

let api: AdminApi;
let redis: Redis;
let events: EventSubscription;
const heard: UpstreamTest[] = [];
let answer: (test: UpstreamTest) => Promise<unknown> = () => Promise.resolve();
beforeAll(async () => {
  api = await startAdminApi();
  redis = await openRedis(api.environment.redisServer.url);
  const credentials = [{ name: 'a', secret: 'secret-a' }];
  const upstream = { base_url: 'https://east.example', protocols: ['openai-chat'], credentials };
  await api.call('PUT', '/upstreams/east', upstream);
  events = subscribeEvents(api.environment.redisServer.url, silent, {
    [EVENT.upstreamTest]: onEvent(upstreamTestSchema, async (test) => {
      heard.push(test);
      await answer(test);
    }),
  });
  await waitFor(() => events.fresh(), 'the subscription');
}, 60_000);
afterAll(async () => {
  events.close();
  redis.disconnect();
  await api.stop();
}, 60_000);

const claim = ({ id }: UpstreamTest) => redis.set(upstreamTestClaimRedisKey(id), 'one');
const finish = (test: UpstreamTest) => redis.set(upstreamTestRedisKey(test.id), JSON.stringify(RESULT));

test('a test is told to the gateways, and answered with what the one that did it found', async () => {
  answer = async (test) => {
    await claim(test);
    await finish(test);
  };
  const said = await api.call('POST', '/upstreams/east/test', { model: 'gpt-x' });
  expect(said).toEqual({
    status: 200,
    body: { upstream: 'east', credential: 'a', protocol: 'openai-chat', model: 'gpt-x', ...RESULT },
  });
  expect(heard.at(-1)).toMatchObject({ upstream: 'east', version: await api.currentVersion() });
});

const DRAFT = { base_url: 'https://east.example', protocols: ['openai-chat'] };

test('an upstream is tried as it would be, with the secrets that stand or with new ones', async () => {
  answer = async (test) => {
    await claim(test);
    await finish(test);
  };
  const before = await api.currentVersion();
  const kept = await api.call('POST', '/upstreams/east/try', { upstream: DRAFT, model: 'gpt-x' });
  expect(kept).toEqual({ status: 200, body: RESULT });
  expect(heard.at(-1)).toMatchObject({ credential: 'a', candidate: { credentials: [{ name: 'a' }] } });
  const credentials = [{ name: 'b', secret: 'secret-b' }];
  const upstream = { ...DRAFT, base_url: 'https://new.example', credentials };
  expect(await api.call('POST', '/upstreams/new/try', { upstream, model: 'x' })).toMatchObject({
    status: 200,
  });
  expect(heard.at(-1)).toMatchObject({ upstream: 'new', credential: 'b', model: 'x' });
  expect(JSON.stringify(heard)).not.toMatch(/secret-[ab]/);
  expect(await api.currentVersion()).toBe(before);
});

test.each([
  ['whose secrets would go to another host', { ...DRAFT, base_url: 'https://elsewhere.example' }, {}],
  ['of a private address', { ...DRAFT, base_url: 'http://10.0.0.1', credentials: [] }, {}],
  ['with another credential', DRAFT, { credential: 'b' }],
  ['in another format', DRAFT, { protocol: 'gemini' }],
])('an upstream %s is not tried', async (_what, upstream, more) => {
  const count = heard.length;
  const said = await api.call('POST', '/upstreams/east/try', { upstream, model: 'x', ...more });
  expect(said.status).toBe(400);
  expect(heard).toHaveLength(count);
});

test('what an upstream offers is kept, and what the catalogue lacks of it is told', async () => {
  const listOf = async () => (await api.call('GET', '/offers')).body;
  expect(await listOf()).toEqual({
    items: [{ upstream: 'east', fetched_at: null, count: 0, lacking: [] }],
  });
  answer = async (test) => {
    await claim(test);
    const models = test.model === null ? { models: ['gpt-4o', 'own-1'] } : {};
    await redis.set(upstreamTestRedisKey(test.id), JSON.stringify({ ...RESULT, ...models }));
  };
  const credentials = [{ name: 'a', secret: 'secret-a' }];
  await api.call('PUT', '/upstreams/openai', { ...DRAFT, credentials });
  const fetched = await api.call('POST', '/upstreams/openai/models', {});
  expect(fetched).toMatchObject({
    status: 200,
    body: {
      upstream: 'openai',
      count: 2,
      error: null,
      lacking: [
        {
          name: 'gpt-4o',
          suggestion: {
            vendor: 'openai',
            prices: { input: 2_500_000 },
            price_source: { source: expect.stringMatching(/^https:/), date: expect.stringMatching(/^20/) },
          },
        },
        { name: 'own-1', suggestion: null },
      ],
    },
  });
  const { error: _error, ...offer } = fetched.body as Record<string, unknown>;
  expect(await listOf()).toMatchObject({ items: [{ upstream: 'east' }, offer] });
  answer = async (test) => {
    await claim(test);
    const refused = { ...RESULT, ok: false, status: 401, error: 'no such key' };
    await redis.set(upstreamTestRedisKey(test.id), JSON.stringify(refused));
  };
  const again = await api.call('POST', '/upstreams/openai/models', {});
  expect(again.body).toEqual({ ...offer, error: 'no such key' });
});

test('without a gateway that takes it the test fails soon', async () => {
  answer = () => Promise.resolve();
  const said = await api.call('POST', '/upstreams/east/test', { model: 'gpt-x' });
  expect(said).toMatchObject({ status: 503, body: { error: { message: 'No gateway is there to try it.' } } });
});

test.each([
  ['/upstreams/west/test', {}, 404],
  ['/upstreams/east/test', {}, 400],
  ['/upstreams/east/test', { model: 'm', credential: 'b' }, 400],
  ['/upstreams/east/test', { model: 'm', secret: 'x' }, 400],
])('POST %s with %j is refused with %i', async (path, body, status) => {
  expect((await api.call('POST', path, body)).status).toBe(status);
});

test('a member may not test', async () => {
  const cookie = await api.billing.signIn('member');
  expect((await api.call('POST', '/upstreams/east/test', { model: 'm' }, { cookie })).status).toBe(403);
});
