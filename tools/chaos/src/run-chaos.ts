import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Checkout, waitFor } from '@tollgate/harness';
import { type ChaosStack, startChaosStack } from './chaos-stack.ts';
import { checkBooks } from './check-books.ts';
import { checkRun } from './check-run.ts';
import { changePrices, type ChaosCustomer, openCustomers, type OwnerApi, signInOwner } from './customers.ts';
import { filesBelow } from './damaged-spool.ts';
import type { Evidence, Receipt } from './evidence.ts';
import { type Fault, type PlannedFault, planFaults } from './faults.ts';
import {
  type Query,
  readAudit,
  readCredit,
  readEntries,
  readHolds,
  readLostAttempts,
  readPrices,
  readVersions,
  readServed,
  readUsage,
  withBooks,
} from './gather.ts';
import { startLoad } from './load.ts';
import { PROGRAM_MUTATIONS } from './program-mutations.ts';
import { TAMPERINGS } from './tampering.ts';
import { tellSpooled } from './tell-spooled.ts';
import { readJobs } from './usage-jobs.ts';

export { BILLING_KILLS, FAULTS } from './faults.ts';

export interface ChaosOptions {
  readonly seconds: number;
  /** How many faults. */
  readonly faults: number;
  /** Of which kinds; all when it is left out. */
  readonly kinds?: readonly Fault[];
  readonly seed: number;
  readonly perSecond: number;
  /** How long each message of billings to PostgreSQL or Redis takes, and each answer: the longer, the more kills fall between two. */
  readonly delayMs?: number;
  /** A mistake in a program: see `PROGRAM_MUTATIONS`. */
  readonly mutation?: string;
  /** An earlier release, for `ROLLBACKS`. */
  readonly older?: Checkout;
  readonly say?: (text: string) => void;
}

export interface ChaosReport {
  readonly faults: readonly PlannedFault[];
  readonly sent: number;
  /** Requests whose answer the client has. */
  readonly answered: number;
  /** Usage rows in the end: those of the answered, of answers that broke off, and of those that clients left. */
  readonly rows: number;
  /** Of answers that clients left, those that are charged. */
  readonly leftRows: number;
  /** Attempts that brought nothing and are booked as cost. */
  readonly lostAttempts: number;
  readonly versions: number;
  /** From the last answer to the last confirmed event. */
  readonly settledMs: number;
  readonly findings: readonly string[];
  /** Changes of the books, made after the audit, that it did not find. */
  readonly notFound: readonly string[];
}

/** Spools look again at the latest after thirty seconds; then everything must still be posted and confirmed. */
const SETTLED_WITHIN_MS = 180_000;
/** Those of gateways that were killed are taken back when they are missed for some seconds. */
const RELEASED_WITHIN_MS = 60_000;
/** The books have all of it by then: whatever comes again is passed over. */
const DONE_WITHIN_MS = 60_000;
const PRICES_EVERY_MS = 4_000;
/** Without faults gateways have new prices within moments; with them they may go on by the last that they know. */
const LAG_MS = { quiet: 3_000, faults: 60_000 };
const MAX_SERVED = 200_000;

/** Runs a stack under load and faults, and audits its books once everything has come to rest. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { say = () => {} } = options;
  const home = mkdtempSync(join(tmpdir(), 'tollgate-chaos-'));
  const mark = join(home, 'mutated');
  const mutation = options.mutation === undefined ? undefined : PROGRAM_MUTATIONS[options.mutation];
  if (options.mutation !== undefined && !mutation)
    throw new Error(
      `There is no mutation ${options.mutation}. There are ${Object.keys(PROGRAM_MUTATIONS).join(', ')}.`,
    );
  say('Starting the stack');
  const chaos = await startChaosStack(home, {
    mutation: mutation && { ...mutation, mark },
    older: options.older,
    delayMs: options.delayMs,
  });
  try {
    const report = await runIn(chaos, options, say);
    if (mutation && !existsSync(mark))
      throw new Error(`The place of the mutation ${options.mutation} is gone: write its pattern again.`);
    return report;
  } finally {
    await chaos.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

async function runIn(
  chaos: ChaosStack,
  options: ChaosOptions,
  say: (text: string) => void,
): Promise<ChaosReport> {
  const { seconds, seed, perSecond } = options;
  const { stack } = chaos;
  const owner = await signInOwner(stack.baseUrl, chaos.owner);
  const customers = await openCustomers(owner, seconds);
  await fetch(`${stack.simulatorUrl}/__sim/served`, { method: 'PUT', body: String(MAX_SERVED) });
  const planned = planFaults(seed, options.faults, seconds * 1_000, options.kinds);
  const lastsMs = seconds * 1_000;
  const load = startLoad(
    stack.gatewayUrls,
    customers.map(({ sender }) => sender),
    { perSecond, lastsMs, seed },
  );
  const stopChanging = new AbortController();
  const changing = keepChangingPrices(owner, stopChanging.signal);
  const startedAt = performance.now();
  const clock = () => `${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s`;
  let under: Promise<unknown> = Promise.resolve();
  const failed: string[] = [];
  for (const { atMs, fault } of planned) {
    await sleep(Math.max(0, startedAt + atMs - performance.now()));
    // One at a time: what two do together is luck.
    await under;
    const { sent, answered } = load.sofar();
    say(`${clock()}  ${fault.padEnd(42)} ${answered} of ${sent} answered`);
    under = chaos.cause(fault).catch((error: unknown) => failed.push(`${fault}: ${String(error)}`));
  }
  await Promise.all([load.done, under]);
  chaos.bringNear();
  stopChanging.abort();
  await changing;
  say(`${clock()}  the load has ended; waiting for the books`);
  const restedAt = performance.now();
  const unsettled = await rest(chaos);
  const settledMs = performance.now() - restedAt;
  const lagMs = options.faults > 0 ? LAG_MS.faults : LAG_MS.quiet;
  const evidence = await outsideOf(chaos, customers, load.receipts, lagMs);
  const { rows, leftRows, lostAttempts, findings } = await checkBooks(
    stack.databaseUrl,
    idsOf(load.receipts, chaos.damagedIds),
  );
  const audit = async (query: Query) =>
    checkRun({
      ...evidence,
      rows: await readUsage(query),
      lostAttempts: await readLostAttempts(query),
      entries: await readEntries(query),
    });
  const found = [...(await withBooks(stack.databaseUrl, audit)), ...(await readAudit(owner))];
  return {
    faults: planned,
    ...load.sofar(),
    rows,
    leftRows,
    lostAttempts,
    settledMs,
    versions: evidence.publications.length,
    findings: [...failed, ...unsettled, ...findings, ...found],
    notFound: await withBooks(stack.databaseUrl, (query) => tamper(query, audit)),
  };
}

async function keepChangingPrices(owner: OwnerApi, signal: AbortSignal): Promise<void> {
  for (let turn = 0; !signal.aborted; turn += 1) {
    // A part that it needs may be away: the versions that came of it are read in the end.
    await changePrices(owner, turn).catch(() => {});
    await sleep(PRICES_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

/** Waits until nothing is on its way any more. */
async function rest({ stack, home, redis }: ChaosStack): Promise<string[]> {
  const spooled = () => filesBelow(join(home, 'spool'));
  const findings: string[] = [];
  const wait = (
    what: string,
    isDone: () => Promise<boolean> | boolean,
    withinMs: number,
    tellWhy: () => string | Promise<string> = () => '',
  ) =>
    waitFor(isDone, what, withinMs, 200).catch(
      async () => void findings.push(`there was no ${what} after ${withinMs / 1_000} s${await tellWhy()}`),
    );
  for (const { url } of stack.services.values())
    await wait(
      `answer of ${url}`,
      () =>
        fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      60_000,
    );
  await wait(
    'empty spool',
    () => spooled().length === 0,
    SETTLED_WITHIN_MS,
    () =>
      withBooks(stack.databaseUrl, (query) => tellSpooled(spooled(), { query, redisPort: redis.port })).catch(
        String,
      ),
  );
  await wait('end of all holds', async () => (await readHolds(redis.port)).length === 0, RELEASED_WITHIN_MS);
  let jobs: readonly string[] = [];
  await wait(
    'end of all jobs',
    async () => (jobs = await readJobs(redis.port)).length === 0,
    DONE_WITHIN_MS,
    () => `: ${jobs.join(', ')}`,
  );
  return findings;
}

async function outsideOf(
  { stack, redis, redisLossesMs, gatewayEnds, damagedIds }: ChaosStack,
  chaosCustomers: readonly ChaosCustomer[],
  receipts: readonly Receipt[],
  snapshotLagMs: number,
): Promise<Omit<Evidence, 'rows' | 'lostAttempts' | 'entries'>> {
  const customers = chaosCustomers.map(({ customer }) => customer);
  return {
    receipts,
    customers,
    redisLossesMs,
    gatewayEnds,
    damagedIds,
    snapshotLagMs,
    served: await readServed(stack.simulatorUrl),
    ...(await readPrices(stack.baseUrl, await withBooks(stack.databaseUrl, readVersions))),
    credit: await readCredit(redis.port, customers),
    openHolds: await readHolds(redis.port),
  };
}

const idsOf = (receipts: readonly Receipt[], damaged: ReadonlySet<string>): string[] =>
  receipts.flatMap(({ whole, requestId }) =>
    whole && requestId !== undefined && !damaged.has(requestId) ? [requestId] : [],
  );

/** Cheats in every way that the table has, and answers those of which the audit does not say what it must. */
async function tamper(query: Query, audit: (query: Query) => Promise<readonly string[]>): Promise<string[]> {
  const notFound: string[] = [];
  for (const { name, sql, finding } of TAMPERINGS) {
    await query('BEGIN');
    await query('SET LOCAL session_replication_role = replica');
    await query(sql);
    const found = await audit(query);
    if (!found.some((each) => each.includes(finding))) notFound.push(`${name}: ${JSON.stringify(found)}`);
    await query('ROLLBACK');
  }
  return notFound;
}
