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
