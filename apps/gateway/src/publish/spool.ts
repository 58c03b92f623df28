import { constants } from 'node:fs';
import { mkdir, open, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { UsageEvent } from '@tollgate/contracts';
import { createGroupCommit, type Logger } from '@tollgate/platform';

const SUFFIX = '.jsonl';
const MOST_PER_WRITE = 1_000;
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

/** An event and the queue job that carries it. */
export interface SpooledEvent {
  readonly job: string;
  readonly event: UsageEvent;
}

/** A file of the spool that gets no more events. */
export interface Segment {
  readonly name: string;
  /** Of all its events. Those of files that this process wrote are known without reading them. */
  requestIds(): Promise<readonly string[]>;
  /** Its events by the job that carries them. A line that a killed process left half is passed over. */
  jobs(): Promise<Map<string, UsageEvent[]>>;
  /** Its events are in the books: the disk is free again. */
  remove(): Promise<void>;
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

/**
 * A directory of JSON Lines files that holds every usage event until it is in the books. Appends that come together
 * share one write and one sync. Files that an earlier process left are segments like those of this one.
 */
export async function openSpool(
  directory: string,
  logger: Logger,
  segment: { readonly mostEvents: number; readonly mostMs: number },
): Promise<Spool> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  let closed = (await readdir(directory)).filter((name) => name.endsWith(SUFFIX)).sort();
  let current: OpenFile | undefined;
  let sequence = 0;
  /** By the names of the files that were written here. */
  const written = new Map<string, readonly string[]>();
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
    return { name, file, requestIds: [], since: Date.now() };
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
    requestIds.length >= segment.mostEvents || Date.now() - since >= segment.mostMs;

  const write = (entries: readonly SpooledEvent[]): Promise<void> =>
    inTurn(async () => {
      if (current && isDue(current)) await closeFile();
      current ??= await openFile();
      const { requestIds } = current;
      try {
        await writeAll(current.file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
        if (!SYNCS_ITSELF) await current.file.datasync();
        for (const { event } of entries) requestIds.push(event.request_id);
      } catch (error) {
        // What follows must not be joined to half a line.
        await closeFile().catch(() => {});
        throw error;
      }
    });
  const writes = createGroupCommit(write, { most: MOST_PER_WRITE, apartMs: WRITES_APART_MS });

  return {
    append: (entry) => writes.add(entry),
    cut: (when) =>
      inTurn(async () => {
        if (current && (when === 'now' || isDue(current))) await closeFile();
      }),
    segments: () =>
      closed.map((name) => ({
        name,
        requestIds: async () =>
          written.get(name) ?? requestIdsOf(await readJobs(join(directory, name), logger)),
        jobs: () => readJobs(join(directory, name), logger),
        async remove() {
          await unlink(join(directory, name));
          closed = closed.filter((each) => each !== name);
          written.delete(name);
        },
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
}

async function writeAll(file: OpenFile['file'], text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
}

const requestIdsOf = (jobs: ReadonlyMap<string, readonly UsageEvent[]>): readonly string[] =>
  [...jobs.values()].flat().map(({ request_id }) => request_id);

/** Makes the names of new files as durable as what is in them. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readJobs(path: string, logger: Logger): Promise<Map<string, UsageEvent[]>> {
  const jobs = new Map<string, UsageEvent[]>();
  const lines = (await readFile(path, 'utf8')).split('\n');
  for (const [index, line] of lines.entries()) {
    if (line === '') continue;
    const entry = parseLine(line);
    if (entry) jobs.set(entry.job, [...(jobs.get(entry.job) ?? []), entry.event]);
    // The last line of a killed process may be half a line: its request had not been answered to the end.
    else if (index < lines.length - 1)
      logger.error({ file: path, line: index + 1 }, 'a spooled line cannot be read');
  }
  return jobs;
}

function parseLine(line: string): SpooledEvent | undefined {
  try {
    const { job, event } = JSON.parse(line) as SpooledEvent;
    return typeof job === 'string' && typeof event.request_id === 'string' ? { job, event } : undefined;
  } catch {
    return undefined;
  }
}
