import {
  MESSAGE,
  type PriceSnapshot,
  unverifiedSnapshotSchema,
  type UsageEvent,
  verifySnapshot,
} from '@tollgate/contracts';
import { createGroupCommit, type Logger, type RequestReplyClient } from '@tollgate/platform';
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

/** Where usage goes into the books, whichever way it came. */
export interface UsageBooks {
  /**
   * Posts the events of a job, once each, however often they come. Resolves when they are committed; an event that can
   * never be posted is kept in `usage_rejected`. Nothing is dropped.
   *
   * @throws what a later try may mend: database or pricing away, a version that is not known yet.
   */
  post(job: unknown): Promise<void>;
}

/** A job's events as they go into the books. */
interface RatedJob {
  readonly postings: readonly Posting[];
  readonly rejected: readonly Rejected[];
}

export function createUsageBooks(parts: {
  database: DataSource;
  pricing: RequestReplyClient;
  credit: Pick<Credit, 'posted'>;
  logger: Logger;
  metrics?: UsageMetrics;
  trace?: TracePostings | undefined;
}): UsageBooks {
  const { database, logger, metrics } = parts;
  const snapshots = new LRUCache<string, PriceSnapshot>({ max: 100 });

  /** The prices that a request was admitted under: by their hash where it is told, for numbers may be given twice. */
  async function snapshotOf({
    snapshot_version: version,
    snapshot_hash: hash,
  }: UsageEvent): Promise<PriceSnapshot> {
    const name = hash ?? String(version);
    const held = snapshots.get(name);
    if (held) return held;
    const question = hash === undefined ? { version } : { version, hash };
    const found = await parts.pricing.request(
      MESSAGE.snapshotGet,
      question,
      unverifiedSnapshotSchema.nullable(),
    );
    if (!found)
      throw new Error(
        `pricing does not know version ${version}${hash === undefined ? '' : ` with the hash ${hash}`}`,
      );
    const snapshot = verifySnapshot(found);
    if (hash !== undefined && snapshot.hash !== hash)
      throw new Error(`pricing answered ${snapshot.hash} for version ${version} with the hash ${hash}`);
    snapshots.set(name, snapshot);
    return snapshot;
  }

  async function rateJob(data: unknown): Promise<RatedJob> {
    const { events, rejected } = readJob(data);
    const postings: Posting[] = [];
    for (const event of events) {
      const result = rateEvent(event, await snapshotOf(event));
      if (result.ok) postings.push(result.value);
      else rejected.push({ requestId: event.request_id, reason: result.reason, event });
    }
    for (const { requestId, reason } of rejected)
      logger.error({ request_id: requestId, reason }, 'a usage event is rejected');
    return { postings, rejected };
  }

  const commits = createGroupCommit<RatedJob>(
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

  return { post: async (job) => commits.add(await rateJob(job)) };
}

/** Counts that no price list can be exact about are a reason to reject, like a model that is not there. */
function rateEvent(event: UsageEvent, snapshot: PriceSnapshot): Result<Posting> {
  try {
    // Booked under the number that these prices have in this database.
    return postingOf({ ...event, snapshot_version: snapshot.version }, snapshot);
  } catch (error) {
    if (error instanceof RangeError) return { ok: false, reason: error.message };
    throw error;
  }
}
