// `npm run bench -- relay`: what a request costs in Tollgate, beside other relays and its own past. See docs/benchmarks.md.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openCheckout } from '@tollgate/harness';
import { CASES } from './relay/cases.ts';
import { type Arena, openArena } from './relay/arena.ts';
import { type Contestant, CONTESTANTS, isTollgate } from './relay/contestant.ts';
import { type Counters, EVENTS, findCounters } from './relay/counters.ts';
import { curves } from './relay/curves.ts';
import { joinStarts, measure, type Outcomes } from './relay/measure.ts';
import { cpuMicros } from './relay/process-cpu.ts';
import { listHalves, markdown, type Report } from './relay/report.ts';
import { chatBody, httpMessage } from './relay/requests.ts';
import { type Driver, startDriver } from './relay/runner.ts';
import { writePart } from './write-part.ts';

const { values: options } = parseArgs({
  options: {
    /** A third of the rounds, fewer rates and the shorter curves. */
    quick: { type: 'boolean', default: false },
    /** Of each case, whatever it has of its own. */
    rounds: { type: 'string' },
    /** Each relay is started so often, and its rounds are divided over these: processes of one program differ. */
    starts: { type: 'string', default: '1' },
    /** With twice as many starts: says whether the first half of them and the second agree, and ends with 1 where they do not. */
    twice: { type: 'boolean', default: false },
    /** Names with commas between them: those of CONTESTANTS. */
    only: { type: 'string' },
    /** Names of cases; without curves, latency and starts. */
    case: { type: 'string' },
    /** Requests a second: latency alone, at these. */
    rates: { type: 'string' },
    /** More than one: how a gateway of so many processes does beside that of one. */
    processes: { type: 'string', default: '1' },
    /** A commit, or the directory of a checkout that is built: its gateway is measured beside this one. */
    against: { type: 'string' },
    /** Where the gateway's profile goes; it makes everything slower. */
    profile: { type: 'string' },
    /** What `perf stat` counts of each relay beside its CPU, with commas between them, where this machine has it. */
    count: { type: 'string', default: EVENTS.join(',') },
    json: { type: 'string' },
    /** Puts the report into docs/benchmarks.md. */
    write: { type: 'boolean', default: false },
  },
});

const listed = (list: string | undefined, name: string) => !list || list.split(',').includes(name);
const roundsOf = (own: number) => Number(options.rounds ?? (options.quick ? Math.ceil(own / 3) : own));
const starts = Number(options.starts);
const loadNow = () => loadavg()[0]?.toFixed(1) ?? '';
const chat = ({ headers }: Contestant) =>
  httpMessage('POST', '/v1/chat/completions', headers, chatBody({ model: 'lean', promptBytes: 800 }));

/** @throws for a name that nothing has: nobody would be measured. */
function checkNames(list: string | undefined, names: readonly string[]): void {
  for (const name of list?.split(',') ?? [])
    if (!names.includes(name)) throw new Error(`there is no ${name}, only ${names.join(', ')}`);
}

/** V8 translates what it runs often, again and again: after so many, a request costs a third of what the first ones do. */
const WARM_UP = { requests: 20_000, connections: 64 };

/** One that fails says so where it is measured. */
async function warmUp(driver: Driver, contestants: readonly Contestant[]): Promise<void> {
  process.stderr.write('warm-up\n');
  for (const contestant of contestants)
    await driver.run(contestant, { ...WARM_UP, messages: [chat(contestant)] }).catch(() => {});
}

/** Each start is warmed up before it is measured; the last ones go on. */
async function measureCases(driver: Driver, contestants: readonly Contestant[]): Promise<Report['cases']> {
  const cases = options.rates ? [] : CASES.filter(({ name }) => listed(options.case, name));
  const measured: Outcomes[][] = cases.map(() => []);
  for (let start = 0; start < (options.twice ? 2 * starts : starts); start += 1) {
    if (start > 0) for (const contestant of contestants) await contestant.restart();
    await warmUp(driver, contestants);
    for (const [index, each] of cases.entries()) {
      process.stderr.write(`${each.says}\n`);
      measured[index]?.push(
        await measure(driver, contestants, Math.ceil(roundsOf(each.rounds) / starts), (contestant) =>
          each.tollgateOnly && !isTollgate(contestant)
            ? undefined
            : {
                requests: each.requests,
                connections: each.connections,
                messages: [each.message(contestant)],
              },
        ),
      );
    }
  }
  return cases.map(({ message: _, ...each }, index) => ({
    case: each,
    outcomes: joinStarts(measured[index] ?? []),
  }));
}

/** Requests a second, of which a round sends as many as come in some seconds, and so many that a hundredth is not one. */
const RATES = { whole: [20, 100, 300, 1_000], quick: [100, 300] };
const RATED = { seconds: 2, atLeast: 200, rounds: 6 };

async function measureLatencies(driver: Driver, arena: Arena): Promise<Report['latencies']> {
  const report = [];
  const asked = options.rates?.split(',').map(Number);
  for (const rate of asked ?? (options.quick ? RATES.quick : RATES.whole)) {
    process.stderr.write(`latency at ${rate} requests a second\n`);
    const requests = Math.max(RATED.atLeast, rate * RATED.seconds);
    const all = [arena.direct, ...arena.contestants];
    const outcomes = await measure(driver, all, roundsOf(RATED.rounds), (contestant) => ({
      requests,
      rate,
      connections: 64,
      messages: [chat(contestant)],
    }));
    report.push({ rate, outcomes });
  }
  return report;
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

async function measureAll(driver: Driver, arena: Arena, counters: Counters): Promise<Report> {
  const loadBefore = loadNow();
  const { contestants, tollgate } = arena;
  const cases = await measureCases(driver, contestants);
  const gateway = contestants.find(({ name }) => name === 'tollgate');
  const all = options.case === undefined && options.rates === undefined && gateway !== undefined;
  const latencies = all || options.rates ? await measureLatencies(driver, arena) : [];
  if (all) process.stderr.write('curves\n');
  return {
    machine: `Node ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model.trim()}), ${new Date().toISOString().slice(0, 10)}`,
    counters: { events: counters.events, missing: counters.missing },
    cases,
    halves: options.twice ? listHalves(cases) : [],
    latencies,
    curves: all ? await curves({ driver, gateway, tollgate, rounds: 1, quick: options.quick }) : [],
    coldStarts: all ? await measureStarts(contestants) : {},
    load: `${loadBefore} before and ${loadNow()} after`,
  };
}

checkNames(options.only, CONTESTANTS);
checkNames(
  options.case,
  CASES.map(({ name }) => name),
);
const home = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
await using undo = new AsyncDisposableStack();
undo.defer(() => rmSync(home, { recursive: true, force: true }));
const before = options.against === undefined ? undefined : openCheckout(options.against, home);
undo.defer(() => before?.remove());
const arena = await openArena({
  home,
  gatewayEnv: options.profile ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${options.profile}` } : {},
  processes: Number(options.processes),
  against: before?.directory,
  only: (name) => listed(options.only, name),
});
undo.defer(() => arena.stop());
const counters = findCounters(options.count.split(',').filter(Boolean));
const driver = startDriver(counters);
undo.defer(() => driver.close());

const report = await measureAll(driver, arena, counters);
const text = markdown(report);
process.stdout.write(`${text}\n`);
if (options.json) writeFileSync(options.json, JSON.stringify(report, null, 2));
if (options.write) await writePart('benchmarks.md', 'relay', text);
// What could not be compared did not agree.
if (options.twice && (report.halves.length === 0 || report.halves.some(({ agree }) => !agree)))
  process.exitCode = 1;
