import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@tollgate/harness';
import { startChaosHouse } from './chaos-house.ts';
import { checkBooks } from './check-books.ts';
import { startLoad } from './load.ts';
import { type Kill, scheduleKills, type Victim } from './schedule.ts';

export interface ChaosOptions {
  readonly seconds: number;
  readonly kills: number;
  readonly seed: number;
  readonly perSecond: number;
  readonly say?: (text: string) => void;
}

export interface ChaosReport {
  readonly kills: readonly Kill[];
  readonly sent: number;
  /** Requests whose answer the client has. */
  readonly answered: number;
  /** Usage rows in the end: those of the answered, and of answers that broke off. */
  readonly rows: number;
  /** From the last answer to the last confirmed event. */
  readonly settledMs: number;
  readonly findings: readonly string[];
}

/** Spools look again at the latest after thirty seconds; then everything must still be posted and confirmed. */
const SETTLED_WITHIN_MS = 180_000;

/** Runs a house under load, kills parts of it, and audits the books once everything has come to rest. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seconds, seed, perSecond, say = () => {} } = options;
  const home = mkdtempSync(join(tmpdir(), 'tollgate-chaos-'));
  say('Starting the house');
  const house = await startChaosHouse(home);
  try {
    const kills = scheduleKills(seed, options.kills, seconds * 1_000);
    const load = startLoad(house.stack.gatewayUrls, house.stack.apiKey, {
      perSecond,
      lastsMs: seconds * 1_000,
    });
    const startedAt = Date.now();
    const restarts = new Map<Victim, Promise<void>>();
    for (const { atMs, victim } of kills) {
      await sleep(Math.max(0, startedAt + atMs - Date.now()));
      const server = victim === 'redis with its data' ? 'redis' : victim;
      await restarts.get(server);
      const { answered, others } = load.sofar();
      const at = ((Date.now() - startedAt) / 1_000).toFixed(1).padStart(6);
      say(`${at} s  kill -9 ${victim.padEnd(20)} ${answered.length} answered, ${others} not`);
      restarts.set(server, house.kill(victim));
    }
    await Promise.all([load.done, ...restarts.values()]);
    const { answered, sent } = load.sofar();
    say(
      `${((Date.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s  the load has ended; waiting for the books`,
    );
    const restedAt = Date.now();
    const spooled = () => filesBelow(join(home, 'spool'));
    const atRest = await waitFor(() => spooled() === 0, 'an empty spool', SETTLED_WITHIN_MS, 100).then(
      () => [],
      () => [`${spooled()} files are still in the spools`],
    );
    const settledMs = Date.now() - restedAt;
    const { rows, findings } = await checkBooks(house.stack.databaseUrl, answered);
    return { kills, sent, answered: answered.length, rows, settledMs, findings: [...atRest, ...findings] };
  } finally {
    await house.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

const filesBelow = (directory: string): number =>
  readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
