import { mkdir, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { requireWritable } from '@tollgate/platform/process';
import { lockSpool, type SpoolLock } from './spool-lock.ts';
import type { Worker } from './worker.ts';

/** More processes than this do not end at once with their spools full. */
const MAX_TRIES = 100;

/** A spool that is this process' alone. */
export interface SpoolDirectory extends SpoolLock {
  readonly path: string;
  readonly number: number;
}

/** `SPOOL_DIR` as everybody calls it; it is made where it is not there. @throws ConfigError when it cannot be written to. */
export async function spoolRoot(directory: string): Promise<string> {
  await requireWritable('SPOOL_DIR', directory);
  return realpath(directory);
}

/** The first spool is `SPOOL_DIR` itself, the others are numbered directories in it. */
export const spoolPath = (root: string, number: number): string =>
  number === 1 ? root : join(root, String(number));

/** The numbers of the spools that are there. */
export async function spoolNumbers(root: string): Promise<number[]> {
  const entries = await readdir(root, { withFileTypes: true });
  const numbered = entries.filter((each) => each.isDirectory() && /^[1-9]\d{0,5}$/.test(each.name));
  return [1, ...numbered.map(({ name }) => Number(name)).filter((number) => number > 1)];
}

/**
 * The spool directory of a process, the same one after each restart. While the process from before the restart is still
 * busy with it, the new process takes the next free one of its own numbers (its index, plus a multiple of the number of
 * processes). Whoever runs later publishes what is left in a directory.
 *
 * @throws when too many are taken.
 */
export async function takeSpool(root: string, worker: Worker): Promise<SpoolDirectory> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const number = worker.number + tries * worker.of;
    const path = spoolPath(root, number);
    const lock = await lockSpool(path);
    if (!lock) continue;
    await mkdir(path, { recursive: true, mode: 0o700 });
    return { ...lock, path, number };
  }
  throw new Error(`${MAX_TRIES} directories of the spool ${root} are taken by other processes`);
}
