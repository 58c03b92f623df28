import { readdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@tollgate/platform';
import type { Confirmation } from '../publish/confirmation.ts';
import type { Segment, Spool } from '../publish/spool.ts';
import type { Worker } from './worker.ts';
import { type SpoolDirectory, spoolNumbers, spoolPath } from './spool-directory.ts';
import { lockSpool } from './spool-lock.ts';

const SWEEP_EVERY_MS = 5_000;
const POLL_EVERY_MS = 500;
/** The process of a number that is still used comes back before its files are as old as that. */
const COMES_BACK_MS = 60_000;

/** Spools that processes have left for good. */
export interface OrphanedSpools {
  /** Files of them that this process brings into the books at the moment. */
  segments(): readonly Segment[];
  close(): Promise<void>;
}

/** What brings the files of a spool into the books. */
interface Draining extends SpoolDirectory {
  readonly spool: Pick<Spool, 'segments'>;
  readonly confirmation: Pick<Confirmation, 'poll'>;
}

/**
 * Looks every few seconds for spools that no process owns: the gateway has fewer processes than before, or a process had to
 * take another directory. The events in them are published like our own, and empty directories are removed. Every process
 * looks; only one at a time owns a spool.
 */
export function drainOrphanedSpools(parts: {
  readonly root: string;
  readonly own: number;
  readonly worker: Worker;
  readonly open: (path: string) => Promise<Pick<Draining, 'spool' | 'confirmation'>>;
  readonly logger: Logger;
  readonly sweepEveryMs?: number;
}): OrphanedSpools {
  const { root, own, worker, logger } = parts;
  const draining = new Map<number, Draining>();
  let closed = false;

  async function take(number: number): Promise<void> {
    const path = spoolPath(root, number);
    const lock = await lockSpool(path);
    if (!lock) return;
    try {
      const opened = await parts.open(path);
      draining.set(number, { number, path, ...lock, ...opened });
      logger.info(
        { event: 'orphaned_spool_taken', directory: path, files: opened.spool.segments().length },
        'this process drains an orphaned spool',
      );
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  async function giveUp({ number, path, release, spool }: Draining): Promise<void> {
    draining.delete(number);
    if (number > 1 && spool.segments().length === 0) await rmdir(path).catch(() => {});
    await release();
  }

  async function sweep(): Promise<void> {
    for (const number of await spoolNumbers(root)) {
      if (closed) return;
      if (number === own || draining.has(number)) continue;
      if (await isOrphaned(root, number, worker)) await take(number);
    }
  }

  async function poll(): Promise<void> {
    for (const each of draining.values()) {
      await each.confirmation.poll(performance.now());
      if (each.spool.segments().length === 0) await giveUp(each);
    }
  }

  let underWay: Promise<void> | undefined;
  const inTurn = (work: () => Promise<void>) => {
    if (closed) return;
    underWay ??= work()
      .catch((error: Error) =>
        logger.error(
          { event: 'orphaned_spools_drain_failed', reason: error.message },
          'orphaned spools were not drained',
        ),
      )
      .finally(() => (underWay = undefined));
  };
  const sweeps = setInterval(() => inTurn(sweep), parts.sweepEveryMs ?? SWEEP_EVERY_MS);
  const polls = setInterval(() => inTurn(poll), POLL_EVERY_MS);
  sweeps.unref();
  polls.unref();

  return {
    segments: () => [...draining.values()].flatMap(({ spool }) => spool.segments()),
    async close() {
      closed = true;
      clearInterval(sweeps);
      clearInterval(polls);
      await underWay;
      for (const each of draining.values()) await giveUp(each);
    },
  };
}

/** Whether nobody will come for a spool, were it not taken. */
async function isOrphaned(root: string, number: number, { of }: Worker): Promise<boolean> {
  const path = spoolPath(root, number);
  if (number > of) return true;
  const ages = await Promise.all(
    (await readdir(path)).filter((name) => name.endsWith('.jsonl')).map((name) => ageOf(join(path, name))),
  );
  return ages.some((age) => age > COMES_BACK_MS);
}

/** Milliseconds since a file was written to; none for one that is gone. */
const ageOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
