import { existsSync, readdirSync } from 'node:fs';
import { open, statfs, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, type Finding, ok, warn } from './finding.ts';

const MIB = 1024 * 1024;
const LITTLE = 1_024 * MIB;
const TOO_LITTLE = 100 * MIB;

/** The disk that usage events are kept on until they are in the books. */
export async function checkSpool(directory: string): Promise<Finding> {
  const what = `spool ${directory}`;
  if (!existsSync(directory))
    return fail(what, 'there is no such directory', 'Make it, on a disk that outlives the process.');
  try {
    await writeTo(directory);
  } catch (error) {
    return fail(
      what,
      `it cannot be written to (${(error as Error).message})`,
      'Give it to the user that the gateway runs as, on a disk that has room and can be written to.',
    );
  }
  const quarantined = countIn(join(directory, 'quarantine'));
  if (quarantined > 0)
    return fail(
      what,
      `${quarantined} files in its quarantine hold usage that cannot be read`,
      'See docs/runbooks/TollgateSpoolDamaged.md.',
    );
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  const found = `${Math.floor(free / MIB)} MiB free, ${readdirSync(directory).length} files`;
  const advice =
    'Make room: while the disk is full, usage goes through Redis or to billing alone, and while these refuse too, requests are refused.';
  if (free < TOO_LITTLE) return fail(what, found, advice);
  return free < LITTLE ? warn(what, found, advice) : ok(what, found);
}

/** As the gateway does at its start: rights alone do not say whether a disk takes anything. */
async function writeTo(directory: string): Promise<void> {
  const path = join(directory, `.doctor-${process.pid}`);
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile('Tollgate can write here.\n');
    await file.sync();
  } finally {
    await file.close();
    await unlink(path);
  }
}

const countIn = (directory: string): number => (existsSync(directory) ? readdirSync(directory).length : 0);
