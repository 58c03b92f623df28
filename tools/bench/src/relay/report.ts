import type { Case } from './cases.ts';
import type { Contestant } from './contestant.ts';
import type { Counters } from './counters.ts';
import type { Curve } from './curves.ts';
import type { Outcome, Outcomes } from './measure.ts';
import { table } from '../table.ts';
import { compareHalves, computeRatio, type Starts } from './statistics.ts';

type Name = Contestant['name'];

export interface Report {
  readonly machine: string;
  readonly load: string;
  /** What was counted beside the CPU, and why all else was not. */
  readonly counters: Pick<Counters, 'events' | 'missing'>;
  readonly cases: readonly { readonly case: Omit<Case, 'message'>; readonly outcomes: Outcomes }[];
  /** Where the same was run twice. */
  readonly halves: readonly Halves[];
  /** Latency at steady rates. */
  readonly latencies: readonly { readonly rate: number; readonly outcomes: Outcomes }[];
  readonly coldStarts: Readonly<Partial<Record<Name, { readonly ms: number; readonly cpuMs: number }>>>;
  readonly curves: readonly Curve[];
}

/** Columns of a case and a relay. */
const NAMES = [0, 1];

const whole = (value: number) => value.toFixed(0);

/** The report as markdown. */
export function markdown(report: Report): string {
  return [
    `${report.machine}; load of the machine ${report.load}.`,
    ...missingCounters(report.counters),
    ...(report.cases.length > 0 ? [casesTable(report)] : []),
    ...comparison(report),
    ...(report.halves.length > 0 ? [halvesTable(report.halves)] : []),
    ...(report.latencies.length > 0 ? [latencyTable(report.latencies)] : []),
    ...failures(report),
    ...(Object.keys(report.coldStarts).length > 0 ? [coldStartTable(report.coldStarts)] : []),
    ...report.curves.map(plot),
  ].join('\n\n');
}

const missingCounters = ({ missing }: Report['counters']): string[] =>
  missing.length > 0 ? [`Not counted, so without a column: ${missing.join('; ')}.`] : [];

const listOutcomes = (outcomes: Outcomes) => Object.entries(outcomes) as [Name, Outcome][];

/** Its rounds, where it was measured: of its CPU, or of an event where that was counted. */
const roundsOf = (outcome: Outcome | undefined, event?: string): Starts | undefined =>
  outcome && 'rounds' in outcome
    ? event === undefined
      ? outcome.rounds
      : outcome.countedRounds[event]
    : undefined;

/** `1.95 (1.90–2.01)`: the ratio, and where it lies at 95 %. */
function shownRatio(rounds: Starts | undefined, base: Starts | undefined): string {
  if (!rounds || !base) return '';
  const { ratio, from, to } = computeRatio(rounds, base);
  return `${ratio.toFixed(2)} (${from.toFixed(2)}–${to.toFixed(2)})`;
}

/** The ratio of an outcome to that of `bare` in the same case. */
const toBare = (name: Name, { bare }: Outcomes, outcome: Outcome, event?: string): string => {
  const rounds = roundsOf(outcome, event);
  return name === 'bare' ? (rounds ? '1.00' : '') : shownRatio(rounds, roundsOf(bare, event));
};

/** What is counted may be hundreds of thousands a request, or less than one. */
const shownCount = (value: number | undefined): string =>
  value === undefined ? '' : value < 100 ? value.toPrecision(3) : whole(value);

function casesTable({ cases, counters: { events } }: Report): string {
  const head = [
    ...['case', 'relay', 'CPU µs', 'to bare (95 %)'],
    ...events.flatMap((event) => [event, 'to bare (95 %)']),
    ...['rounds', 'per chunk', 'requests/s', 'RSS MB', 'Redis µs', 'billing µs'],
  ];
  const rows = cases.flatMap(({ case: { says, chunks }, outcomes }) =>
    listOutcomes(outcomes).map(([name, outcome]) => {
      if ('failed' in outcome) return [says, name, 'fails', ...Array<string>(head.length - 3).fill('')];
      const { cpu, rounds, counted, others, perSecond, memoryMb } = outcome;
      return [
        ...[says, name, whole(cpu), toBare(name, outcomes, outcome)],
        ...events.flatMap((event) => [shownCount(counted[event]), toBare(name, outcomes, outcome, event)]),
        ...[String(rounds.flat().length), chunks === undefined ? '' : (cpu / chunks).toFixed(1)],
        ...[whole(perSecond), whole(memoryMb), whole(others['redis'] ?? 0), whole(others['billing'] ?? 0)],
      ];
    }),
  );
  return table(head, rows, NAMES);
}

/** What the first request that failed met, of each relay that has no figures for it. */
function failures({ cases, latencies }: Report): string[] {
  const all = [
    ...cases.map(({ case: { says }, outcomes }) => ({ says, outcomes })),
    ...latencies.map(({ rate, outcomes }) => ({ says: `${rate} requests a second`, outcomes })),
  ];
  const lines = all.flatMap(({ says, outcomes }) =>
    listOutcomes(outcomes).flatMap(([name, outcome]) =>
      'failed' in outcome ? [`- ${says}, ${name}: ${shownWords(outcome.failed)}`] : [],
    ),
  );
  return lines.length > 0 ? [`What failed, and with what:\n\n${lines.join('\n')}`] : [];
}

const MAX_WORDS = 200;
/** In one line, and as it is: an answer may hold what markdown has a meaning for. */
const shownWords = (words: string): string => {
  const line = words.replaceAll(/[\s`]+/g, ' ').trim();
  return `\`${line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS)}…` : line}\``;
};

type Halves = { readonly says: string; readonly name: Name } & ReturnType<typeof compareHalves>;

/** Of each relay and case, the ratio to bare of the first half of the starts and of the second. */
export const listHalves = (cases: Report['cases']): Halves[] =>
  cases.flatMap(({ case: { says }, outcomes }) =>
    listOutcomes(outcomes).flatMap(([name, outcome]) => {
      const [rounds, base] = [roundsOf(outcome), roundsOf(outcomes.bare)];
      return rounds && base && name !== 'bare' ? [{ says, name, ...compareHalves(rounds, base) }] : [];
    }),
  );

const halvesTable = (halves: readonly Halves[]): string =>
  table(
    ['case', 'relay', 'to bare, first run', 'second run', 'within 5 %'],
    halves.map(({ says, name, first, second, agree }) => [
      ...[says, name, first.toFixed(2), second.toFixed(2), agree ? 'yes' : 'no'],
    ]),
    NAMES,
  );

/** What the gateway costs beside that of another checkout, by its CPU and by what was counted: whether it became slower. */
function comparison({ cases, counters: { events } }: Report): string[] {
  const rows = cases.flatMap(({ case: { says }, outcomes }) =>
    [undefined, ...events].flatMap((event) => {
      const [now, before] = [roundsOf(outcomes.tollgate, event), roundsOf(outcomes.before, event)];
      if (!now || !before) return [];
      const { from, to } = computeRatio(now, before);
      const verdict = from > 1 ? 'slower' : to < 1 ? 'faster' : 'no difference shown';
      return [[says, event ?? 'CPU', shownRatio(now, before), verdict]];
    }),
  );
  return rows.length > 0 ? [table(['case', 'by', 'to the other checkout (95 %)', ''], rows, NAMES)] : [];
}

function latencyTable(latencies: Report['latencies']): string {
  const rows = latencies.flatMap(({ rate, outcomes }) => {
    const base = outcomes.bare && 'p50' in outcomes.bare ? outcomes.bare : undefined;
    return listOutcomes(outcomes).map(([name, outcome]) => {
      if ('failed' in outcome) return [String(rate), name, 'fails', '', '', ''];
      const added = (value: number, of: number | undefined) =>
        of === undefined || name === 'bare' ? '' : (value - of).toFixed(2);
      return [
        ...[String(rate), name, outcome.p50.toFixed(2), outcome.p99.toFixed(2)],
        ...[added(outcome.p50, base?.p50), added(outcome.p99, base?.p99)],
      ];
    });
  });
  return table(['requests/s', 'relay', 'p50 ms', 'p99 ms', 'p50 over bare', 'p99 over bare'], rows, NAMES);
}

const coldStartTable = (starts: Report['coldStarts']): string =>
  table(
    ['relay', 'ready after ms', 'CPU ms by then'],
    Object.entries(starts).map(([name, { ms, cpuMs }]) => [name, whole(ms), whole(cpuMs)]),
  );

const WIDTH = 40;

function plot({ title, unit, points }: Curve): string {
  const max = Math.max(...points.map(({ cpu }) => cpu));
  const lines = points.map(({ at, cpu, memoryMb }) => {
    const bar = '█'.repeat(Math.max(1, Math.round((cpu / max) * WIDTH)));
    return `${String(at).padStart(7)} ${unit.padEnd(8)} ${bar} ${cpu.toFixed(1)} µs, ${whole(memoryMb)} MB`;
  });
  return `${title}\n\n\`\`\`text\n${lines.join('\n')}\n\`\`\``;
}
