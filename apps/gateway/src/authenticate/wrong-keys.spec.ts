import { type RunningRedis, startRedis, waitFor } from '@tollgate/harness';
import { createResilientLimiter, type ResilientLimiter } from '@tollgate/limits';
import { connectRedis, createLogger } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { createWrongKeys } from './wrong-keys.ts';

const silent = createLogger('test', 'silent');
let server: RunningRedis;
let redis: Redis;
let limiters: ResilientLimiter[];
beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis(server.url, silent, { timeoutMs: 20_000 });
  await waitFor(() => redis.status === 'ready', 'Redis');
  limiters = Array.from({ length: 2 }, () => createResilientLimiter(redis, { timeoutMs: 20_000 }));
});
afterAll(async () => {
  for (const limiter of limiters) limiter.close();
  redis.disconnect();
  await server.stop();
});

const gateways = (perMinute: number) => limiters.map((limiter) => createWrongKeys(limiter, perMinute));

test('an address is blocked by the last wrong key that it may try, and for how long is said', async () => {
  const [gateway] = gateways(5);
  const address = '192.0.2.1';
  for (let tries = 0; tries < 5; tries += 1) {
    expect(gateway?.blockedMs(address)).toBe(0);
    await gateway?.count(address);
  }
  expect(gateway?.blockedMs(address)).toBeGreaterThan(0);
  expect(gateway?.blockedMs(address)).toBeLessThanOrEqual(60_000 / 5);
  expect(gateway?.blockedMs('192.0.2.2')).toBe(0);
});

test('it may try again when a part of the minute has passed', async () => {
  const [gateway] = gateways(120);
  const address = '192.0.2.3';
  // Two come back every second: on a busy machine it takes some more tries.
  for (let tries = 0; tries < 120 || gateway?.blockedMs(address) === 0; tries += 1)
    await gateway?.count(address);
  await waitFor(() => gateway?.blockedMs(address) === 0, 'the end of the block');
});

test('the count is one over all gateways, each of which lets through one more at most', async () => {
  const [one, other] = gateways(4);
  const address = '192.0.2.4';
  for (let tries = 0; tries < 4; tries += 1) await one?.count(address);
  expect(other?.blockedMs(address)).toBe(0);
  await other?.count(address);
  expect(other?.blockedMs(address)).toBeGreaterThan(0);
});

test('of an IPv6 network of 64 bits every address is the same client', async () => {
  const [gateway] = gateways(2);
  await gateway?.count('2001:db8:1:2::1');
  await gateway?.count('2001:db8:1:2:ffff::9');
  expect(gateway?.blockedMs('2001:db8:1:2::abcd')).toBeGreaterThan(0);
  expect(gateway?.blockedMs('2001:db8:1:3::1')).toBe(0);
});
