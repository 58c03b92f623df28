import {
  credentialEnabledSchema,
  EVENT,
  type GatewayHealth,
  type TargetHealth,
  UPSTREAM_HEALTH_REDIS_KEY,
} from '@tollgate/contracts';
import { waitFor } from '@tollgate/harness';
import { onEvent, subscribeEvents } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { type AdminApi, startAdminApi } from '../../testing/admin-api.ts';
import { openRedis, silent } from '../../testing/pricing-service.ts';

let api: AdminApi;
let redis: Redis;
beforeAll(async () => {
  api = await startAdminApi();
  redis = await openRedis(api.environment.redisServer.url);
  const upstream = { base_url: 'https://east.example', protocols: ['openai-chat'] };
  const credentials = ['a', 'b'].map((name) => ({ name, secret: `secret-${name}` }));
  await api.call('PUT', '/upstreams/east', { ...upstream, credentials });
  await api.call('PUT', '/upstreams/open', upstream);
}, 60_000);
afterAll(async () => {
  redis.disconnect();
  await api.stop();
}, 60_000);
beforeEach(() => redis.del(UPSTREAM_HEALTH_REDIS_KEY));

const target = (of: Partial<TargetHealth> = {}): TargetHealth => ({
  upstream: 'east',
  credential: 'a',
  id: 'east#1',
  availability: 'ready',
  state: 'closed',
  since: null,
  until: null,
  failureRate: 0,
  volume: 0,
  latencyMs: null,
  outstanding: 0,
  coolingDownUntil: null,
  disabledSince: null,
  lastError: null,
  ...of,
});
const write = (gateway: string, targets: TargetHealth[], at = Date.now()) => {
  const view: GatewayHealth = { gateway, at, credential_alerts: 0, targets };
  return redis.hset(UPSTREAM_HEALTH_REDIS_KEY, gateway, JSON.stringify(view));
};
const shown = async () => (await api.call('GET', '/health')).body as unknown;

test('every upstream and credential is shown, known or not', async () => {
  expect(await shown()).toEqual({
    gateways: [],
    upstreams: [
      ['east', 'a'],
      ['east', 'b'],
      ['open', null],
    ].map(([upstream, credential]) => ({
      upstream,
      credential,
      state: 'unknown',
      outstanding: 0,
      gateways: [],
    })),
  });
});

test('what the gateways know stands side by side, and the worst word is the state', async () => {
  const at = Date.parse('2026-11-21T10:00:00Z');
  await write('one', [target({ outstanding: 2, latencyMs: 12.6 })]);
  await write('two', [
    target({
      availability: 'cooling_down',
      coolingDownUntil: at,
      outstanding: 3,
      failureRate: 1 / 3,
      volume: 9,
      lastError: { at, reason: 'status 429' },
    }),
    target({ upstream: 'open', credential: null, id: 'open#none' }),
  ]);
  expect(await shown()).toMatchObject({
    gateways: [{ gateway: 'one' }, { gateway: 'two' }],
    upstreams: [
      {
        credential: 'a',
        state: 'cooling_down',
        outstanding: 5,
        gateways: [
          { gateway: 'one', state: 'ready', latency_ms: 13, cooling_down_until: null, last_error: null },
          {
            gateway: 'two',
            state: 'cooling_down',
            cooling_down_until: '2026-11-21T10:00:00.000Z',
            failure_rate: 0.333,
            requests: 9,
            last_error: { at: '2026-11-21T10:00:00.000Z', reason: 'status 429' },
          },
        ],
      },
      { credential: 'b', state: 'unknown' },
      { upstream: 'open', credential: null, state: 'ready' },
    ],
  });
});

test('a gateway that is gone is not shown, and forgotten', async () => {
  await write('gone', [target()], Date.now() - 60_000);
  await redis.hset(UPSTREAM_HEALTH_REDIS_KEY, 'odd', '{"gateway":1}');
  expect(await shown()).toMatchObject({ gateways: [], upstreams: [{ state: 'unknown' }, {}, {}] });
  expect(await redis.hkeys(UPSTREAM_HEALTH_REDIS_KEY)).toEqual([]);
});

test('enabling a credential is told to the gateways, with who did it', async () => {
  const heard: unknown[] = [];
  const events = subscribeEvents(api.environment.redisServer.url, silent, {
    [EVENT.credentialEnabled]: onEvent(credentialEnabledSchema, (event) => void heard.push(event)),
  });
  await waitFor(() => events.fresh(), 'the subscription');
  const { status } = await api.call('POST', '/upstreams/east/credentials/b/enable', {});
  expect(status).toBe(202);
  await waitFor(() => heard.length > 0, 'the event');
  expect(heard).toEqual([{ upstream: 'east', credential: 'b', by: 'owner@pricing.example' }]);
  events.close();
});

test.each(['/upstreams/east/credentials/c/enable', '/upstreams/west/credentials/a/enable'])(
  'POST %s is not found',
  async (path) => {
    expect((await api.call('POST', path, {})).status).toBe(404);
  },
);

test('a member may neither look nor enable', async () => {
  const cookie = await api.billing.signIn('member');
  expect((await api.call('GET', '/health', undefined, { cookie })).status).toBe(403);
  const enable = api.call('POST', '/upstreams/east/credentials/a/enable', {}, { cookie });
  expect((await enable).status).toBe(403);
});
