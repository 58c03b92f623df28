import { USAGE_QUEUE } from '@tollgate/contracts';
import { createScript } from '@tollgate/limits';
import type { Logger } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import type { UsageBooks } from './usage-books.ts';

const EVERY_MS = 2_000;
/** So many jobs of up to 200 events are posted together. */
const PAGE = 20;
/** Of each state in one round: more wait for the next. */
const MAX_PER_ROUND = 10_000;

/** Where jobs stand that are not done; of these, some are kept in lists and some in sorted sets. */
const STATES = [
  { name: 'active', kind: 'list' },
  { name: 'wait', kind: 'list' },
  { name: 'paused', kind: 'list' },
  { name: 'prioritized', kind: 'set' },
  { name: 'delayed', kind: 'set' },
] as const;

/** Takes a job out, unless somebody did already: removing is what Redis does without memory. */
const REMOVE = `
local removed = ARGV[2] == 'list' and redis.call('LREM', KEYS[1], -1, ARGV[1]) or redis.call('ZREM', KEYS[1], ARGV[1])
if tonumber(removed) > 0 then redis.call('DEL', KEYS[2], KEYS[3], KEYS[4]) end
return removed
`;

export interface FullQueue {
  /** Whether Redis refused memory when it was last asked. */
  isFull(): boolean;
  /** Jobs that were taken out past the worker, since the start. */
  taken(): number;
  /** Finishes what is in hand. */
  close(): Promise<void>;
}

/**
 * Empties the usage queue while Redis is full. A worker cannot: every script of the queue writes, and a Redis that has
 * reached `maxmemory` with `noeviction` refuses that, so nothing would be booked for ever. This reads the jobs, posts them
 * as the worker does, and removes them; the worker goes on as soon as there is memory again.
 */
export function relieveFullQueue(parts: {
  readonly redis: Redis;
  readonly books: UsageBooks;
  readonly logger: Logger;
  readonly everyMs?: number;
}): FullQueue {
  const { redis, books, logger } = parts;
  const remove = createScript(redis, REMOVE);
  /** As BullMQ names them. */
  const key = (name: string): string => `bull:${USAGE_QUEUE}:${name}`;
  let full = false;
  let taken = 0;

  /** Beside the jobs: in a cluster, each server has a memory of its own. */
  const refusesMemory = (): Promise<boolean> =>
    redis.set(key('asked-for-memory'), '1', 'PX', 10_000).then(
      () => false,
      (error: Error) => {
        if (error.message.includes('OOM')) return true;
        throw error;
      },
    );

  async function takeJob(state: (typeof STATES)[number], id: string): Promise<void> {
    // A worker has it, and will say what became of it.
    if (state.name === 'active' && (await redis.exists(`${key(id)}:lock`)) === 1) return;
    const data = await redis.hget(key(id), 'data');
    if (data !== null) await books.post(JSON.parse(data));
    const keys = [key(state.name), key(id), `${key(id)}:logs`, `${key(id)}:lock`];
    if (Number(await remove(keys, [id, state.kind])) > 0) taken += 1;
  }

  async function takeAll(): Promise<void> {
    for (const state of STATES) {
      const ids =
        state.kind === 'list'
          ? (await redis.lrange(key(state.name), -MAX_PER_ROUND, -1)).reverse()
          : await redis.zrange(key(state.name), '0', String(MAX_PER_ROUND - 1));
      for (let at = 0; at < ids.length; at += PAGE) {
        const done = await Promise.allSettled(ids.slice(at, at + PAGE).map((id) => takeJob(state, id)));
        const failed = done.find((each) => each.status === 'rejected');
        if (failed)
          logger.warn(
            { event: 'usage_post_failed', reason: String(failed.reason) },
            'usage of a full queue could not be posted',
          );
      }
    }
  }

  async function round(): Promise<void> {
    const wasFull = full;
    full = await refusesMemory();
    if (full !== wasFull)
      logger[full ? 'error' : 'info'](
        { event: full ? 'redis_full' : 'redis_memory_restored', taken },
        full ? 'Redis is full; usage is taken past the queue' : 'Redis has memory again',
      );
    if (full) await takeAll();
  }

  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= round()
      .catch((error: Error) =>
        logger.debug(
          { event: 'redis_memory_check_failed', reason: error.message },
          'Redis could not be asked for memory',
        ),
      )
      .finally(() => (running = undefined));
  }, parts.everyMs ?? EVERY_MS);
  timer.unref();

  return {
    isFull: () => full,
    taken: () => taken,
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}
