import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Contestant } from './contestant.ts';
import type { LoadJob, LoadResult } from './load.ts';
import { cpuMicros, memoryMb } from './process-cpu.ts';

/** What one run of a case cost. */
export interface Measurement {
  /** Microseconds of CPU a request: of the relay, and of those who work for it. */
  readonly cpu: number;
  readonly others: Readonly<Record<string, number>>;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly memoryMb: number;
}

export interface Driver {
  /** @throws with the answer when one is no success. */
  run(contestant: Contestant, job: Omit<LoadJob, 'port'>): Promise<Measurement>;
  close(): void;
}

/** A process that sends the load, so that measuring it takes nothing from what is measured. */
export function startDriver(): Driver {
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
    async run({ name, port, pid, others }, job) {
      const before = cpuMicros(pid());
      const othersBefore = mapValues(others, (each) => cpuMicros(each()));
      const { elapsedMs, latencies, fault } = await send({ ...job, port });
      if (fault !== undefined) throw new Error(`${name}: ${fault}`);
      const perRequest = (micros: number) => micros / job.requests;
      const sorted = latencies.toSorted((a, b) => a - b);
      const at = (share: number) =>
        sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
      return {
        cpu: perRequest(cpuMicros(pid()) - before),
        others: mapValues(others, (each, key) => perRequest(cpuMicros(each()) - (othersBefore[key] ?? 0))),
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
