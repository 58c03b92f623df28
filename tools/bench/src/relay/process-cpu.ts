import { readdirSync, readFileSync } from 'node:fs';

/** Microseconds that every thread of a process and of those it started has run so far, in user and kernel mode. Linux only. */
export function cpuMicros(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`).map((task) => {
    try {
      const [ran = '0'] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ');
      return Number(ran) / 1_000;
    } catch {
      // It ended in between.
      return 0;
    }
  });
  return sum([...threads, ...startedBy(pid).map(microsOrNone)]);
}

/** PostgreSQL starts processes that clean up, and end at any moment. */
function microsOrNone(pid: number): number {
  try {
    return cpuMicros(pid);
  } catch {
    return 0;
  }
}

/** The same of its main thread alone. */
export const mainThreadMicros = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000;

/** Megabytes of memory that a process and those it started have now, and had at most. Linux only. */
export function memoryMb(pid: number): { readonly now: number; readonly peak: number } {
  const all = [pid, ...startedBy(pid)].map((each) => readFileSync(`/proc/${each}/status`, 'utf8'));
  const of = (field: string) =>
    sum(all.map((status) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1_024));
  return { now: of('VmRSS'), peak: of('VmHWM') };
}

/** A process and all that it started, and they in their turn. */
export const listProcesses = (pid: number): number[] => [pid, ...startedBy(pid).flatMap(listProcesses)];

const startedBy = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);
