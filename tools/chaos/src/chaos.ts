// `npm run chaos -- --minutes 5 --seed 1`: a stack under load and faults; then an audit of its books by what clients were
// answered and what the public prices say. With `--mutation NAME` (or `all`) a program has a mistake: the audit must be red. With
// `--older baseline` (or a commit, or the directory of a checkout that is built) single services are of an earlier release for a
// while, beside newer ones. With `--only billing` billings alone are killed and frozen; `--delay 10` takes PostgreSQL and Redis
// 10 ms away from them, so that more kills fall between two messages.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openCheckout } from '@tollgate/harness';
import { type Fault, FAULTS, ROLLBACKS } from './faults.ts';
import { PROGRAM_MUTATIONS } from './program-mutations.ts';
import { type ChaosOptions, type ChaosReport, runChaos } from './run-chaos.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
    faults: { type: 'string' },
    rate: { type: 'string', default: '60' },
    only: { type: 'string' },
    delay: { type: 'string' },
    mutation: { type: 'string' },
    older: { type: 'string' },
  },
});
const say = (text: string) => process.stdout.write(`${text}\n`);
const MUTATION_SECONDS = 10;

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0)
    throw new Error(`--${name} must be a number above zero, not "${text}".`);
  return value;
}

function kindsOf(text: string | undefined, all: readonly Fault[]): readonly Fault[] {
  const kinds = all.filter((fault) => text === undefined || fault.includes(text));
  if (kinds.length === 0) throw new Error(`--only must be in one of: ${all.join('; ')}.`);
  return kinds;
}

/**
 * What goes back. Gateways from before the catalogue had all of today's kinds of tokens refuse to price by a part of it, so
 * that none of the baseline would become ready.
 */
const rollbacksTo = (older: string): readonly Fault[] =>
  older === 'baseline' ? ROLLBACKS.filter((fault) => !fault.includes('gateway')) : ROLLBACKS;

/** The commit that froze the migrations: nothing older runs on the schema of today. */
function findBaseline(): string {
  const frozen = ':(top)apps/billing/src/database/migrations/frozen.sha256';
  const commits = execFileSync('git', ['log', '--diff-filter=A', '--format=%H', '--', frozen], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  const [commit = ''] = commits.trim().split('\n');
  const isShallow = execFileSync('git', ['rev-parse', '--is-shallow-repository'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  if (commit === '' || isShallow.trim() === 'true')
    throw new Error(
      'This clone has no history, and so no earlier release to build. Name the directory of a checkout that is built.',
    );
  return commit;
}

function show(report: ChaosReport): void {
  say('');
  say(`requests sent        ${report.sent}`);
  say(`answered             ${report.answered}`);
  say(`in the books         ${report.rows}`);
  say(`versions of prices   ${report.versions}`);
  say(`at rest after        ${(report.settledMs / 1_000).toFixed(1)} s`);
  for (const finding of report.findings) say(`WRONG: ${finding}`);
  for (const name of report.notFound) say(`NOT FOUND: ${name}`);
}

async function chaos(): Promise<number> {
  await using undo = new AsyncDisposableStack();
  const { older: name } = values;
  const home = mkdtempSync(join(tmpdir(), 'tollgate-older-'));
  undo.defer(() => rmSync(home, { recursive: true, force: true }));
  const older =
    name === undefined ? undefined : openCheckout(name === 'baseline' ? findBaseline() : name, home);
  undo.defer(() => older?.remove());
  const options: ChaosOptions = {
    seconds: positive('minutes', values.minutes) * 60,
    seed: positive('seed', values.seed),
    faults: positive('faults', values.faults ?? (older ? '3' : '30')),
    kinds: kindsOf(values.only, name === undefined ? FAULTS : rollbacksTo(name)),
    perSecond: positive('rate', values.rate),
    ...(older ? { older } : {}),
    ...(values.delay === undefined ? {} : { delayMs: positive('delay', values.delay) }),
    say,
  };
  if (values.mutation !== undefined) return await mutations(options, values.mutation);
  say(
    `${options.faults} faults in ${options.seconds} s at ${options.perSecond} requests/s, seed ${options.seed}`,
  );
  const report = await runChaos(options);
  show(report);
  const isRight = report.findings.length + report.notFound.length === 0;
  say(isRight ? 'The books are right.' : 'The books are wrong.');
  return isRight ? 0 : 1;
}

/** A quiet run with a mistake in a program, for each name. @returns 0 when every one was found. */
async function mutations(options: ChaosOptions, name: string): Promise<number> {
  const names = name === 'all' ? Object.keys(PROGRAM_MUTATIONS) : [name];
  let missed = 0;
  for (const mutation of names) {
    const { findings } = await runChaos({
      ...options,
      mutation,
      seconds: MUTATION_SECONDS,
      faults: 0,
      say: () => {},
    });
    const expected = PROGRAM_MUTATIONS[mutation]?.finding ?? '';
    const isFound = findings.some((finding) => finding.includes(expected));
    say(`${isFound ? 'found     ' : 'NOT FOUND '} ${mutation}`);
    for (const finding of findings) say(`           ${finding}`);
    if (!isFound) missed += 1;
  }
  say(missed === 0 ? 'The audit is red for each of them.' : 'The audit has passed wrong books.');
  return missed === 0 ? 0 : 1;
}

try {
  process.exitCode = await chaos();
} catch (error) {
  say((error as Error).message);
  process.exitCode = 2;
}
