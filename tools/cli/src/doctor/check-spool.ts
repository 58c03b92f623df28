import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
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
    accessSync(directory, constants.R_OK | constants.W_OK);
  } catch {
    return fail(what, 'it may not be written to', 'Give it to the user that the gateway runs as.');
  }
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  const found = `${Math.floor(free / MIB)} MiB free, ${readdirSync(directory).length} files`;
  const advice = 'Make room: a gateway whose spool is full refuses requests rather than serve them unbilled.';
  if (free < TOO_LITTLE) return fail(what, found, advice);
  return free < LITTLE ? warn(what, found, advice) : ok(what, found);
}
