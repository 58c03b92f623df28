import { GATEWAY_REPORTS_REDIS_KEY, type GatewayReport, USAGE_QUEUE } from '@tollgate/contracts';
import { waitFor } from '@tollgate/harness';
import { connectRedis } from '@tollgate/platform';
import { Queue } from 'bullmq';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { type TestEnvironment, silent, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { look } from './timed.ts';

interface Part {
  readonly up: boolean;
  readonly error: string | null;
  readonly state: unknown;
}
interface Shown {
  readonly pricing: Part;
  readonly postgres: Part;
  readonly redis: Part;
  readonly gateways: Part & { readonly state: readonly object[] };
  readonly queue: Part & { readonly state: Record<string, number> };
  readonly audit: { difference_count: number; imbalance_usd: string } | null;
}

let environment: TestEnvironment;
let billing: RunningBilling;
let owner: string;
beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment);
  owner = await signIn(billing.url, environment.first.email);
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});
const show = async () => (await call<Shown>({ url: billing.url, cookie: owner }, 'GET', '/api/system')).body;

test('every part says how it is, and one that is away is told as down', async () => {
  const shown = await waitFor(async () => {
    const found = await show();
    return found.audit ? found : undefined;
  }, 'the first audit');
  expect(shown.postgres).toMatchObject({
    up: true,
    error: null,
    state: { connections: expect.any(Number), bytes: expect.any(Number), rejected_events: 0 },
  });
  expect(shown.redis).toMatchObject({ up: true, state: { role: 'master', version: expect.any(String) } });
  expect(shown.pricing).toMatchObject({ up: false, error: expect.any(String), state: null });
  expect(shown.audit).toMatchObject({ difference_count: 0, imbalance_usd: '0.00' });
});

test('gateways are shown as they report themselves, those that are gone are not', async () => {
  const redis = connectRedis(environment.redisServer.url, silent, { timeoutMs: 20_000 });
  await waitFor(() => redis.status === 'ready', 'Redis');
  const report = (gateway: string, at: number): GatewayReport => ({
    gateway,
    at,
    started_at: at - 5_000,
    version: '0.1.0',
    snapshot_version: 4,
    spool_files: 2,
    pending_events: 1,
  });
  const now = Date.now();
  for (const each of [report('b', now), report('a', now), report('gone', now - 60_000)])
    await redis.hset(GATEWAY_REPORTS_REDIS_KEY, each.gateway, JSON.stringify(each));
  await redis.hset(GATEWAY_REPORTS_REDIS_KEY, 'odd', '{}');
  expect((await show()).gateways.state).toMatchObject([
    { gateway: 'a', snapshot_version: 4, spool_files: 2, pending_events: 1 },
    { gateway: 'b', seen_at: new Date(now).toISOString() },
  ]);
  redis.disconnect();
});

test('jobs of the usage queue are counted by what they wait for', async () => {
  const redis = connectRedis(environment.redisServer.url, silent, { timeoutMs: 20_000 });
  await waitFor(() => redis.status === 'ready', 'Redis');
  const queue = new Queue(USAGE_QUEUE, { connection: redis, skipWaitingForReady: true });
  await queue.add('usage', { events: [] }, { delay: 3_600_000 });
  expect((await show()).queue.state).toEqual({ waiting: 0, active: 0, delayed: 1, failed: 0 });
  await queue.close();
  redis.disconnect();
});

test('others than owners and admins do not see it', async () => {
  for (const role of ['member', 'finance'] as const) {
    await addPerson(environment, `${role}@system.example`, role);
    const cookie = await signIn(billing.url, `${role}@system.example`);
    expect((await call({ url: billing.url, cookie }, 'GET', '/api/system')).status).toBe(403);
  }
  expect((await fetch(`${billing.url}/api/system`)).status).toBe(401);
});

test('a part that does not answer in time is down', async () => {
  const late = await look(() => new Promise<object>(() => {}), 20);
  expect(late).toMatchObject({ up: false, state: null, error: 'no answer within 20 ms' });
});
