import { UPSTREAM_HEALTH_REDIS_KEY } from '@tollgate/contracts';
import { type RunningRedis, startRedis, waitFor } from '@tollgate/harness';
import { connectRedis, createLogger } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { createHealthRegistry, type HealthRegistry } from '../health/registry.ts';
import { type HealthSharing, shareHealth } from './share-health.ts';

const logger = createLogger('test', 'silent');
const IDS = ['east#1', 'east#2', 'west#1'];

let server: RunningRedis;
let redis: Redis;
const open: HealthSharing[] = [];
beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis(server.url, logger, { timeoutMs: 20_000 });
  await waitFor(() => redis.status === 'ready', 'Redis');
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
  await redis.del(UPSTREAM_HEALTH_REDIS_KEY);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

function gateway(self: string): { health: HealthRegistry; sharing: HealthSharing } {
  const health = createHealthRegistry({ self });
  health.update([{ targets: IDS }]);
  const targets = IDS.map((id) => ({ id, upstream: id.slice(0, 4), credential: id.slice(5) }));
  const sharing = shareHealth({
    self,
    health,
    redis,
    logger,
    targets: () => targets,
    alerts: () => 0,
  });
  open.push(sharing);
  return { health, sharing };
}

const availability = (health: HealthRegistry, id: string) =>
  health.target(id)?.availability(performance.now());

test('a gateway that starts takes over what the others found out', async () => {
  const { health } = gateway('old');
  health.target('east#1')?.begin().record({ kind: 'refused', status: 401, isCertain: true });
  health.target('east#2')?.begin().record({ kind: 'rate-limited', status: 429, retryAfterMs: 60_000 });
  await waitFor(async () => (await redis.hexists(UPSTREAM_HEALTH_REDIS_KEY, 'old')) === 1, 'its view', 5_000);
  const young = gateway('young');
  await young.sharing.catchUp();
  expect(IDS.map((id) => availability(young.health, id))).toEqual(['disabled', 'cooling_down', 'ready']);
  const coolingDownUntil = (of: HealthRegistry) => of.target('east#2')?.view().coolingDownUntil;
  const apartMs = (coolingDownUntil(young.health) ?? 0) - (coolingDownUntil(health) ?? 0);
  expect(Math.abs(apartMs)).toBeLessThan(2);
});

test('what a gateway that is gone said is not taken over, and one that stops takes its view away', async () => {
  const stale = { gateway: 'gone', at: Date.now() - 60_000, credential_alerts: 0 };
  const [view] = gateway('other').health.view();
  const target = { ...view, upstream: 'east', credential: '1', disabledSince: Date.now() - 60_000 };
  await redis.hset(UPSTREAM_HEALTH_REDIS_KEY, 'gone', JSON.stringify({ ...stale, targets: [target] }));
  const young = gateway('young');
  await young.sharing.catchUp();
  expect(availability(young.health, 'east#1')).toBe('ready');
  await waitFor(
    async () => (await redis.hexists(UPSTREAM_HEALTH_REDIS_KEY, 'young')) === 1,
    'its view',
    5_000,
  );
  await young.sharing.close();
  expect(await redis.hexists(UPSTREAM_HEALTH_REDIS_KEY, 'young')).toBe(0);
});

test('an admin enables a credential by its names, and what is told of it reaches every gateway', () => {
  const first = gateway('first');
  const second = gateway('second');
  first.health.changes((transition) => second.sharing.heard(transition));
  first.health.target('east#1')?.begin().record({ kind: 'refused', status: 401, isCertain: true });
  expect(availability(second.health, 'east#1')).toBe('disabled');
  first.sharing.enabled({ upstream: 'east', credential: '2', by: 'admin@x.example' });
  expect(availability(first.health, 'east#1')).toBe('disabled');
  first.sharing.enabled({ upstream: 'east', credential: '1', by: 'admin@x.example' });
  expect(availability(first.health, 'east#1')).toBe('ready');
});
