import { once } from 'node:events';
import { toUsageQueue } from '@tollgate/contracts';
import { type RunningRedis, startRedis } from '@tollgate/harness';
import { connectRedis, createLogger, findUsageQueues } from '@tollgate/platform';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { usageEvent } from '../../testing/usage-events.ts';
import { writeEvent } from './spool-line.ts';
import { createUsageQueue } from './usage-queue.ts';

const logger = createLogger('test', 'silent');
let server: RunningRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis(server.url, logger, { timeoutMs: 20_000 });
  await once(redis, 'ready');
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const countJobs = async (name: string): Promise<number> => {
  const queue = new Queue(name, { connection: redis });
  const count = await queue.getJobCountByTypes('waiting');
  await queue.close();
  return count;
};

test('jobs spread over the shards, and one that comes again is found in its own', async () => {
  const shards = [0, 1, 2].map(toUsageQueue);
  const queue = createUsageQueue(redis, logger, shards.length);
  for (let again = 0; again < 2; again += 1)
    for (let n = 0; n < 60; n += 1) await queue.add(`job-${n}`, [writeEvent(usageEvent(n))]);
  await queue.close();
  expect(await findUsageQueues(redis)).toEqual(shards);
  const counts = await Promise.all(shards.map(countJobs));
  expect(counts.reduce((sum, count) => sum + count)).toBe(60);
  expect(Math.min(...counts)).toBeGreaterThan(10);
});

test('a job has its events as they are', async () => {
  const queue = createUsageQueue(redis, logger, 1);
  const events = [usageEvent(1), { ...usageEvent(2), model: 'a "quoted" name, with \u{1f600} and \n' }];
  await queue.add('job-of-two', events.map(writeEvent));
  await queue.close();
  const data = await redis.hget(`bull:${toUsageQueue(0)}:job-of-two`, 'data');
  expect(JSON.parse(data ?? '')).toEqual({ events });
});
