import {
  MESSAGE,
  type PriceSnapshot,
  priceSnapshotSchema,
  USAGE_QUEUE,
  type UsageEvent,
} from '@tollgate/contracts';
import { createGroupCommit, type Logger, type RequestReplyClient } from '@tollgate/platform';
import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { DataSource } from 'typeorm';
import type { Credit } from '../credit/credit.ts';
import type { Rejected } from './post-batch.ts';
import { postOrReject } from './post-or-reject.ts';
import { type Posting, postingOf, type Result } from './posting.ts';
import type { TracePostings } from './posting-trace.ts';
import { readJob } from './read-job.ts';
import type { UsageMetrics } from './usage-metrics.ts';

/** Jobs in hand share a database transaction: up to so many events, or what comes within a few milliseconds. */
const MOST_PER_COMMIT = 2_000;
const GATHER_MS = 20;

export interface UsageWorker {
  /** Finishes the jobs in hand. */
  close(): Promise<void>;
}

/** A job's events as they go into the books. */
interface RatedJob {
  readonly postings: readonly Posting[];
  readonly rejected: readonly Rejected[];
}

/**
 * Takes usage jobs from the queue and posts them; a job is done once its events are committed. A job that cannot be
 * posted now (database or pricing away, version not known yet) fails and is tried again by the queue; an event that can
 * never be posted is kept in `usage_rejected`. Nothing is dropped.
 */
export function startUsageWorker(parts: {
  redis: Redis;
  database: DataSource;
  pricing: RequestReplyClient;
  credit: Pick<Credit, 'posted'>;
  logger: Logger;
  concurrency: number;
  metrics?: UsageMetrics;
  trace?: TracePostings | undefined;
}): UsageWorker {
  const { redis, database, logger, metrics } = parts;
  const snapshots = new LRUCache<number, PriceSnapshot>({ max: 100 });

  async function snapshotOf(version: number): Promise<PriceSnapshot> {
    const held = snapshots.get(version);
    if (held) return held;
    const found = await parts.pricing.request(
      MESSAGE.snapshotGet,
      { version },
      priceSnapshotSchema.nullable(),
    );
    if (!found) throw new Error(`pricing does not know version ${version}`);
    snapshots.set(version, found);
    return found;
  }

  async function rateJob(data: unknown): Promise<RatedJob> {
    const { events, rejected } = readJob(data);
    const postings: Posting[] = [];
    for (const event of events) {
      const result = rateEvent(event, await snapshotOf(event.snapshot_version));
      if (result.ok) postings.push(result.value);
      else rejected.push({ requestId: event.request_id, reason: result.reason, event });
    }
    for (const { requestId, reason } of rejected)
      logger.error({ request_id: requestId, reason }, 'a usage event is rejected');
    return { postings, rejected };
  }

  const books = createGroupCommit<RatedJob>(
    async (jobs) => {
      const postings = jobs.flatMap((job) => job.postings);
      const rejected = jobs.flatMap((job) => job.rejected);
      const beganAt = Date.now();
      const posted = await postOrReject(database, postings, rejected);
      const endedAt = Date.now();
      metrics?.posted(posted, (endedAt - beganAt) / 1_000);
      parts.trace?.(posted, beganAt, endedAt);
      metrics?.rejected(rejected.length);
      await parts.credit.posted(
        postings.map(({ event }) => event),
        rejected.flatMap(({ requestId }) => requestId ?? []),
      );
    },
    {
      most: MOST_PER_COMMIT,
      sizeOf: ({ postings, rejected }) => postings.length + rejected.length,
      gatherMs: GATHER_MS,
    },
  );

  const worker = new Worker(USAGE_QUEUE, async (job) => books.add(await rateJob(job.data)), {
    connection: redis,
    concurrency: parts.concurrency,
    // A worker that was killed gives its jobs back after this.
    lockDuration: 10_000,
    stalledInterval: 5_000,
    maxStalledCount: 1_000_000,
  });
  worker.on('error', (error) => logger.warn({ reason: error.message }, 'usage queue'));
  worker.on('failed', (job, error) => {
    metrics?.failed();
    logger.warn(
      { job: job?.id, attempts: job?.attemptsMade, reason: error.message },
      'usage is posted later',
    );
  });
  return { close: () => worker.close() };
}

/** Counts that no price list can be exact about are a reason to reject, like a model that is not there. */
function rateEvent(event: UsageEvent, snapshot: PriceSnapshot): Result<Posting> {
  try {
    return postingOf(event, snapshot);
  } catch (error) {
    if (error instanceof RangeError) return { ok: false, reason: error.message };
    throw error;
  }
}
