// `npm run bench -- budget`: what a step of a request costs the gateway, beside what it is meant to. See docs/benchmarks.md.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '@tollgate/harness';
import { openArena } from './relay/arena.ts';
import { computeShares, type Step, STEPS } from './relay/budget-steps.ts';
import { CASES } from './relay/cases.ts';
import { mainThreadMicros } from './relay/process-cpu.ts';
import type { Contestant } from './relay/contestant.ts';
import { openProfiler } from './relay/profiler.ts';
import { startDriver } from './relay/runner.ts';
import { lowerQuartile, quantile } from './relay/statistics.ts';
import { writePart } from './write-part.ts';

const { values: options } = parseArgs({
  options: {
    case: { type: 'string', default: 'chat-1k' },
    rounds: { type: 'string', default: '16' },
    /** A file for the profile of the last round, which Chrome and VS Code open. */
    profile: { type: 'string' },
    /** Puts the table into docs/benchmarks.md. */
    write: { type: 'boolean', default: false },
  },
});

/** Microseconds of a chat of 1 KB. What has none is the platform's. */
const AIMS: Readonly<Partial<Record<string, number>>> = {
  authenticate: 1,
  receive: 5,
  admit: 7,
  route: 1,
  forward: 7,
  deliver: 6,
  meter: 3,
  publish: 7,
  telemetry: 2,
  relay: 2,
};

const measured = CASES.find(({ name }) => name === options.case);
if (!measured) throw new Error(`there is no case ${options.case}`);
const { requests, connections, message } = measured;
const home = mkdtempSync(join(tmpdir(), 'tollgate-budget-'));
await using undo = new AsyncDisposableStack();
undo.defer(() => rmSync(home, { recursive: true, force: true }));
const port = await freePort();
const arena = await openArena({
  home,
  // Of one file for each of ours, so that a profile can tell them apart.
  form: 'dist',
  gatewayEnv: { NODE_OPTIONS: `--inspect=127.0.0.1:${port}` },
  only: (name) => name === 'tollgate',
});
undo.defer(() => arena.stop());
const gateway = arena.contestants[0] as Contestant;
const driver = startDriver();
undo.defer(() => driver.close());
const profiler = await openProfiler(port);
undo.defer(() => profiler.close());

/** Microseconds a request, of all threads and of the main one. */
async function run(): Promise<{ readonly all: number; readonly main: number }> {
  const before = mainThreadMicros(gateway.pid());
  const { cpu } = await driver.run(gateway, { requests, connections, messages: [message(gateway)] });
  return { all: cpu, main: (mainThreadMicros(gateway.pid()) - before) / requests };
}

/** V8 translates what it runs often, again and again: by then a request of 1 KB costs a third of what the first ones do. */
const WARM_UP_ROUNDS = 5;
const rounds = Number(options.rounds);
const [all, main]: [number[], number[]] = [[], []];
const shares: Readonly<Record<Step, number>>[] = [];
for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
  process.stderr.write(`round ${round + 1} of ${rounds}\n`);
  const cost = await run();
  await profiler.start();
  await run();
  const profile = await profiler.stop();
  if (options.profile && round === rounds - 1) writeFileSync(options.profile, JSON.stringify(profile));
  const share = computeShares(profile);
  if (round < 0) continue;
  all.push(cost.all);
  main.push(cost.main);
  shares.push(share);
}

const whole = lowerQuartile(main);
/** What a round is not bothered by, and between what a step lies in nine rounds of ten. */
const costOf = (steps: readonly Step[]) => {
  const of = shares.map((share) => steps.reduce((sum, step) => sum + share[step], 0) * whole);
  return { now: quantile(of, 0.5), from: quantile(of, 0.05), to: quantile(of, 0.95) };
};
const toRow = (name: string, steps: readonly Step[]) => {
  const { now, from, to } = costOf(steps);
  const aim = options.case === 'chat-1k' ? AIMS[name] : undefined;
  return [name, now.toFixed(1), `${from.toFixed(1)}–${to.toFixed(1)}`, aim === undefined ? '' : String(aim)];
};
/** Parts of a step stand below it, as `step: part`. */
const rows = [...Map.groupBy(STEPS, (step) => step.replace(/:.*/, ''))].flatMap(([name, parts]) => [
  toRow(name, parts),
  ...(parts.length > 1 ? parts.map((part) => toRow(part, [part])) : []),
]);
const others = lowerQuartile(all) - whole;
/** Figures are of a day and a commit; a copy without history has the day alone. */
const commit = spawnSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' }).stdout?.trim();
const taken = [new Date().toISOString().slice(0, 10), ...(commit ? [`\`${commit}\``] : [])].join(', ');
const text = [
  `${measured.says} (${taken}): Node ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model.trim()}), ${rounds} rounds of ${requests}; load of the machine ${loadavg()[0]?.toFixed(1)} after.`,
  [
    '| step | µs | nine rounds of ten | aim |',
    '| --- | ---: | ---: | ---: |',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
    `| main thread | ${whole.toFixed(1)} | ${quantile(main, 0.05).toFixed(1)}–${quantile(main, 0.95).toFixed(1)} | |`,
    `| other threads (V8, disk) | ${others.toFixed(1)} | | |`,
  ].join('\n'),
].join('\n\n');
process.stdout.write(`${text}\n`);
if (options.write) await writePart('benchmarks.md', 'budget', text);
