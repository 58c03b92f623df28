import { USAGE_QUEUE, type UsageEvent } from '@tollgate/contracts';
import type { Logger } from '@tollgate/platform';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Spool } from './spool.ts';

/** Events of one tick travel in one job: a job costs Redis as much as an admission does. */
const TICK_MS = 20;
const MOST_PER_JOB = 200;
const REPLAY_EVERY_MS = 1_000;
const DISK_RETRY_MS = 500;

export interface Publisher {
  /** Takes an event; it is on its way to the queue or to the disk within a tick. */
  publish(event: UsageEvent): void;
  /** Events that are neither queued nor spooled yet. */
  pending(): number;
  /** Resolves when every event taken so far is durable. */
  close(): Promise<void>;
}

/**
 * Makes usage events durable: the queue, or the disk spool while Redis is away; spooled events follow to the
 * queue when it is back. An event may arrive twice (a job that was accepted, but whose answer was lost); billing
 * posts a request id once.
 */
export function createPublisher(redis: Redis, spool: Spool, logger: Logger): Publisher {
  const queue = new Queue(USAGE_QUEUE, {
    connection: redis,
    skipWaitingForReady: true,
    defaultJobOptions: {
      attempts: 1_000_000,
      backoff: { type: 'fixed', delay: 2_000, jitter: 0.5 },
      removeOnComplete: true,
      removeOnFail: false,
    },
  });
  queue.on('error', (error) => logger.debug({ reason: error.message }, 'usage queue'));

  let waiting: UsageEvent[] = [];
  let tick: NodeJS.Timeout | undefined;
  const underWay = new Set<Promise<void>>();
  let underWayEvents = 0;

  const enqueue = async (events: readonly UsageEvent[]): Promise<void> => {
    if (redis.status !== 'ready') throw new Error(`Redis is ${redis.status}`);
    await queue.add('usage', { events });
  };

  async function store(events: UsageEvent[]): Promise<void> {
    try {
      await enqueue(events);
      return;
    } catch (error) {
      logger.debug(
        { reason: (error as Error).message, events: events.length },
        'usage events go to the spool',
      );
    }
    for (;;) {
      try {
        return await spool.append(events);
      } catch (error) {
        // Disk and queue both refuse: hold the events and try both again, for as long as the process lives.
        logger.error(
          { reason: (error as Error).message, events: events.length },
          'usage events can be stored nowhere',
        );
        await new Promise((resolve) => setTimeout(resolve, DISK_RETRY_MS));
        if (
          await enqueue(events).then(
            () => true,
            () => false,
          )
        )
          return;
      }
    }
  }

  function flush(): void {
    clearTimeout(tick);
    tick = undefined;
    while (waiting.length > 0) {
      const events = waiting.slice(0, MOST_PER_JOB);
      waiting = waiting.slice(MOST_PER_JOB);
      underWayEvents += events.length;
      const stored: Promise<void> = store(events).finally(() => {
        underWayEvents -= events.length;
        underWay.delete(stored);
      });
      underWay.add(stored);
    }
  }

  let replaying: Promise<void> | undefined;
  const replay = async (): Promise<void> => {
    if (replaying || spool.isEmpty() || redis.status !== 'ready') return;
    replaying = spool
      .replay(enqueue)
      .then(
        (events) => logger.info({ events }, 'spooled usage events are queued'),
        (error: Error) => logger.debug({ reason: error.message }, 'the spool waits for Redis'),
      )
      .finally(() => (replaying = undefined));
    await replaying;
  };
  const replayTimer = setInterval(() => void replay(), REPLAY_EVERY_MS);
  replayTimer.unref();

  return {
    publish(event) {
      waiting.push(event);
      if (waiting.length >= MOST_PER_JOB) flush();
      else tick ??= setTimeout(flush, TICK_MS);
    },
    pending: () => waiting.length + underWayEvents,
    async close() {
      clearInterval(replayTimer);
      flush();
      await Promise.all(underWay);
      await replay();
      await replaying;
      await spool.close();
      await queue.close().catch(() => {});
    },
  };
}
