import type { UsageEvent } from '@tollgate/contracts';
import type { Logger } from '@tollgate/platform';
import { writeEvent } from './spool-line.ts';
import type { Segment, Spool } from './spool.ts';
import type { UsageDelivery } from './usage-delivery.ts';

const IDS_PER_LOOKUP_MAX = 2_000;
/** A new segment's events are mostly still under way. */
const GRACE_MS = 1_000;
/** How long after one look at a segment the next is due, while some of its events are not in the books. */
const RETRY_MS = { initial: 2_000, max: 30_000 };
/**
 * The queue is worked off in order: while an old segment is not done, newer ones will hardly be, and are not asked about.
 * One that waits for longer than this holds up nobody.
 */
const IN_ORDER_MS = 8_000;
/** Of segments whose jobs may be lost. */
const REQUEUED_PER_POLL_MAX = 10;

export interface Confirmation {
  /**
   * Checks the segments that are due. A segment whose events are all posted is removed. When a segment was checked before, or
   * its jobs may be lost, the jobs that are not done are queued again; a job that is still queued is not doubled, because it
   * keeps its id. What the queue refuses is handed to billing directly. Resolves false when billing did not answer.
   *
   * @param now milliseconds of the monotonic clock: after a jump of the wall clock a file would be due in years.
   */
  poll(now: number): Promise<boolean>;
  /** The queue may have lost what it had: makes every segment due soon. */
  runSoon(): void;
}

/** Keeps the spool until billing has confirmed it: the queue may forget, the books do not. */
export function createConfirmation(parts: {
  readonly spool: Spool;
  /** Those of the requests that are not in the books. @throws while billing is away. */
  readonly missing: (requestIds: readonly string[]) => Promise<readonly string[]>;
  readonly delivery: Pick<UsageDelivery, 'enqueue' | 'post' | 'queueRefuses'>;
  readonly logger: Logger;
}): Confirmation {
  const { spool, delivery, logger } = parts;
  let waits = new Map<string, { readonly dueAt: number; readonly waitMs: number | undefined }>();
  const names = () => new Set(spool.segments().map(({ name }) => name));
  /** Segments with jobs that may never have come into the queue: those of a process before this one, at first. */
  let doubtful = names();
  let underWay: Promise<boolean> | undefined;

  async function missingOf(requestIds: readonly string[]): Promise<Set<string>> {
    const missing = new Set<string>();
    for (let start = 0; start < requestIds.length; start += IDS_PER_LOOKUP_MAX) {
      const some = await parts.missing(requestIds.slice(start, start + IDS_PER_LOOKUP_MAX));
      for (const id of some) missing.add(id);
    }
    return missing;
  }

  /** Whether jobs are in the queue again; false when it refused them and they are in the books. */
  async function deliver(jobs: readonly (readonly [string, readonly UsageEvent[]])[]): Promise<boolean> {
    let isQueued = true;
    for (const [job, events] of jobs) {
      if (isQueued) isQueued = await delivery.enqueue(job, events.map(writeEvent)).then(isTrue, isFalse);
      if (!isQueued) await delivery.post(events);
    }
    return isQueued;
  }

  /** Whether nothing is left to do for it: all of it is in the books, or what is not cannot be read. */
  async function look(segment: Segment, now: number): Promise<boolean> {
    const requestIds = await segment.requestIds();
    let missing = await missingOf(requestIds);
    const done = async (): Promise<true> => {
      await (missing.size === 0 ? segment.remove() : segment.setAside());
      waits.delete(segment.name);
      doubtful.delete(segment.name);
      return true;
    };
    if (missing.size === 0) return done();
    const before = waits.get(segment.name)?.waitMs;
    const waitMs = before === undefined ? RETRY_MS.initial : Math.min(RETRY_MS.max, before * 2);
    waits.set(segment.name, { dueAt: now + waitMs, waitMs });
    // The queue is behind, most likely.
    if (before === undefined && !doubtful.delete(segment.name) && !delivery.queueRefuses()) return false;
    const undone = [...(await segment.jobs())].filter(([, events]) =>
      events.some(({ request_id }) => missing.has(request_id)),
    );
    if (undone.length === 0) return done();
    if (!(await deliver(undone))) {
      missing = await missingOf(requestIds);
      // What is missing still was said to be posted: it is asked about again.
      return missing.size === 0 && done();
    }
    logger.debug(
      { event: 'usage_requeued', segment: segment.name, events: missing.size, jobs: undone.length },
      'usage events that are not in the books are queued again',
    );
    return false;
  }

  async function lookAtDue(now: number): Promise<void> {
    let isBehind = false;
    let queuedAgain = 0;
    for (const segment of spool.segments()) {
      const { name } = segment;
      const isDoubtful = doubtful.has(name) || delivery.queueRefuses();
      if (isBehind && !isDoubtful) continue;
      const wait = waits.get(name) ?? { dueAt: now + GRACE_MS, waitMs: undefined };
      waits.set(name, wait);
      if (wait.dueAt <= now) {
        if (await look(segment, now)) continue;
        if (isDoubtful) queuedAgain += 1;
        if (queuedAgain === REQUEUED_PER_POLL_MAX) return;
      }
      isBehind ||= (waits.get(name)?.waitMs ?? Infinity) <= IN_ORDER_MS;
    }
  }

  return {
    poll(now) {
      underWay ??= lookAtDue(now)
        .then(
          () => true,
          (error: Error) => {
            logger.debug(
              { event: 'spool_confirmation_failed', reason: error.message },
              'files of the spool could not be confirmed',
            );
            return false;
          },
        )
        .finally(() => (underWay = undefined));
      return underWay;
    },
    runSoon() {
      waits = new Map();
      doubtful = names();
    },
  };
}

const isTrue = (): boolean => true;
const isFalse = (): boolean => false;
