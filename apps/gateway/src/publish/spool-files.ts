import { access, mkdir, open, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { UsageEvent } from '@tollgate/contracts';
import { ConfigError } from '@tollgate/platform/process';
import { readLine } from './spool-line.ts';

/** What a file of the spool holds. */
export interface SpoolContent {
  readonly jobs: ReadonlyMap<string, readonly UsageEvent[]>;
  /** The numbers of lines, from 1 on, that are not what was written; the last may be one that a crash cut short. */
  readonly damagedLines: readonly number[];
}

export async function readSpoolFile(path: string): Promise<SpoolContent> {
  const jobs = new Map<string, UsageEvent[]>();
  const damagedLines: number[] = [];
  // Bytes that are no UTF-8 become other ones, which the checksum finds.
  for (const [index, line] of (await readFile(path, 'utf8')).split('\n').entries()) {
    if (line === '') continue;
    const entry = readLine(line);
    if (!entry) damagedLines.push(index + 1);
    else jobs.set(entry.job, [...(jobs.get(entry.job) ?? []), entry.event]);
  }
  return { jobs, damagedLines };
}

/** Where unreadable files of a spool wait for a person. */
export const toQuarantinePath = (spoolRoot: string): string => join(spoolRoot, 'quarantine');

/** Moves a file there; one of the same name that is there already stays. */
export async function quarantine(directory: string, name: string, into: string): Promise<string> {
  await mkdir(into, { recursive: true, mode: 0o700 });
  for (let copy = 1; ; copy += 1) {
    const to = join(into, copy === 1 ? name : `${name}.${copy}`);
    const isTaken = await access(to).then(
      () => true,
      () => false,
    );
    if (isTaken) continue;
    await rename(join(directory, name), to);
    await syncDirectory(into);
    await syncDirectory(directory);
    return to;
  }
}

/** Makes the names of new files as durable as what is in them. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Room may be made while a gateway runs, and what is on a full disk must go to the books: it starts all the same. */
const NO_ROOM: readonly string[] = ['ENOSPC', 'EDQUOT'];

/**
 * Writes a test file into the spool's directory as events are written, so that a missing permission is found before the first
 * request is answered.
 *
 * @throws ConfigError that says what to do. A disk that is merely full is not refused.
 */
export async function requireWritable(directory: string): Promise<void> {
  const path = join(directory, `.probe-${process.pid}`);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const file = await open(path, 'w', 0o600);
    try {
      await file.writeFile('Tollgate can write here.\n');
      await file.sync();
    } finally {
      await file.close();
      await unlink(path);
    }
    await syncDirectory(directory);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (NO_ROOM.includes(code)) return;
    throw new ConfigError(
      `SPOOL_DIR: usage events cannot be written to ${directory} (${message}). Give the directory to the user that the gateway runs as, on a disk that can be written to.`,
    );
  }
}
