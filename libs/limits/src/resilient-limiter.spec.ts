import {
  measureAwake,
  type RunningRedis,
  startRedis,
  startTcpProxy,
  type TcpProxy,
  waitFor,
} from '@tollgate/harness';
import { Redis } from 'ioredis';
import { createResilientLimiter, type ResilientLimiter } from './resilient-limiter.ts';
import type { SlotCharge, TokenBucketCharge } from './token-bucket.ts';

/** So slow that nothing refills while a test runs. */
const charge: TokenBucketCharge = {
  key: 'tollgate:tb:key:a:requests',
  dimension: 'key',
  unit: 'requests',
  capacity: 3,
  refillPerMinute: 0.001,
  cost: 1,
};

/** Longer than a machine stands still. */
const PATIENT_MS = 20_000;
/** Where Redis is not to answer in time at first; while it is back a machine may stand still for less. */
const TIMEOUT_MS = 5_000;

let server: RunningRedis;
let proxy: TcpProxy;
let behindProxy: Redis;
let direct: Redis;
let limiter: ResilientLimiter;

beforeAll(async () => {
  server = await startRedis();
  direct = new Redis(server.url, { replyMapping: 'legacy' });
});

afterAll(async () => {
  direct.disconnect();
  await server.stop();
});

beforeEach(async () => {
  await direct.flushall();
  proxy = await startTcpProxy({ port: server.port });
  behindProxy = new Redis(`redis://127.0.0.1:${proxy.port}`, {
    replyMapping: 'legacy',
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: PATIENT_MS,
    retryStrategy: () => 50,
  });
  behindProxy.on('error', () => {});
  await waitFor(() => behindProxy.status === 'ready', 'the connection');
  limiter = createResilientLimiter(behindProxy, { timeoutMs: PATIENT_MS });
});

afterEach(async () => {
  await limiter.close();
  behindProxy.disconnect();
  await proxy.stop();
});

const admitted = async () => (await limiter.admit([charge])).admitted;
const four = async () => [await admitted(), await admitted(), await admitted(), await admitted()];
const levelInRedis = async () => (await direct.get(charge.key))?.split(':')[0];

test('counts in Redis while it answers', async () => {
  expect(await four()).toEqual([true, true, true, false]);
  expect(Number(await levelInRedis())).toBeCloseTo(0, 3);
  expect(limiter.degraded).toBe(false);
});

test('counts in this process while Redis is cut off, and says so', async () => {
  await admitted();
  proxy.cut();
  await waitFor(() => limiter.degraded, 'the loss of Redis');
  expect(await four()).toEqual([true, true, true, false]);
  expect(await levelInRedis()).toBe('2');
});

test('settles in this process while Redis is cut off', async () => {
  proxy.cut();
  await waitFor(() => limiter.degraded, 'the loss of Redis');
  await limiter.settle([{ ...charge, delta: 2 }]);
  expect([await admitted(), await admitted()]).toEqual([true, false]);
});

test('a Redis that takes bytes and never answers is waited for once, for the time-out', async () => {
  limiter = createResilientLimiter(behindProxy, { timeoutMs: 100 });
  proxy.blackhole();
  const startedAt = performance.now();
  expect(await admitted()).toBe(true);
  const first = performance.now() - startedAt;
  expect(first).toBeGreaterThanOrEqual(95);
  expect(first).toBeLessThan(5_000);
  expect(limiter.degraded).toBe(true);
  expect([await admitted(), await admitted(), await admitted()]).toEqual([true, true, false]);
  expect(await direct.exists(charge.key)).toBe(0);
});

test('many requests at once do not wait one after the other for a Redis that never answers', async () => {
  limiter = createResilientLimiter(behindProxy, { timeoutMs: TIMEOUT_MS });
  proxy.blackhole();
  const answers = Promise.all(Array.from({ length: 100 }, admitted));
  expect(await measureAwake(answers)).toBeLessThan(5 * TIMEOUT_MS);
  expect((await answers).filter(Boolean)).toHaveLength(3);
});

test.each(['cut', 'blackhole'] as const)('counts in Redis again after a %s has ended', async (fault) => {
  limiter = createResilientLimiter(behindProxy, { timeoutMs: TIMEOUT_MS });
  proxy[fault]();
  await admitted();
  await waitFor(() => limiter.degraded, 'the loss of Redis');
  expect(await levelInRedis()).toBeUndefined();
  proxy.restore();
  await waitFor(() => !limiter.degraded, 'the return of Redis');
  expect(await four()).toEqual([true, true, true, false]);
  expect(Number(await levelInRedis())).toBeCloseTo(0, 3);
});

test('an answer that came while this process stood still is one in time', async () => {
  // Where Redis stood still as well it has not come.
  await waitFor(async () => {
    await direct.flushall();
    const once = createResilientLimiter(direct, { timeoutMs: 100 });
    const answer = once.admit([charge]);
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    const { admitted: isAdmitted } = await answer;
    const { degraded } = once;
    await once.close();
    return isAdmitted && !degraded && Number(await levelInRedis()) === 2;
  }, 'an answer in time');
});

test('a slow Redis counts while it answers in time, and is left alone when it does not', async () => {
  limiter = createResilientLimiter(behindProxy, { timeoutMs: TIMEOUT_MS });
  proxy.delay(40);
  expect([await admitted(), limiter.degraded]).toEqual([true, false]);
  proxy.delay(2 * TIMEOUT_MS);
  expect([await admitted(), limiter.degraded]).toEqual([true, true]);
  expect([await admitted(), await admitted(), await admitted()]).toEqual([true, true, false]);
});

describe('requests at once', () => {
  const place = (slot: string): SlotCharge => ({
    key: 'tollgate:tb:{key:a}:concurrent',
    dimension: 'key',
    unit: 'concurrent',
    capacity: 2,
    slot,
  });
  const taken = async (slot: string) => (await limiter.admit([place(slot)])).admitted;
  const release = (slot: string) => limiter.settle([{ key: place(slot).key, slot }]);
  const inRedis = async () => (await direct.zrange(place('').key, '0', '-1')).sort();

  test('those that began before Redis was lost still count, and give way when they end', async () => {
    await taken('a');
    proxy.cut();
    await waitFor(() => limiter.degraded, 'the loss of Redis');
    expect([await taken('b'), await taken('c')]).toEqual([true, false]);
    await release('a');
    expect(await taken('d')).toBe(true);
  });

  test('those that began while Redis was away are told to it when it is back', async () => {
    proxy.cut();
    await waitFor(() => limiter.degraded, 'the loss of Redis');
    await taken('a');
    await taken('b');
    await release('b');
    proxy.restore();
    await waitFor(async () => (await inRedis()).length > 0, 'the next sign of life');
    expect(await inRedis()).toEqual(['a']);
  });
});

test('a busy bucket serves from its lease, and nothing of it is lost at the end', async () => {
  const wide = { ...charge, key: 'wide', capacity: 1_000_000, refillPerMinute: 0.001 };
  for (let n = 0; n < 300; n += 1) await limiter.admit([wide]);
  const level = () => direct.get('wide').then((text) => Number(text?.split(':')[0]));
  expect(await level()).toBeLessThan(1_000_000 - 300);
  await limiter.close();
  expect(await level()).toBeCloseTo(1_000_000 - 300, 3);
});

test('a request without limits asks nobody, even while Redis hangs', async () => {
  proxy.blackhole();
  expect(await limiter.admit([])).toEqual({ admitted: true, buckets: [] });
  expect(limiter.degraded).toBe(false);
});
