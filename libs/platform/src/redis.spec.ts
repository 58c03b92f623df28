import { freePort, waitFor } from '@tollgate/harness';
import { createLogger } from './logging.ts';
import { connectRedisForWorker } from './redis.ts';

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
