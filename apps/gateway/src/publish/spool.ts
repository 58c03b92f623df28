import { constants } from 'node:fs';
import { open, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { UsageEvent } from '@tollgate/contracts';
import { createGroupCommit, type Logger } from '@tollgate/platform';
import {
  quarantine,
  readSpoolFile,
  requireWritable,
  type SpoolContent,
  syncDirectory,
} from './spool-files.ts';
import { type SpooledEvent, writeLine } from './spool-line.ts';

const SUFFIX = '.jsonl';
const EVENTS_PER_WRITE_MAX = 1_000;
/** A write costs more than the event in it, and keeps an answer back by this at most. */
const WRITES_APART_MS = 1;
/** Linux syncs the data of each write by itself when it is asked to: one trip to the disk's thread in place of two. */
const SYNCS_ITSELF = process.platform === 'linux';
const APPEND_NEW =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  constants.O_EXCL |
  (SYNCS_ITSELF ? constants.O_DSYNC : 0);

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
  append(entry: SpooledEvent): Promise<void>;
  /** Ends the file that is written to, if it has grown or aged enough, or at once. */
  cut(when: 'due' | 'now'): Promise<void>;
  /** Oldest first. */
  segments(): readonly Segment[];
  /** Events of this process that billing has not confirmed yet. */
  unconfirmed(): number;
}

interface SpoolOptions {
  /** When a file gets no more events. */
  readonly segment: { readonly maxEvents: number; readonly maxAgeMs: number };
  /** Where files are moved to that hold what cannot be read. */
  readonly quarantine: string;
  /** Is told, once a file, how many of its lines are not what was written. */
  readonly onDamage?: (lines: number) => void;
}

/**
 * A directory of JSON Lines files that holds every usage event until it is in the books. Appends that come together
 * share one write and one sync. Files that an earlier process left are segments like those of this one. What cannot be
 * read is never removed.
 *
 * @throws ConfigError when the directory cannot be written to.
 */
export async function openSpool(
  directory: string,
  logger: Logger,
  { segment, quarantine: into, onDamage = () => {} }: SpoolOptions,
): Promise<Spool> {
  await requireWritable(directory);
  let closed = (await readdir(directory)).filter((name) => name.endsWith(SUFFIX)).sort();
  let current: OpenFile | undefined;
  let sequence = 0;
  /** By the names of the files that were written here. */
  const written = new Map<string, readonly string[]>();
  const damaged = new Set<string>();
  /** Writing to the open file and ending it happen one after the other. */
  let turn: Promise<unknown> = Promise.resolve();

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work);
    turn = result.catch(() => {});
    return result;
  };

  const openFile = async (): Promise<OpenFile> => {
    sequence += 1;
    const time = Date.now().toString().padStart(15, '0');
    const name = `${time}-${process.pid}-${String(sequence).padStart(6, '0')}${SUFFIX}`;
    const file = await open(join(directory, name), APPEND_NEW, 0o600);
    await syncDirectory(directory);
    return { name, file, requestIds: [], bytes: 0, since: performance.now() };
  };

  const closeFile = async (): Promise<void> => {
    if (!current) return;
    const { name, file, requestIds } = current;
    current = undefined;
    closed.push(name);
    written.set(name, requestIds);
    await file.close();
  };

  const isDue = ({ requestIds, since }: OpenFile): boolean =>
    requestIds.length >= segment.maxEvents || performance.now() - since >= segment.maxAgeMs;

  const write = (entries: readonly SpooledEvent[]): Promise<void> =>
    inTurn(async () => {
      if (current && isDue(current)) await closeFile();
      current ??= await openFile();
      const { file, requestIds } = current;
      const bytes = Buffer.from(entries.map(writeLine).join(''));
      try {
        await writeAll(file, bytes);
        if (!SYNCS_ITSELF) await file.datasync();
        for (const { event } of entries) requestIds.push(event.request_id);
        current.bytes += bytes.length;
      } catch (error) {
        // A full disk may have taken half a line. What follows must not be joined to it.
        await file.truncate(current.bytes).catch(() => {});
        await closeFile().catch(() => {});
        throw error;
      }
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

  const writes = createGroupCommit(write, { maxSize: EVENTS_PER_WRITE_MAX, apartMs: WRITES_APART_MS });

  return {
    append: (entry) => writes.add(entry),
    cut: (when) =>
      inTurn(async () => {
        if (current && (when === 'now' || isDue(current))) await closeFile();
      }),
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
    unconfirmed: () =>
      [...written.values()].reduce((sum, { length }) => sum + length, current?.requestIds.length ?? 0),
  };
}

interface OpenFile {
  readonly name: string;
  readonly file: Awaited<ReturnType<typeof open>>;
  readonly since: number;
  readonly requestIds: string[];
  /** That are on the disk. */
  bytes: number;
}

async function writeAll(file: OpenFile['file'], bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
}

const requestIdsOf = (jobs: ReadonlyMap<string, readonly UsageEvent[]>): readonly string[] =>
  [...jobs.values()].flat().map(({ request_id }) => request_id);
