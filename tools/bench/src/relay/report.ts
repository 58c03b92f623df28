import type { Case } from './cases.ts';
import type { Contestant } from './contestants.ts';
import type { Curve } from './curves.ts';
import type { Outcome } from './measure.ts';

type Name = Contestant['name'];

export interface Report {
  readonly machine: string;
  readonly load: string;
  readonly rounds: number;
  readonly cases: readonly {
    readonly case: Omit<Case, 'message'>;
    readonly outcomes: Readonly<Partial<Record<Name, Outcome>>>;
  }[];
  readonly halfLoad:
    { readonly rate: number; readonly outcomes: Readonly<Partial<Record<Name, Outcome>>> } | undefined;
  readonly coldStarts: Readonly<Partial<Record<Name, { readonly ms: number; readonly cpuMs: number }>>>;
  readonly curves: readonly Curve[];
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [
    `| ${head.join(' | ')} |`,
    `| ${head.map((_, index) => (index < 2 ? '---' : '---:')).join(' | ')} |`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');

const whole = (value: number) => value.toFixed(0);

/** The report as markdown. */
export function markdown(report: Report): string {
  return [
    `${report.machine}, ${report.rounds} rounds; load of the machine ${report.load}.`,
    casesTable(report),
    ...(report.halfLoad ? [halfLoadTable(report.halfLoad)] : []),
    ...(Object.keys(report.coldStarts).length > 0 ? [coldStartTable(report.coldStarts)] : []),
    ...report.curves.map(plot),
  ].join('\n\n');
}

function casesTable({ cases }: Report): string {
  const rows = cases.flatMap(({ case: { says, chunks }, outcomes }) => {
    const base = outcomes.bare && 'cpu' in outcomes.bare ? outcomes.bare.cpu : undefined;
    return Object.entries(outcomes).map(([name, outcome]) => {
      if ('failed' in outcome) return [says, name, 'fails', '', '', '', '', '', '', ''];
      const { cpu, min, max, others, perSecond, memoryMb } = outcome;
      return [
        ...[says, name, whole(cpu), `${whole(min)}–${whole(max)}`],
        base === undefined ? '' : (cpu / base).toFixed(2),
        chunks === undefined ? '' : (cpu / chunks).toFixed(1),
        ...[whole(perSecond), whole(memoryMb), whole(others['redis'] ?? 0), whole(others['billing'] ?? 0)],
      ];
    });
  });
  const head = ['case', 'relay', 'CPU µs', 'spread', 'to bare', 'per chunk', 'requests/s', 'RSS MB'];
  return table([...head, 'Redis µs', 'billing µs'], rows);
}

function halfLoadTable({ rate, outcomes }: NonNullable<Report['halfLoad']>): string {
  const direct = outcomes.direct && 'cpu' in outcomes.direct ? outcomes.direct : undefined;
  const rows = Object.entries(outcomes).map(([name, outcome]) => {
    if ('failed' in outcome) return ['', name, 'fails', '', '', ''];
    const added = (value: number, base: number | undefined) =>
      base === undefined ? '' : (value - base).toFixed(2);
    return [
      ...['', name, outcome.p50.toFixed(2), outcome.p99.toFixed(2)],
      ...[added(outcome.p50, direct?.p50), added(outcome.p99, direct?.p99)],
    ];
  });
  return `At ${whole(rate)} requests a second, half of what Tollgate did at most:\n\n${table(['', 'relay', 'p50 ms', 'p99 ms', 'added p50', 'added p99'], rows)}`;
}

const coldStartTable = (starts: Report['coldStarts']): string =>
  table(
    ['', 'relay', 'ready after ms', 'CPU ms by then'],
    Object.entries(starts).map(([name, { ms, cpuMs }]) => ['', name, whole(ms), whole(cpuMs)]),
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
