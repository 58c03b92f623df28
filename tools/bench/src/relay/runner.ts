import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Contestant } from './contestant.ts';
import type { Counters } from './counters.ts';
import type { LoadJob, LoadResult } from './load.ts';
import { cpuMicros, listProcesses, memoryMb } from './process-cpu.ts';

/** What one run of a case cost. */
export interface Measurement {
  /** Microseconds of CPU a request: of the relay, and of those who work for it. */
  readonly cpu: number;
  readonly others: Readonly<Record<string, number>>;
  /** What {@link Counters} counted of the relay, by event, a request. */
  readonly counted: Readonly<Record<string, number>>;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly memoryMb: number;
}

export interface Driver {
  /** @throws with what the first request met that was no success: its status and the beginning of the answer, or the fault of the connection. */
  run(contestant: Contestant, job: Omit<LoadJob, 'port'>): Promise<Measurement>;
  close(): void;
}

/**
 * A process that sends the load, so that measuring it takes nothing from what is measured.
 *
 * @param counters count what each relay does meanwhile, where there are any.
 */
export function startDriver(counters?: Counters): Driver {
  const child = fork(join(import.meta.dirname, 'load.ts'), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    serialization: 'advanced',
  });
  let failed = (_error: Error): void => {};
  child.once('exit', () => failed(new Error('the process that sends the load has ended')));
  const send = (job: LoadJob) =>
    new Promise<LoadResult>((resolve, reject) => {
      failed = reject;
      child.once('message', (result) => resolve(result as LoadResult));
      child.send(job);
    });
  return {
    async run({ port, pid, others }, job) {
      const counting = await counters?.start(listProcesses(pid()));
      const before = cpuMicros(pid());
      const othersBefore = mapValues(others, (each) => cpuMicros(each()));
      const { elapsedMs, latencies, fault } = await send({ ...job, port });
      const cpu = cpuMicros(pid()) - before;
      const othersCpu = mapValues(others, (each, key) => cpuMicros(each()) - (othersBefore[key] ?? 0));
      const counted = (await counting?.stop()) ?? {};
      if (fault !== undefined) throw new Error(fault);
      const perRequest = (micros: number) => micros / job.requests;
      const sorted = latencies.toSorted((a, b) => a - b);
      const at = (share: number) =>
        sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
      return {
        cpu: perRequest(cpu),
        others: mapValues(othersCpu, perRequest),
        counted: mapValues(counted, perRequest),
        perSecond: (job.requests / elapsedMs) * 1_000,
        p50: at(0.5),
        p99: at(0.99),
        memoryMb: memoryMb(pid()).now,
      };
    },
    close: () => void child.kill(),
  };
}

const mapValues = <T, U>(of: Readonly<Record<string, T>>, map: (value: T, key: string) => U) =>
  Object.fromEntries(Object.entries(of).map(([key, value]): [string, U] => [key, map(value, key)]));
