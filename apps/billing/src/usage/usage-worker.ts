import {
  MESSAGE,
  type PriceSnapshot,
  priceSnapshotSchema,
  USAGE_QUEUE,
  type UsageEvent,
  usageEventSchema,
} from '@tollgate/contracts';
import type { Logger, RequestReplyClient } from '@tollgate/platform';
import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { DataSource } from 'typeorm';
import type { KeyChanges } from '../keys/key-changes.ts';
import { postBatch, type Rejected } from './post-batch.ts';
import { type Posting, postingOf } from './posting.ts';

export interface UsageWorker {
  /** Finishes the jobs in hand. */
  close(): Promise<void>;
}

/**
 * Takes usage jobs from the queue and posts them. A job that cannot be posted now (database or pricing away, version
 * not known yet) fails and is tried again by the queue; an event that can never be posted is kept in
 * `usage_rejected`. Nothing is dropped.
 */
export function startUsageWorker(parts: {
  redis: Redis;
  database: DataSource;
  pricing: RequestReplyClient;
  changes: KeyChanges;
  logger: Logger;
  concurrency: number;
}): UsageWorker {
  const { redis, database, changes, logger } = parts;
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

  async function post(data: unknown): Promise<void> {
    const { events, rejected } = readBatch(data);
    const postings: Posting[] = [];
    for (const event of events) {
      const result = postingOf(event, await snapshotOf(event.snapshot_version));
      if (result.ok) postings.push(result.posting);
      else rejected.push({ requestId: event.request_id, reason: result.reason, event });
    }
    for (const { requestId, reason } of rejected)
      logger.error({ request_id: requestId, reason }, 'a usage event is rejected');
    await postBatch(database, changes, postings, rejected);
  }

  const worker = new Worker(USAGE_QUEUE, (job) => post(job.data), {
    connection: redis,
    concurrency: parts.concurrency,
    // A worker that was killed gives its jobs back after this.
    lockDuration: 10_000,
    stalledInterval: 5_000,
    maxStalledCount: 1_000_000,
  });
  worker.on('error', (error) => logger.warn({ reason: error.message }, 'usage queue'));
  worker.on('failed', (job, error) =>
    logger.warn(
      { job: job?.id, attempts: job?.attemptsMade, reason: error.message },
      'usage is posted later',
    ),
  );
  return { close: () => worker.close() };
}

/** The good events of a job, and what was none. */
function readBatch(data: unknown): { events: UsageEvent[]; rejected: Rejected[] } {
  const list =
    typeof data === 'object' && data !== null && 'events' in data && Array.isArray(data.events)
      ? data.events
      : undefined;
  if (!list)
    return {
      events: [],
      rejected: [{ requestId: null, reason: 'the job holds no list of events', event: data ?? null }],
    };
  const events: UsageEvent[] = [];
  const rejected: Rejected[] = [];
  for (const each of list as unknown[]) {
    const parsed = usageEventSchema.safeParse(each);
    if (parsed.success) events.push(parsed.data);
    else rejected.push({ requestId: null, reason: parsed.error.message, event: each });
  }
  return { events, rejected };
}
