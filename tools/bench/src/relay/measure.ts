import type { Contestant } from './contestant.ts';
import type { LoadJob } from './load.ts';
import type { Driver, Measurement } from './runner.ts';
import { lowerQuartile, median, type Starts } from './statistics.ts';

/** Of several runs: of the CPU and of what was counted the lower quartile, of all else the medians. */
interface Measured extends Measurement {
  /** The CPU of each round, in their order. */
  readonly rounds: Starts;
  /** The same of each event that was counted in all of them. */
  readonly countedRounds: Readonly<Record<string, Starts>>;
}

export type Outcome = Measured | { readonly failed: string };
export type Outcomes = Readonly<Partial<Record<Contestant['name'], Outcome>>>;

/** What is sent to each contestant, or undefined where it has nothing to do with it. */
type JobOf = (contestant: Contestant) => Omit<LoadJob, 'port'> | undefined;

/**
 * Runs a job on all contestants in turn, round after round, so that a slow moment of the machine meets all alike; the first
 * of a round is the last of the next. A round before them warms up. One that fails is out.
 */
export async function measure(
  driver: Driver,
  contestants: readonly Contestant[],
  rounds: number,
  jobOf: JobOf,
): Promise<Outcomes> {
  const runs = new Map<Contestant['name'], Measurement[]>();
  const failed = new Map<Contestant['name'], string>();
  for (let round = -1; round < rounds; round += 1) {
    for (const contestant of round % 2 ? contestants.toReversed() : contestants) {
      const job = jobOf(contestant);
      if (!job || failed.has(contestant.name)) continue;
      const run = await driver.run(contestant, job).catch((error: Error) => error);
      if (run instanceof Error) failed.set(contestant.name, run.message);
      else if (round >= 0) runs.set(contestant.name, [...(runs.get(contestant.name) ?? []), run]);
    }
  }
  const outcomes = contestants.flatMap(({ name }): [Contestant['name'], Outcome][] => {
    const [fault, list] = [failed.get(name), runs.get(name)];
    if (fault !== undefined) return [[name, { failed: fault }]];
    return list ? [[name, summed(list)]] : [];
  });
  return Object.fromEntries(outcomes);
}

function summed(runs: readonly Measurement[]): Measured {
  const cpus = runs.map(({ cpu }) => cpu);
  const events = listCounted(runs).map((event): [string, number[]] => [
    event,
    runs.map(({ counted }) => counted[event] ?? Number.NaN),
  ]);
  return {
    ...medians(runs),
    cpu: lowerQuartile(cpus),
    rounds: [cpus],
    counted: Object.fromEntries(events.map(([event, values]) => [event, lowerQuartile(values)])),
    countedRounds: Object.fromEntries(events.map(([event, values]) => [event, [values]])),
  };
}

/** The events that were counted in all runs. */
const listCounted = (runs: readonly Pick<Measurement, 'counted'>[]): string[] =>
  Object.keys(runs[0]?.counted ?? {}).filter((event) => runs.every(({ counted }) => event in counted));

/** What was measured of the same by one start of each after the other. One that failed once failed. */
export function joinStarts(starts: readonly Outcomes[]): Outcomes {
  const names = Object.keys(starts[0] ?? {}) as Contestant['name'][];
  return Object.fromEntries(
    names.map((name): [string, Outcome | undefined] => {
      const outcomes = starts.flatMap((outcome) => outcome[name] ?? []);
      const failed = outcomes.find((outcome) => 'failed' in outcome);
      const measured = outcomes.filter((outcome) => 'rounds' in outcome);
      return [name, failed ?? join(measured)];
    }),
  );
}

const join = (starts: readonly Measured[]): Measured => ({
  ...medians(starts),
  rounds: starts.flatMap(({ rounds }) => rounds),
  countedRounds: Object.fromEntries(
    listCounted(starts).map((event) => [
      event,
      starts.flatMap(({ countedRounds }) => countedRounds[event] ?? []),
    ]),
  ),
});

function medians(runs: readonly Measurement[]): Measurement {
  const of = (pick: (run: Measurement) => number) => median(runs.map(pick));
  const others = Object.keys(runs[0]?.others ?? {}).map((name): [string, number] => [
    name,
    of((run) => run.others[name] ?? 0),
  ]);
  return {
    cpu: of(({ cpu }) => cpu),
    others: Object.fromEntries(others),
    counted: Object.fromEntries(
      listCounted(runs).map((event) => [event, of(({ counted }) => counted[event] ?? 0)]),
    ),
    perSecond: of(({ perSecond }) => perSecond),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    memoryMb: of(({ memoryMb }) => memoryMb),
  };
}
