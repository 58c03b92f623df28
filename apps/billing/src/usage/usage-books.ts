import {
  type PriceSnapshot,
  type UnverifiedSnapshot,
  unverifiedSnapshotSchema,
  verifySnapshot,
} from '@tollgate/catalogue';
import { MESSAGE, type UsageEvent } from '@tollgate/contracts';
import { createGroupCommit, type Logger, type RequestReplyClient } from '@tollgate/platform';
import { LRUCache } from 'lru-cache';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import type { Credit } from '../credit/credit.ts';
import { believed } from './believed-time.ts';
import type { Rejected } from './post-batch.ts';
import { postOrReject } from './post-or-reject.ts';
import { type Posting, postingOf, type Result } from './posting.ts';
import type { TracePostings } from './posting-trace.ts';
import { readJob } from './read-job.ts';
import type { UsageMetrics } from './usage-metrics.ts';

/** Jobs in hand share a database transaction: up to so many events, or what comes within a few milliseconds. */
const BATCHES_PER_COMMIT_MAX = 2_000;
const GATHER_MS = 20;
/** What the columns of versions hold. */
const HIGHEST_VERSION = 2 ** 31 - 1;

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

  /**
   * The prices that a request was admitted under: by their hash where it is told, for numbers may be given twice. The
   * number counts beside it, for going back to an older version publishes a catalogue again, under a new number.
   */
  async function snapshotOf({
    snapshot_version: version,
    snapshot_hash: hash,
  }: UsageEvent): Promise<Result<PriceSnapshot>> {
    const name = `${version} ${hash ?? ''}`;
    const held = snapshots.get(name);
    if (held) return { ok: true, value: held };
    if (version > HIGHEST_VERSION) return { ok: false, reason: `no version is as high as ${version}` };
    const described = `version ${version}${hash === undefined ? '' : ` with the hash ${hash}`}`;
    try {
      const question = hash === undefined ? { version } : { version, hash };
      const answer = unverifiedSnapshotSchema.nullable();
      const found = await parts.pricing.request(MESSAGE.snapshotGet, question, answer);
      if (!found) return { ok: false, reason: `pricing does not know ${described}` };
      const snapshot = verified(found);
      if (hash !== undefined && snapshot.hash !== hash)
        return { ok: false, reason: `pricing answered ${snapshot.hash} for ${described}` };
      snapshots.set(name, snapshot);
      return { ok: true, value: snapshot };
    } catch (error) {
      if (!isAnswer(error)) throw error;
      return { ok: false, reason: `pricing has no good answer for ${described}: ${error.message}` };
    }
  }

  async function rateJob(data: unknown): Promise<RatedJob> {
    const { events, rejected } = readJob(data);
    const postings: Posting[] = [];
    for (const event of events) {
      const snapshot = await snapshotOf(event);
      const result = snapshot.ok ? rateEvent(event, snapshot.value) : snapshot;
      if (result.ok) postings.push(result.value);
      else rejected.push({ requestId: event.request_id, reason: result.reason, event, waits: !snapshot.ok });
    }
    return { postings, rejected };
  }

  function tellRejected({ rejected }: RatedJob): void {
    for (const { requestId, reason, waits } of rejected)
      if (waits) logger.warn({ event: 'usage_waits', request_id: requestId, reason }, 'a usage event waits');
      else
        logger.error({ event: 'usage_rejected', request_id: requestId, reason }, 'a usage event is rejected');
  }

  async function withBelievedTimes(postings: readonly Posting[]): Promise<Posting[]> {
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

  const commits = createGroupCommit<RatedJob>(
    async (jobs) => {
      const postings = await withBelievedTimes(jobs.flatMap((job) => job.postings));
      const rejected = jobs.flatMap((job) => job.rejected);
      const beganAt = Date.now();
      const posted = await postOrReject(database, postings, rejected);
      const endedAt = Date.now();
      metrics?.posted(posted, (endedAt - beganAt) / 1_000);
      parts.trace?.(posted, beganAt, endedAt);
      const forGood = rejected.filter(({ waits }) => !waits);
      metrics?.rejected(forGood.length);
      await parts.credit.posted(
        postings.map(({ event }) => event),
        forGood.flatMap(({ requestId }) => requestId ?? []),
      );
    },
    {
      maxSize: BATCHES_PER_COMMIT_MAX,
      measure: ({ postings, rejected }) => postings.length + rejected.length,
      gatherMs: GATHER_MS,
    },
  );

  return {
    async post(job) {
      const rated = await rateJob(job);
      tellRejected(rated);
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

class BadSnapshot extends Error {
  override readonly name = 'BadSnapshot';
}

function verified(found: UnverifiedSnapshot): PriceSnapshot {
  try {
    return verifySnapshot(found);
  } catch (error) {
    throw new BadSnapshot(error instanceof Error ? error.message : String(error));
  }
}

/** Pricing is there, and has no such prices to give; that it is away is another error. */
const isAnswer = (error: unknown): error is { readonly message: string } =>
  error instanceof z.ZodError ||
  error instanceof BadSnapshot ||
  (typeof error === 'object' && error !== null && 'status' in error && error.status === 'error');

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
