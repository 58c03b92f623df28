import { toQueueKey, toUsageQueue, USAGE_QUEUE } from '@tollgate/contracts';
import { freePort, redisCall, type RunningRedisCluster, startRedisCluster, waitFor } from '@tollgate/harness';
import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { type EventSubscription, publishEvent, subscribeEvents } from './events.ts';
import { createLogger } from './logging.ts';
import { connectRedis, connectRedisForWorker, waitUntilConnected } from './redis.ts';
import { findUsageQueues } from './usage-queues.ts';

const logger = createLogger('test', 'silent');
let cluster: RunningRedisCluster;
let redis: Redis;
beforeAll(async () => {
  cluster = await startRedisCluster({ replicas: true });
  redis = connectRedis(cluster.url, logger, { timeoutMs: 20_000 });
  await waitFor(() => redis.status === 'ready', 'the connection');
}, 60_000);
afterAll(async () => {
  redis.disconnect();
  await cluster.stop();
});

/** A key in the slots of each master. */
async function keyAt(port: number): Promise<string> {
  for (let n = 0; ; n += 1) {
    const refused = await redisCall(port, 'GET', `key-${n}`).catch((error: Error) => error);
    if (!(refused instanceof Error)) return `key-${n}`;
  }
}
const answers = (key: string) =>
  redis.set(key, 'set').then(
    () => true,
    () => false,
  );

test('a key is found on whichever node it lives', async () => {
  for (const { port } of cluster.masters) {
    const key = await keyAt(port);
    await redis.set(key, `at ${port}`);
    expect(await redisCall(port, 'GET', key)).toBe(`at ${port}`);
  }
});

test('the first commands to every node are answered, however many come at once', async () => {
  for (let round = 0; round < 10; round += 1) {
    const fresh = connectRedis(cluster.url, logger, { timeoutMs: 20_000 });
    await waitUntilConnected(fresh, 20_000);
    const keys = Array.from({ length: 60 }, (_, n) => `first-${round}-${n}`);
    const set = await Promise.allSettled(keys.map((key) => fresh.set(key, 'set')));
    expect(set.filter(({ status }) => status === 'rejected')).toEqual([]);
    fresh.disconnect();
  }
});

test('without Redis nobody is waited for longer than was said', async () => {
  const nobody = connectRedis(`redis://127.0.0.1:${await freePort()}`, logger);
  await waitUntilConnected(nobody, 50);
  expect(nobody.status).not.toBe('ready');
  nobody.disconnect();
});

test('jobs of all shards of the usage queue go through a cluster, on every master of it', async () => {
  const connection = connectRedisForWorker(cluster.url, logger);
  const names = Array.from({ length: 8 }, (_, shard) => toUsageQueue(shard));
  expect(await findUsageQueues(redis)).toEqual([USAGE_QUEUE]);
  const queues = names.map((name) => new Queue(name, { connection: redis }));
  const done: number[] = [];
  for (let n = 0; n < 40; n += 1) await queues[n % 8]?.add('usage', n, { removeOnComplete: true });
  const found = await findUsageQueues(redis);
  expect(found).toEqual(names);
  for (const { port } of cluster.masters) {
    const own = await Promise.all(
      names.map((name) =>
        redisCall(port, 'EXISTS', toQueueKey(name, 'meta')).then(
          () => name,
          () => undefined,
        ),
      ),
    );
    expect(own.filter(Boolean).length).toBeGreaterThan(0);
  }
  const workers = found.map(
    (name) => new Worker(name, async (job) => void done.push(Number(job.data)), { connection }),
  );
  await waitFor(() => done.length === 40, 'the jobs');
  expect(done.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n));
  await Promise.all([...workers, ...queues].map((each) => each.close()));
  connection.disconnect();
});

test('an event is heard whichever node it is published on, and again after the node listened to is gone', async () => {
  const heard = new Set<string>();
  let gaps = 0;
  const subscriptions: EventSubscription[] = Array.from({ length: 4 }, (_, n) =>
    subscribeEvents(
      cluster.url,
      logger,
      { changed: (payload) => void heard.add(`${n} ${JSON.stringify(payload)}`) },
      () => (gaps += 1),
    ),
  );
  await waitFor(() => subscriptions.every((each) => each.fresh()), 'the subscriptions');
  for (const { port } of cluster.masters) await redisCall(port, 'PUBLISH', 'changed', `{"from":${port}}`);
  await waitFor(() => heard.size === 12, 'what was published');
  expect(gaps).toBe(4);
  for (const { port } of [...cluster.masters, ...cluster.replicas])
    await redisCall(port, 'CLIENT', 'KILL', 'TYPE', 'pubsub');
  await waitFor(() => gaps >= 8 && subscriptions.every((each) => each.fresh()), 'the subscriptions again');
  heard.clear();
  await publishEvent(redis, 'changed', { again: true });
  await waitFor(() => heard.size === 4, 'what was published then');
  for (const each of subscriptions) each.close();
});

test('when a master dies its keys fail at once, and answer again from its replica', async () => {
  const [lost, kept] = [
    await keyAt(cluster.masters[0]?.port ?? 0),
    await keyAt(cluster.masters[1]?.port ?? 0),
  ];
  await cluster.masters[0]?.kill();
  expect(await answers(lost)).toBe(false);
  expect(await answers(kept)).toBe(true);
  await waitFor(() => answers(lost), 'the replica as master', 20_000);
});
