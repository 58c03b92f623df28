// `npm run bench -- relay`: what a request costs in Tollgate, beside a bare relay and a peer. See docs/benchmarks.md.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { listCases } from './relay/cases.ts';
import { type Arena, type Contestant, openArena } from './relay/contestants.ts';
import { curves } from './relay/curves.ts';
import { measure } from './relay/measure.ts';
import { cpuMicros } from './relay/process-cpu.ts';
import { markdown, type Report } from './relay/report.ts';
import { chatBody, httpMessage } from './relay/requests.ts';
import { type Driver, startDriver } from './relay/runner.ts';

const { values: options } = parseArgs({
  options: {
    /** A fifth of the requests, the shorter curves. */
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '3' },
    /** Names with commas between them: bare, portkey, tollgate, processes. */
    only: { type: 'string' },
    /** Names of cases; without curves, latency and starts. */
    case: { type: 'string' },
    /** More than one: how a gateway of so many processes does beside that of one. */
    processes: { type: 'string', default: '1' },
    /** Where the gateway's profile goes; it makes everything slower. */
    profile: { type: 'string' },
    json: { type: 'string' },
    /** Puts the report into docs/benchmarks.md. */
    write: { type: 'boolean', default: false },
  },
});
const DOCUMENT = join(import.meta.dirname, '..', '..', '..', 'docs', 'benchmarks.md');
const MARKS = ['<!-- relay -->', '<!-- end of relay -->'] as const;

const rounds = Number(options.rounds);
const listed = (list: string | undefined, name: string) => !list || list.split(',').includes(name);
const loadNow = () => loadavg()[0]?.toFixed(1) ?? '';
const chat = ({ headers }: Contestant) =>
  httpMessage('POST', '/v1/chat/completions', headers, chatBody({ model: 'lean', promptBytes: 800 }));

async function measureCases(driver: Driver, contestants: readonly Contestant[]): Promise<Report['cases']> {
  const report = [];
  for (const { message, ...each } of listCases(options.quick ? 0.2 : 1)) {
    if (!listed(options.case, each.name)) continue;
    process.stderr.write(`${each.says}\n`);
    const outcomes = await measure(driver, contestants, each.rounds ?? rounds, (contestant) =>
      each.tollgateOnly && contestant.name !== 'tollgate' && contestant.name !== 'processes'
        ? undefined
        : { requests: each.requests, connections: each.connections, messages: [message(contestant)] },
    );
    report.push({ case: each, outcomes: Object.fromEntries(outcomes) });
  }
  return report;
}

async function measureHalfLoad(
  driver: Driver,
  arena: Arena,
  cases: Report['cases'],
): Promise<Report['halfLoad']> {
  const saturated = cases.find((each) => each.case.name === 'chat-1k')?.outcomes.tollgate;
  if (!saturated || 'failed' in saturated) return undefined;
  process.stderr.write('latency at half load\n');
  const rate = saturated.perSecond / 2;
  const requests = Math.round(rate * (options.quick ? 2 : 6));
  const all = [arena.direct, ...arena.contestants];
  const outcomes = await measure(driver, all, rounds, (contestant) => ({
    requests,
    rate,
    connections: 64,
    messages: [chat(contestant)],
  }));
  return { rate, outcomes: Object.fromEntries(outcomes) };
}

async function measureStarts(contestants: readonly Contestant[]): Promise<Report['coldStarts']> {
  const starts: Record<string, { ms: number; cpuMs: number }> = {};
  for (const { name, pid, restart } of contestants) {
    process.stderr.write(`start of ${name}\n`);
    const ms = await restart();
    starts[name] = { ms, cpuMs: cpuMicros(pid()) / 1_000 };
  }
  return starts;
}

/** @throws where the document has no place for it. */
async function writeInto(path: string, text: string): Promise<void> {
  const before = readFileSync(path, 'utf8');
  const [start, end] = MARKS.map((mark) => before.indexOf(mark));
  if (start === undefined || end === undefined || start < 0 || end < start)
    throw new Error(`${path} has no ${MARKS.join(' and no ')}`);
  const after = `${before.slice(0, start)}${MARKS[0]}\n\n${text}\n\n${before.slice(end)}`;
  writeFileSync(path, await format(after, { ...(await resolveConfig(path)), filepath: path }));
}

const home = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
const loadBefore = loadNow();
const arena = await openArena(
  home,
  options.profile ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${options.profile}` } : {},
  Number(options.processes),
);
const driver = startDriver();
try {
  const contestants = arena.contestants.filter(({ name }) => listed(options.only, name));
  const gateway = arena.contestants.find(({ name }) => name === 'tollgate');
  const cases = await measureCases(driver, contestants);
  const all = options.case === undefined && gateway !== undefined;
  const halfLoad = all ? await measureHalfLoad(driver, arena, cases) : undefined;
  if (all) process.stderr.write('curves\n');
  const report: Report = {
    machine: `Node ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model.trim()})`,
    rounds,
    cases,
    halfLoad,
    curves: all
      ? await curves({ driver, gateway, tollgate: arena.tollgate, rounds: 1, quick: options.quick })
      : [],
    coldStarts: all ? await measureStarts(contestants) : {},
    load: `${loadBefore} before and ${loadNow()} after`,
  };
  const text = markdown(report);
  process.stdout.write(`${text}\n`);
  if (options.json) writeFileSync(options.json, JSON.stringify(report, null, 2));
  if (options.write) await writeInto(DOCUMENT, text);
} finally {
  driver.close();
  await arena.stop();
  rmSync(home, { recursive: true, force: true });
}
