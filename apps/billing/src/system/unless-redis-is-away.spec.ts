import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningRedis, startRedis } from '@tollgate/harness';
import { connectRedisForWorker, createLogger } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { unlessRedisIsAway } from './unless-redis-is-away.ts';

let server: RunningRedis;
let redis: Redis;

beforeEach(async () => {
  server = await startRedis();
  redis = connectRedisForWorker(server.url, createLogger('test', 'silent'));
  await once(redis, 'ready');
});
afterEach(async () => {
  redis.disconnect();
  await server.stop();
});

test('what takes long is waited for while Redis is there', async () => {
  let ended = false;
  await unlessRedisIsAway(
    redis,
    sleep(1_500).then(() => void (ended = true)),
  );
  expect(ended).toBe(true);
});

test('nobody waits for what Redis would have to answer when it is away', async () => {
  const lost = once(redis, 'close');
  await server.kill();
  await lost;
  let answered = false;
  const waiting = redis.get('anything').then(() => void (answered = true));
  await unlessRedisIsAway(redis, waiting);
  expect(answered).toBe(false);
  await server.restart();
  await waiting;
});

test('what fails is not hidden', async () => {
  const failing = unlessRedisIsAway(redis, Promise.reject(new Error('nobody foresaw this')));
  await expect(failing).rejects.toThrow('nobody foresaw this');
});
