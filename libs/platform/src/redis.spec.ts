import { EventEmitter } from 'node:events';
import { freePort, startRedis, startTcpProxy, waitFor } from '@tollgate/harness';
import { Redis } from 'ioredis';
import { createLogger } from './logging.ts';
import { connectRedis, connectRedisForWorker, onQueueLost, requireConnected } from './redis.ts';

test.each(['redis', 'redis-cluster'])(
  'a connection of workers to %s that is ended between two tries says so, and its copy does',
  async (kind) => {
    const nobody = `${kind}://127.0.0.1:${await freePort()}`;
    const redis = connectRedisForWorker(nobody, createLogger('test', 'silent'));
    const copy = redis.duplicate();
    copy.on('error', () => {});
    for (const each of [redis, copy]) {
      await waitFor(() => each.status === 'reconnecting', 'a pause between two tries', 2_000, 1);
      const ended = new Promise((resolve) => each.once('end', resolve));
      each.disconnect();
      await ended;
    }
  },
  5_000,
);

test('who can do nothing without Redis gives up after a while, and says what to look at', async () => {
  const redis = connectRedis(`redis://127.0.0.1:${await freePort()}`, createLogger('test', 'silent'));
  await expect(requireConnected(redis, 300)).rejects.toThrow(
    'Redis was not there for 0 seconds. See that it runs and that REDIS_URL names it.',
  );
});

describe('a command that may take 100 ms', () => {
  const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  let server: Awaited<ReturnType<typeof startRedis>>;
  let link: Awaited<ReturnType<typeof startTcpProxy>>;
  let redis: ReturnType<typeof connectRedis>;
  let linked: ReturnType<typeof connectRedis>;
  beforeAll(async () => {
    server = await startRedis();
    link = await startTcpProxy({ port: server.port });
    const open = (url: string) => connectRedis(url, createLogger('test', 'silent'), { timeoutMs: 100 });
    redis = open(server.url);
    linked = open(`redis://127.0.0.1:${link.port}`);
    await waitFor(() => redis.status === 'ready' && linked.status === 'ready', 'the connections');
  });
  afterAll(async () => {
    redis.disconnect();
    linked.disconnect();
    await Promise.all([link.stop(), server.stop()]);
  });

  test('has its answer that came while the process stood still', async () => {
    // Where Redis stood still as well it has not come.
    await waitFor(async () => {
      const answer = redis.ping().catch(() => undefined);
      await new Promise(setImmediate);
      standStill(300);
      return (await answer) === 'PONG';
    }, 'an answer in time');
  });

  test('fails when no answer came', async () => {
    link.blackhole();
    await expect(linked.ping()).rejects.toThrow('Command timed out');
  });
});

test('a queue whose own connection comes back after ours is not said to be lost again', () => {
  const redis = new Redis({ lazyConnect: true });
  const queue = new EventEmitter();
  const said: string[] = [];
  onQueueLost([queue], redis, (reason) => said.push(reason));
  const become = (status: 'ready' | 'reconnecting') => {
    redis.status = status;
    redis.emit(status);
  };
  const lose = (reason: string) => void queue.emit('error', new Error(reason));
  become('ready');
  become('reconnecting');
  lose('first loss');
  lose('first loss, another try');
  become('ready');
  lose('first loss, the queue is not back yet');
  become('reconnecting');
  lose('second loss');
  expect(said).toEqual(['first loss', 'second loss']);
});
