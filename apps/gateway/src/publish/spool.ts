import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { UsageEvent } from '@tollgate/contracts';
import { type Logger, requireWritable } from '@tollgate/platform';
import { quarantine, readSpoolFile, type SpoolContent } from './spool-files.ts';
import { type SegmentLimits, SPOOL_SUFFIX, SpoolWriter } from './spool-writer.ts';
import type { SpoolEntry } from './spool-line.ts';

/** A file of the spool that gets no more events. */
export interface Segment {
  readonly name: string;
  /** Of all its events. Those of files that this process wrote are known without reading them. */
  requestIds(): Promise<readonly string[]>;
  /** Its events by the job that carries them, of every line that is what was written. */
  jobs(): Promise<ReadonlyMap<string, readonly UsageEvent[]>>;
  /** Its events are in the books: the disk is free again. A file with lines that cannot be read is set aside instead. */
  remove(): Promise<void>;
  /** Moves it into quarantine, for a person to look at: what is missing in the books cannot be read in it. */
  setAside(): Promise<void>;
}

export interface Spool {
  /** Resolves when the event is on the disk. @throws when the disk refuses it. */
  append(entry: SpoolEntry): Promise<void>;
  /** Ends the file that is written to, if it has grown or aged enough, or at once. */
  cut(when: 'due' | 'now'): Promise<void>;
  /** Oldest first. */
  segments(): readonly Segment[];
  /** Events of this process that billing has not confirmed yet. */
  unconfirmed(): number;
}

interface SpoolOptions {
  readonly segment: SegmentLimits;
  /** Where files are moved to that hold what cannot be read. */
  readonly quarantine: string;
  /** Is told, once a file, how many of its lines are not what was written. */
  readonly onDamage?: (lines: number) => void;
}

/**
 * A directory of JSON Lines files that keeps every usage event until it is posted. Appends that come together share one write
 * and one sync. Files of an earlier process are treated like our own. A file that cannot be read is never removed.
 *
 * @throws ConfigError when the directory cannot be written to.
 */
export async function openSpool(
  directory: string,
  logger: Logger,
  { segment, quarantine: into, onDamage = () => {} }: SpoolOptions,
): Promise<Spool> {
  await requireWritable('SPOOL_DIR', directory);
  let closed = (await readdir(directory)).filter((name) => name.endsWith(SPOOL_SUFFIX)).sort();
  /** By the names of the files that were written here. */
  const written = new Map<string, readonly string[]>();
  const damaged = new Set<string>();
  const writer = new SpoolWriter(directory, segment, (name, requestIds) => {
    closed.push(name);
    written.set(name, requestIds);
  });

  const read = async (name: string): Promise<SpoolContent['jobs']> => {
    const content = await readSpoolFile(join(directory, name));
    if (content.damagedLines.length > 0 && !damaged.has(name)) {
      damaged.add(name);
      onDamage(content.damagedLines.length);
      logger.error(
        { event: 'spool_file_damaged', file: join(directory, name), lines: content.damagedLines },
        'spooled usage cannot be read',
      );
    }
    return content.jobs;
  };

  const forget = (name: string): void => {
    closed = closed.filter((each) => each !== name);
    written.delete(name);
    damaged.delete(name);
  };
  const setAside = async (name: string): Promise<void> => {
    const file = await quarantine(directory, name, into);
    forget(name);
    logger.error({ event: 'spool_file_quarantined', file }, 'a file of the spool is moved into quarantine');
  };

  return {
    append: (entry) => writer.append(entry),
    cut: (when) => writer.cut(when),
    segments: () =>
      closed.map((name) => ({
        name,
        requestIds: async () => written.get(name) ?? requestIdsOf(await read(name)),
        jobs: () => read(name),
        async remove() {
          if (damaged.has(name)) return setAside(name);
          await unlink(join(directory, name));
          forget(name);
        },
        setAside: () => setAside(name),
      })),
    unconfirmed: () => [...written.values()].reduce((sum, { length }) => sum + length, writer.written()),
  };
}

const requestIdsOf = (jobs: ReadonlyMap<string, readonly UsageEvent[]>): readonly string[] =>
  [...jobs.values()].flat().map(({ request_id }) => request_id);
