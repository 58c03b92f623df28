import { USAGE_QUEUE } from '@tollgate/contracts';
import { type RunningSentinels, startRedisSentinels, startTcpProxy, waitFor } from '@tollgate/harness';
import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { publishEvent, subscribeEvents } from './events.ts';
import { createLogger } from './logging.ts';
import { connectRedis, connectRedisForWorker } from './redis.ts';

const logger = createLogger('test', 'silent');
let sentinels: RunningSentinels;
let redis: Redis;
let worker: Redis;
beforeEach(async () => {
  sentinels = await startRedisSentinels();
  redis = connectRedis(sentinels.url, logger, { timeoutMs: 20_000 });
  worker = connectRedisForWorker(sentinels.url, logger);
  await waitFor(() => redis.status === 'ready', 'the connection');
}, 60_000);
afterEach(async () => {
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

test('a connection that looks for the master while the Sentinels name another one is not given up', async () => {
  const [{ url }, before] = [sentinels, await sentinels.master()];
  const proxy = await startTcpProxy({ port: Number(new URL(url.replace(/,.*\//, '/')).port) });
  // Whoever is lost looks for the master most of the time: each answer of this Sentinel takes two seconds.
  const clients = Array.from({ length: 6 }, () =>
    connectRedis(`redis-sentinel://127.0.0.1:${proxy.port}/tollgate`, logger, { timeoutMs: 500 }),
  );
  await waitFor(() => clients.every(({ status }) => status === 'ready'), 'the connections');
  proxy.delay(1_000);
  await before.kill();
  await waitFor(async () => (await sentinels.master()) !== before, 'the fail-over', 20_000);
  await waitFor(
    () => clients.every(({ status }) => status === 'ready'),
    'all connections again',
    20_000,
  ).catch((error: Error) => {
    throw new Error(`${error.message}: ${clients.map(({ status }) => status).join(', ')}`);
  });
  for (const client of clients) client.disconnect();
  await proxy.stop();
}, 90_000);
