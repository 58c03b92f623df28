// What each test file costs: processor time of its worker and of all that it started, and the time on the clock.
import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { performance } from 'node:perf_hooks';

/** What Linux counts processor time in: sysconf(_SC_CLK_TCK). */
const TICKS_PER_S = 100;
/** Places in /proc/PID/stat after the name: parent, then the time in user and system mode, and that of reaped children. */
const PARENT = 1;
const OWN = [11, 12];
const REAPED = [13, 14];

function readProcesses() {
  const processes = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The name stands in parentheses and may hold any character.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const sum = (places) => places.reduce((total, place) => total + Number(fields[place]), 0) / TICKS_PER_S;
      processes.set(Number(pid), { parent: Number(fields[PARENT]), own: sum(OWN), reaped: sum(REAPED) });
    } catch {
      // It ended while the list was read; its parent has its time.
    }
  }
  return processes;
}

/** Processor seconds of a process and all below it, with those that have ended and were waited for. */
function measureTree(root, processes = readProcesses()) {
  const children = Map.groupBy(processes.entries(), ([, { parent }]) => parent);
  const sum = (pid) => {
    const { own = 0, reaped = 0 } = processes.get(pid) ?? {};
    return (children.get(pid) ?? []).reduce((total, [child]) => total + sum(child), own + reaped);
  };
  return sum(root);
}

/** Of the shared stack by its service, of PostgreSQL by whose it is. */
function nameProgram(pid) {
  let command = '';
  try {
    command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // It ended meanwhile.
  }
  const service = /apps\/(\w+)\/(?:bundle|dist)\//.exec(command)?.[1];
  if (service) return `the shared stack's ${service}`;
  const data = /postgres -D (\S+)/.exec(command)?.[1];
  if (data)
    return data.includes('tollgate-e2e-') ? "the shared stack's PostgreSQL" : "the other tests' PostgreSQL";
  return /redis|valkey/.test(command) ? "the shared stack's Redis" : 'others';
}

export class Costs {
  #rows = [];
  #workers = new Set();
  #rootDir;
  #startedAt = performance.now();

  constructor(rootDir) {
    this.#rootDir = rootDir;
  }

  /** @returns what is called when the file has been run */
  start(path, worker, pid) {
    this.#workers.add(pid);
    const [startedAt, secondsBefore] = [performance.now(), measureTree(pid)];
    return () =>
      this.#rows.push({
        file: relative(this.#rootDir, path),
        worker,
        cpu: measureTree(pid) - secondsBefore,
        start: (startedAt - this.#startedAt) / 1_000,
        wall: (performance.now() - startedAt) / 1_000,
      });
  }

  /** What runs beside the workers, by program: processor seconds of each. */
  #measureBeside() {
    const processes = readProcesses();
    const beside = [...processes].filter(
      ([pid, { parent }]) => parent === process.pid && !this.#workers.has(pid),
    );
    const parts = [
      ['Jest', processes.get(process.pid)?.own ?? 0],
      ...beside.map(([pid]) => [nameProgram(pid), measureTree(pid, processes)]),
    ];
    return [...Map.groupBy(parts, ([name]) => name)]
      .map(([name, all]) => [name, all.reduce((sum, [, cpu]) => sum + cpu, 0)])
      .toSorted(([, a], [, b]) => b - a);
  }

  /** Prints the files, the most expensive first, and the sums. */
  print() {
    const format = (cpu, wall, start, worker, file) =>
      [cpu, wall, start, worker].map((cell) => String(cell).padStart(7)).join(' ') + `  ${file}\n`;
    const rows = this.#rows.toSorted((a, b) => b.cpu - a.cpu);
    const files = rows.reduce((sum, { cpu }) => sum + cpu, 0);
    const parts = this.#measureBeside();
    const beside = parts.reduce((sum, [, cpu]) => sum + cpu, 0);
    const wall = (performance.now() - this.#startedAt) / 1_000;
    process.stderr.write(
      [
        format('cpu s', 'wall s', 'from s', 'worker', 'file'),
        ...rows.map(({ cpu, wall: seconds, start, worker, file }) =>
          format(cpu.toFixed(1), seconds.toFixed(1), start.toFixed(0), worker, file),
        ),
        format(files.toFixed(0), '', '', '', 'all files'),
        format(beside.toFixed(0), '', '', '', 'beside them:'),
        ...parts.map(([name, cpu]) => format(cpu.toFixed(0), '', '', '', `  ${name}`)),
        format((files + beside).toFixed(0), wall.toFixed(0), '', '', 'together'),
      ].join(''),
    );
  }
}
