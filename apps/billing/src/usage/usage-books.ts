import type { PriceSnapshot } from '@tollgate/catalogue';
import type { UsageEvent } from '@tollgate/contracts';
import { createGroupCommit, type Logger, type RequestReplyClient } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import type { Credit } from '../credit/credit.ts';
import { believed } from './believed-time.ts';
import { EVENTS_PER_COMMIT_MAX, type Rejected } from './post-batch.ts';
import { postOrReject } from './post-or-reject.ts';
import { type Posting, computePosting, type Result } from './posting.ts';
import type { TracePostings } from './posting-trace.ts';
import { readJob } from './read-job.ts';
import { createSnapshotLookup } from './snapshot-lookup.ts';
import type { UsageMetrics } from './usage-metrics.ts';

/** Jobs in hand share a database transaction: as many events as it may have, or what comes within so many milliseconds. */
const GATHER_MS = 20;

/** Where usage goes into the books, whichever way it came. */
export interface UsageBooks {
  /**
   * Posts the events of a job, once each, however often they come. Resolves when they are committed. An event that cannot
   * be posted holds none beside it back: it is kept in `usage_rejected`, where one that a later release or version of the
   * catalogue may know waits and is tried again. Nothing is dropped.
   *
   * @throws what a later try may fix: database or pricing away.
   */
  post(job: unknown): Promise<void>;
  /** Tries to post events each for itself. Answers why one was not given to the books; undefined where it was. */
  retry(events: readonly unknown[]): Promise<(Rejected | undefined)[]>;
}

/** A job's events as they go into the books. */
interface RatedJob {
  readonly postings: readonly Posting[];
  readonly rejected: readonly Rejected[];
}

interface UsageBooksParts {
  readonly database: DataSource;
  readonly pricing: RequestReplyClient;
  readonly credit: Pick<Credit, 'posted'>;
  readonly logger: Logger;
  readonly metrics?: UsageMetrics;
  readonly trace?: TracePostings | undefined;
}

export function createUsageBooks(parts: UsageBooksParts): UsageBooks {
  const { database, logger, metrics } = parts;
  const findSnapshot = createSnapshotLookup(parts.pricing);

  async function rateJob(data: unknown): Promise<RatedJob> {
    const { events, rejected } = readJob(data);
    const postings: Posting[] = [];
    for (const event of events) {
      const snapshot = await findSnapshot(event);
      const result = snapshot.ok ? rateEvent(event, snapshot.value) : snapshot;
      if (result.ok) postings.push(result.value);
      else rejected.push({ requestId: event.request_id, reason: result.reason, event, waits: !snapshot.ok });
    }
    return { postings, rejected };
  }

  const commits = createGroupCommit<RatedJob>(
    async (jobs) => {
      const postings = await withBelievedTimes(
        parts,
        jobs.flatMap((job) => job.postings),
      );
      const rejected = jobs.flatMap((job) => job.rejected);
      const [beganAt, from] = [Date.now(), performance.now()];
      const { posted, refused } = await postOrReject(database, postings, rejected);
      reportRejected(refused, logger);
      const tookMs = performance.now() - from;
      metrics?.posted(posted, tookMs / 1_000);
      parts.trace?.(posted, beganAt, beganAt + tookMs);
      const forGood = [...rejected, ...refused].filter(({ waits }) => !waits);
      metrics?.rejected(forGood.length);
      // What waits is charged once it is booked, and is held until then.
      const waiting = new Set(refused.filter(({ waits }) => waits).map(({ event }) => event));
      await parts.credit.posted(
        postings.map(({ event }) => event).filter((event) => !waiting.has(event)),
        forGood.flatMap(({ requestId }) => requestId ?? []),
      );
    },
    {
      maxSize: EVENTS_PER_COMMIT_MAX,
      measure: ({ postings, rejected }) => postings.length + rejected.length,
      gatherMs: GATHER_MS,
    },
  );

  return {
    async post(job) {
      const rated = await rateJob(job);
      reportRejected(rated.rejected, logger);
      await commits.add(rated);
    },
    async retry(events) {
      const rated: RatedJob[] = [];
      for (const event of events) rated.push(await rateJob({ events: [event] }));
      await Promise.all(
        rated
          .filter(({ postings }) => postings.length > 0)
          .map((each) => commits.add({ ...each, rejected: [] })),
      );
      return rated.map(({ rejected: [reason] }) => reason);
    },
  };
}

function reportRejected(rejected: readonly Rejected[], logger: Logger): void {
  for (const { requestId, reason, waits } of rejected)
    if (waits) logger.warn({ event: 'usage_waits', request_id: requestId, reason }, 'a usage event waits');
    else
      logger.error({ event: 'usage_rejected', request_id: requestId, reason }, 'a usage event is rejected');
}

/** The postings with times that can be. */
async function withBelievedTimes(
  { database, logger, metrics }: UsageBooksParts,
  postings: readonly Posting[],
): Promise<Posting[]> {
  const found = await believed(database, postings, (how) => metrics?.clockCorrected(how));
  const corrected = found.filter(({ claimedAt }) => claimedAt !== undefined);
  const [first] = corrected;
  if (first)
    logger.warn(
      {
        event: 'gateway_clock_wrong',
        events: corrected.length,
        request_id: first.event.request_id,
        claimed_at: first.claimedAt,
      },
      "a gateway's clock is wrong: its usage is booked at the time that PostgreSQL has",
    );
  return found;
}

/** Counts that no price list can be exact about are a reason to reject, like a model that is not there. */
function rateEvent(event: UsageEvent, snapshot: PriceSnapshot): Result<Posting> {
  try {
    const { version } = snapshot;
    // Booked under the number that these prices have in this database.
    return computePosting(
      event.snapshot_version === version ? event : { ...event, snapshot_version: version },
      snapshot,
    );
  } catch (error) {
    if (error instanceof RangeError) return { ok: false, reason: error.message };
    throw error;
  }
}
