import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UsageEvent } from '@tollgate/contracts';
import type { Logger } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { createConfirmation } from './confirmation.ts';
import { createJobSender, type Job } from './job-sender.ts';
import type { Spool } from './spool.ts';
import { writeEvent, type WrittenEvent } from './spool-line.ts';
import type { UsageDelivery } from './usage-delivery.ts';

/** Events of one tick travel in one job: a job costs Redis as much as an admission does, and nobody waits for it. */
const TICK_MS = 50;
const EVENTS_PER_JOB_MAX = 200;
const POLL_EVERY_MS = 500;
/** A disk that does not answer must not keep callers from the end of their answers for longer than this. */
const DURABLE_WAIT_MAX_MS = 2_000;
/** At the end, billing may take so long to confirm what was queued last; what it does not stays spooled. */
const LAST_POLLS = { everyMs: 100, max: 30 };

export interface Publisher {
  /** Takes an event. Resolves when the event is durable: only then may the last byte of its answer leave. */
  publish(event: UsageEvent): Promise<void>;
  /** Events that are not durable yet. */
  pending(): number;
  /** Events that disk, queue and billing have refused: they are in memory only, and are tried again. */
  unstored(): number;
  /** Events that the disk refused, since the start. */
  diskRefusals(): number;
  /** Resolves when every event taken so far is durable, and confirmed if billing is there to do it. */
  close(): Promise<void>;
}

/** The job that is being filled. */
interface OpenJob extends Job {
  readonly events: WrittenEvent[];
  readonly stored: Promise<boolean>[];
  /** Settles once the queue, or after all the disk, has taken every event. */
  readonly safe: PromiseWithResolvers<void>;
}

/**
 * Publishes usage events: first to the disk, then, once a tick, to the queue. The disk keeps an event until billing says that
 * it is posted, so neither a killed gateway nor a killed Redis loses one. What the queue refuses is handed to billing
 * directly. An event may arrive more than once; billing posts a request id once.
 */
export function createPublisher(parts: {
  readonly redis: Pick<Redis, 'on'>;
  readonly spool: Spool;
  readonly delivery: UsageDelivery;
  readonly missing: (requestIds: readonly string[]) => Promise<readonly string[]>;
  readonly logger: Logger;
}): Publisher {
  const { redis, spool, delivery, missing, logger } = parts;
  const confirmation = createConfirmation({ spool, missing, delivery, logger });
  const sender = createJobSender({ spool, delivery, logger });

  const prefix = `${Date.now().toString(36)}-${randomBytes(6).toString('hex')}`;
  let jobs = 0;
  const newJob = (): OpenJob => ({
    id: `${prefix}-${(jobs += 1)}`,
    events: [],
    stored: [],
    safe: Promise.withResolvers(),
  });
  let job = newJob();
  let tick: NodeJS.Timeout | undefined;
  let pending = 0;
  const underWay = new Set<Promise<void>>();

  function flush(): void {
    clearTimeout(tick);
    tick = undefined;
    if (job.events.length === 0) return;
    const full = job;
    job = newJob();
    const sent: Promise<void> = sender.send(full).finally(() => {
      full.safe.resolve();
      pending -= full.events.length;
      underWay.delete(sent);
    });
    underWay.add(sent);
  }

  const poll = (): Promise<boolean> => spool.cut('due').then(() => confirmation.poll(performance.now()));
  const polls = setInterval(() => void poll(), POLL_EVERY_MS);
  polls.unref();
  redis.on('ready', () => confirmation.runSoon());

  return {
    publish(event) {
      pending += 1;
      const { id, safe } = job;
      const written = writeEvent(event);
      const stored = sender.store(id, written);
      job.events.push(written);
      job.stored.push(stored);
      if (job.events.length >= EVENTS_PER_JOB_MAX) flush();
      else tick ??= setTimeout(flush, TICK_MS);
      const durable = stored.then((onDisk) => (onDisk ? undefined : safe.promise));
      return orAfter(durable, DURABLE_WAIT_MAX_MS, () =>
        logger.error(
          { event: 'usage_not_durable', request_id: event.request_id },
          'an answer ends before its usage event is durable',
        ),
      );
    },
    pending: () => pending,
    unstored: () => sender.unstored(),
    diskRefusals: () => sender.diskRefusals(),
    async close() {
      clearInterval(polls);
      flush();
      await Promise.all(underWay);
      await spool.cut('now');
      for (let n = 0; n < LAST_POLLS.max && spool.segments().length > 0; n += 1) {
        if (n > 0) await sleep(LAST_POLLS.everyMs);
        if (!(await confirmation.poll(Infinity))) break;
      }
      const left = spool.segments().length;
      if (left > 0)
        logger.warn(
          { event: 'usage_left_in_spool', segments: left },
          'the gateway ends with usage events in its spool',
        );
    },
  };
}

/** Waits for the work, or until it is late: an answer waits with it, so a timer is all that this may cost. */
function orAfter(work: Promise<void>, ms: number, late: () => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      late();
      resolve();
    }, ms);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    work.then(done, done);
  });
}
