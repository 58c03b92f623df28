import { access, mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { UsageEvent } from '@tollgate/contracts';
import { syncDirectory } from '@tollgate/platform/process';
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
