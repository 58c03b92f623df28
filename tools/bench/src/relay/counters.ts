import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { parsePerfStat } from './perf-stat.ts';

/** What is counted of a relay where nothing else is asked for: its instructions, and the kernel's for it. */
export const EVENTS: readonly string[] = ['instructions:u', 'instructions:k'];

/** The events that `perf` counts on this machine. */
export interface Counters {
  readonly events: readonly string[];
  /** Why the others are not counted, a sentence for each. */
  readonly missing: readonly string[];
  /** Counts from now on what processes do, in all of their threads and in those that they start. Resolves when it does. */
  start(pids: readonly number[]): Promise<Counting>;
}

interface Counting {
  /** What was counted, by event; one that was not is not in it. */
  stop(): Promise<Readonly<Record<string, number>>>;
}

const stat = (events: readonly string[]) => ['stat', '-x,', '--no-scale', '-e', events.join(',')];
/** A point is what separates a fraction. */
const env = { ...process.env, LC_ALL: 'C' };

/** Tries each event once. */
export function findCounters(events: readonly string[]): Counters {
  const tried = events.map((event) => ({ event, fault: findFault(event) }));
  const given = tried.flatMap(({ event, fault }) => (fault === undefined ? [event] : []));
  return {
    events: given,
    missing: tried.flatMap(({ event, fault }) => (fault === undefined ? [] : [`${event}: ${fault}`])),
    start: (pids) => (given.length === 0 ? Promise.resolve(NOTHING) : startCounting(given, pids)),
  };
}

const NOTHING: Counting = { stop: () => Promise.resolve({}) };

function findFault(event: string): string | undefined {
  const { error, status, stderr } = spawnSync('perf', [...stat([event]), 'true'], { encoding: 'utf8', env });
  if (error) return 'perf is not installed';
  if (status !== 0) {
    const words = stderr.split('\n').find((line) => line.trim() !== '' && !line.startsWith('Error'));
    return `perf says "${words?.trim()}"`;
  }
  const counted = parsePerfStat(stderr).get(event);
  if (counted && 'value' in counted) return undefined;
  return `the kernel gives no such counter (perf says "${counted?.missing ?? 'nothing'}")`;
}

/** Events are counted between two commands that `perf` has answered, and not while it starts. */
async function startCounting(events: readonly string[], pids: readonly number[]): Promise<Counting> {
  const args = [...stat(events), '--delay=-1', '--control=fd:3,4', '-p', pids.join(',')];
  const perf = spawn('perf', args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'], env });
  const output = text(perf.stdio[2] as Readable);
  const ended = once(perf, 'exit');
  // Who has ended takes no commands.
  for (const pipe of perf.stdio) pipe?.on('error', () => {});
  await command(perf, 'enable', ended);
  return {
    async stop() {
      await command(perf, 'disable', ended);
      perf.kill('SIGINT');
      await ended;
      const counted = [...parsePerfStat(await output)];
      return Object.fromEntries(
        counted.flatMap(([event, each]) => ('value' in each ? [[event, each.value]] : [])),
      );
    },
  };
}

/** Resolves when it was carried out, or when `perf` has ended: then nothing was counted. */
async function command(perf: ChildProcess, name: 'enable' | 'disable', ended: Promise<unknown>) {
  const [, , , control, answers] = perf.stdio;
  const answered = new Promise((resolve) => answers?.once('data', resolve));
  if (control && 'write' in control) control.write(`${name}\n`);
  await Promise.race([answered, ended]);
}
