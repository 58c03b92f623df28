import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@tollgate/harness';

/** Ends a PostgreSQL and its backends at once, as a machine's crash would. */
export async function crashPostgres(directory: string): Promise<void> {
  const all = listProcesses(directory);
  for (const pid of all) kill(pid);
  // The next one must not touch files that one of these still writes.
  await waitFor(() => !all.some(isAlive), 'the end of PostgreSQL');
}

/** The processes of a PostgreSQL, the postmaster first. */
export function listProcesses(directory: string): readonly number[] {
  const postmaster = Number(readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
  return [postmaster, ...listChildren(postmaster)];
}

function listChildren(parent: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return lines
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid = 0, ppid]) => (ppid === parent ? [pid] : []));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

/** A process that has ended and that nobody has asked about yet is not alive. */
function isAlive(pid: number): boolean {
  try {
    return !/^\s*Z/.test(execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }));
  } catch {
    return false;
  }
}
