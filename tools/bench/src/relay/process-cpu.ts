import { readdirSync, readFileSync } from 'node:fs';

/** Microseconds that every thread of a process has run so far, in user and kernel mode. Linux only. */
export function cpuMicros(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).reduce((sum, task) => {
    try {
      return sum + Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]) / 1_000;
    } catch {
      // It ended in between.
      return sum;
    }
  }, 0);
}

/** Megabytes of memory that a process has now, and had at most. Linux only. */
export function memoryMb(pid: number): { readonly now: number; readonly most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1_024;
  return { now: of('VmRSS'), most: of('VmHWM') };
}
