import { toQueueKey } from '@tollgate/contracts';
import { createScript } from '@tollgate/limits';
import { findUsageQueues, type Logger } from '@tollgate/platform';
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
type State = (typeof STATES)[number];

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
 * Empties the usage queues while Redis is full. A worker cannot: every script of the queue writes, and a Redis that has
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
  const takeJob = createJobTaker(redis, books);
  let full = false;
  let taken = 0;

  async function takeAll(queue: string): Promise<void> {
    for (const state of STATES) {
      const ids = await listJobs(redis, queue, state);
      for (let at = 0; at < ids.length; at += PAGE) {
        const done = await Promise.allSettled(
          ids.slice(at, at + PAGE).map((id) => takeJob(queue, state, id)),
        );
        taken += done.filter((each) => each.status === 'fulfilled' && each.value).length;
        const failed = done.find((each) => each.status === 'rejected');
        if (failed)
          logger.warn(
            { event: 'usage_post_failed', reason: String(failed.reason) },
            'usage of a full queue could not be posted',
          );
      }
    }
  }

  async function poll(): Promise<void> {
    const wasFull = full;
    const queues = await findUsageQueues(redis);
    // In a cluster each server has a memory of its own.
    const refused = await Promise.all(queues.map((queue) => refusesMemory(redis, queue)));
    full = refused.includes(true);
    if (full !== wasFull)
      logger[full ? 'error' : 'info'](
        { event: full ? 'redis_full' : 'redis_memory_restored', taken },
        full ? 'Redis is full; usage is taken past the queue' : 'Redis has memory again',
      );
    for (const [at, queue] of queues.entries()) if (refused[at]) await takeAll(queue);
  }

  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= poll()
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

/** Asked beside its jobs. */
const refusesMemory = (redis: Redis, queue: string): Promise<boolean> =>
  redis.set(toQueueKey(queue, 'asked-for-memory'), '1', 'PX', 10_000).then(
    () => false,
    (error: Error) => {
      if (error.message.includes('OOM')) return true;
      throw error;
    },
  );

/** Ids of jobs in a state, the oldest first. */
async function listJobs(redis: Redis, queue: string, { name, kind }: State): Promise<string[]> {
  const key = toQueueKey(queue, name);
  if (kind === 'set') return redis.zrange(key, '0', String(MAX_PER_ROUND - 1));
  return (await redis.lrange(key, -MAX_PER_ROUND, -1)).reverse();
}

/** Answers what posts one job and takes it out; false where somebody else has it, or had it. */
function createJobTaker(
  redis: Redis,
  books: UsageBooks,
): (queue: string, state: State, id: string) => Promise<boolean> {
  const remove = createScript(redis, REMOVE);
  return async (queue, { name, kind }, id) => {
    const job = toQueueKey(queue, id);
    // A worker has it, and will say what became of it.
    if (name === 'active' && (await redis.exists(`${job}:lock`)) === 1) return false;
    const data = await redis.hget(job, 'data');
    if (data !== null) await books.post(JSON.parse(data));
    return Number(await remove([toQueueKey(queue, name), job, `${job}:logs`, `${job}:lock`], [id, kind])) > 0;
  };
}
