import { USAGE_QUEUE } from '@tollgate/contracts';
import { type RunningSentinels, startRedisSentinels, waitFor } from '@tollgate/harness';
import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { publishEvent, subscribeEvents } from './events.ts';
import { createLogger } from './logging.ts';
import { connectRedis, connectRedisForWorker } from './redis.ts';

const logger = createLogger('test', 'silent');
let sentinels: RunningSentinels;
let redis: Redis;
let worker: Redis;
beforeAll(async () => {
  sentinels = await startRedisSentinels();
  redis = connectRedis(sentinels.url, logger, { timeoutMs: 500 });
  worker = connectRedisForWorker(sentinels.url, logger);
  await waitFor(() => redis.status === 'ready', 'the connection');
}, 60_000);
afterAll(async () => {
  redis.disconnect();
  worker.disconnect();
  await sentinels.stop();
});

test('after a fail-over commands, events and the queue go on with the new master', async () => {
  const heard: unknown[] = [];
  let gaps = 0;
  const events = subscribeEvents(
    sentinels.url,
    logger,
    { changed: (payload) => void heard.push(payload) },
    () => (gaps += 1),
  );
  const done: string[] = [];
  const jobs = new Worker(USAGE_QUEUE, async (job) => void done.push(String(job.data)), {
    connection: worker,
  });
  jobs.on('error', () => {});
  const queue = new Queue(USAGE_QUEUE, { connection: redis });
  queue.on('error', () => {});
  await waitFor(() => events.fresh(), 'the subscription');
  await queue.add('usage', 'before');
  await waitFor(() => done.includes('before'), 'the first job');

  const before = await sentinels.master();
  await before.kill();
  await expect(redis.set('a', '1')).rejects.toThrow();
  await waitFor(async () => (await sentinels.master()) !== before, 'the fail-over', 20_000);
  await waitFor(
    () =>
      redis.set('a', '2').then(
        () => true,
        () => false,
      ),
    'the new master',
    20_000,
  );
  await waitFor(() => events.fresh() && gaps === 2, 'the subscription again', 20_000);
  await publishEvent(redis, 'changed', { by: 'the new master' });
  await waitFor(() => heard.length === 1, 'the event');
  await queue.add('usage', 'after');
  await waitFor(() => done.includes('after'), 'the second job', 20_000);
  events.close();
  await jobs.close();
  await queue.close();
}, 90_000);
