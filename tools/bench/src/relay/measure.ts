import type { Contestant } from './contestants.ts';
import type { LoadJob } from './load.ts';
import type { Driver, Measurement } from './runner.ts';

/** The medians of several runs, with the least and the most CPU of one. */
interface Measured extends Measurement {
  readonly min: number;
  readonly max: number;
}

export type Outcome = Measured | { readonly failed: string };

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** What is sent to each contestant, or undefined where it has nothing to do with it. */
type JobOf = (contestant: Contestant) => Omit<LoadJob, 'port'> | undefined;

/**
 * Runs a job on all contestants in turn, round after round, so that a slow moment of the machine meets all alike. A round
 * before them warms up. One that fails is out.
 */
export async function measure(
  driver: Driver,
  contestants: readonly Contestant[],
  rounds: number,
  jobOf: JobOf,
): Promise<Map<Contestant['name'], Outcome>> {
  const runs = new Map<Contestant['name'], Measurement[]>();
  const failed = new Map<Contestant['name'], string>();
  for (let round = -1; round < rounds; round += 1) {
    for (const contestant of contestants) {
      const job = jobOf(contestant);
      if (!job || failed.has(contestant.name)) continue;
      const run = await driver.run(contestant, job).catch((error: Error) => error);
      if (run instanceof Error) failed.set(contestant.name, run.message);
      else if (round >= 0) runs.set(contestant.name, [...(runs.get(contestant.name) ?? []), run]);
    }
  }
  return new Map<Contestant['name'], Outcome>([
    ...[...runs].map(([name, list]): [Contestant['name'], Outcome] => [name, summed(list)]),
    ...[...failed].map(([name, message]): [Contestant['name'], Outcome] => [name, { failed: message }]),
  ]);
}

function summed(runs: readonly Measurement[]): Measured {
  const of = (pick: (run: Measurement) => number) => median(runs.map(pick));
  const cpus = runs.map(({ cpu }) => cpu);
  const others = Object.keys(runs[0]?.others ?? {}).map((name): [string, number] => [
    name,
    of((run) => run.others[name] ?? 0),
  ]);
  return {
    cpu: median(cpus),
    min: Math.min(...cpus),
    max: Math.max(...cpus),
    others: Object.fromEntries(others),
    perSecond: of(({ perSecond }) => perSecond),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    memoryMb: of(({ memoryMb }) => memoryMb),
  };
}
