// `npm run bench -- posting`: events a second into the books, beside a bare multi-row INSERT of the same rows.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { PriceSnapshot } from '@tollgate/catalogue';
import { USAGE_QUEUE, type UsageEvent } from '@tollgate/contracts';
import {
  freePort,
  newStackSecrets,
  type RunningStack,
  startRedis,
  startStack,
  waitFor,
} from '@tollgate/harness';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import { insertBare, toInserts, copyTables, rowsAfter } from './bare-insert.ts';
import { addCustomers, currentSnapshot, makeEvents } from './posting-events.ts';
import { cpuMicros } from './relay/process-cpu.ts';
import { writePart } from './write-part.ts';
import { startWatchedPostgres } from './statements.ts';

const BATCH = 2_000;
const ROUNDS = 15;
/** As many that post at the same time: connections of one process, or billings that share a queue. */
const WRITERS = 3;
const WARM_UP = 3;
const QUEUED = 100_000;
/** As a gateway under load sends them. */
const PER_JOB = 200;

const BILLING = join(import.meta.dirname, '..', '..', '..', 'apps', 'billing', 'dist');
const say = (text: string) => process.stdout.write(`${text}\n`);

/**
 * `--profile` names where the billings' profiles go; PostgreSQL tells of its statements then. It makes everything slower.
 * `--write` puts the tables into docs/benchmarks.md.
 */
const { profile, write } = parseArgs({
  options: { profile: { type: 'string' }, write: { type: 'boolean', default: false } },
}).values;

/** What is measured of billing's built code. */
interface Billing {
  readonly createDataSource: (url: string) => { initialize(): Promise<unknown>; destroy(): Promise<void> };
  readonly postBatch: (
    database: unknown,
    postings: readonly unknown[],
    rejected: readonly [],
  ) => Promise<unknown[]>;
  readonly computePosting: (
    event: UsageEvent,
    snapshot: PriceSnapshot,
  ) => { readonly ok: boolean; readonly value?: unknown };
}

async function loadBilling(): Promise<Billing> {
  const load = (path: string) => import(pathToFileURL(join(BILLING, path)).href) as Promise<Partial<Billing>>;
  const modules = ['database/data-source.js', 'usage/post-batch.js', 'usage/posting.js'];
  return Object.assign({}, ...(await Promise.all(modules.map(load)))) as Billing;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
const perSecond = (events: number, ms: number) => Math.round((events / ms) * 1_000);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function measureBatches(
  stack: RunningStack,
  client: pg.Client,
): Promise<{ posted: number; bare: number }> {
  const billing = await loadBilling();
  const database = await billing.createDataSource(stack.databaseUrl).initialize();
  const customers = await addCustomers(client);
  const snapshot = await currentSnapshot(client);
  await copyTables(client);
  const posted: number[] = [];
  const bare: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const last = await lastNumber(client);
    const postings = makeEvents(customers, BATCH).map(
      (event) => billing.computePosting(event, snapshot).value,
    );
    const postedMs = await timed(() => billing.postBatch(database, postings, []));
    const statements = toInserts(await rowsAfter(stack.databaseUrl, last));
    const bareMs = await timed(() => insertBare(client, statements));
    if (round < 0) continue;
    posted.push(postedMs);
    bare.push(bareMs);
  }
  await (database as { destroy(): Promise<void> }).destroy();
  return { posted: perSecond(BATCH, median(posted)), bare: perSecond(BATCH, median(bare)) };
}

/** Several writers at the same time, each with a connection of its own. */
async function measureWriters(stack: RunningStack, client: pg.Client, writers: number): Promise<number> {
  const billing = await loadBilling();
  const customers = await addCustomers(client);
  const snapshot = await currentSnapshot(client);
  const each = await Promise.all(
    Array.from({ length: writers }, async () => ({
      database: billing.createDataSource(stack.databaseUrl),
      batches: Array.from({ length: ROUNDS }, () =>
        makeEvents(customers, BATCH).map((event) => billing.computePosting(event, snapshot).value),
      ),
    })),
  );
  await Promise.all(each.map(({ database }) => database.initialize()));
  const ms = await timed(() =>
    Promise.all(
      each.map(async ({ database, batches }) => {
        for (const batch of batches) await billing.postBatch(database, batch, []);
      }),
    ),
  );
  await Promise.all(each.map(({ database }) => database.destroy()));
  return perSecond(writers * ROUNDS * BATCH, ms);
}

const lastNumber = async (client: pg.Client): Promise<number> =>
  Number(
    (await client.query<{ last_number: string }>('SELECT last_number FROM billing.journal')).rows[0]
      ?.last_number,
  );

interface Queued {
  readonly rate: number;
  /** Microseconds of CPU an event, of each that has a part in it. */
  readonly cpu: Readonly<Record<'billing' | 'postgres' | 'redis', number>>;
}

/** From the first job in the queue to the last event in the books, through billings of their own processes. */
async function measureQueue(stack: RunningStack, client: pg.Client, pids: Pids): Promise<Queued> {
  const connection = new Redis(stack.redisUrl, { maxRetriesPerRequest: null, replyMapping: 'legacy' });
  const queue = new Queue(USAGE_QUEUE, { connection, defaultJobOptions: { removeOnComplete: true } });
  const customers = await addCustomers(client);
  const jobs = Array.from({ length: QUEUED / PER_JOB }, () => ({
    name: 'usage',
    data: { events: makeEvents(customers, PER_JOB) },
  }));
  const before = await lastNumber(client);
  const cpuBefore = mapValues(pids, sumCpu);
  const ms = await timed(async () => {
    await queue.addBulk(jobs);
    await waitFor(async () => (await lastNumber(client)) >= before + QUEUED, 'the last event', 600_000, 20);
  });
  await queue.close();
  connection.disconnect();
  const cpu = mapValues(pids, (of, name) => (sumCpu(of) - cpuBefore[name]) / QUEUED);
  return { rate: perSecond(QUEUED, ms), cpu };
}

type Pids = Readonly<Record<'billing' | 'postgres' | 'redis', () => readonly number[]>>;
const sumCpu = (pids: () => readonly number[]) => pids().reduce((sum, pid) => sum + cpuMicros(pid), 0);
const mapValues = <T>(
  of: Pids,
  map: (pids: () => readonly number[], name: keyof Pids) => T,
): Record<keyof Pids, T> => ({
  billing: map(of.billing, 'billing'),
  postgres: map(of.postgres, 'postgres'),
  redis: map(of.redis, 'redis'),
});

/** By one billing and by several, each cold and once more. */
async function measureQueues(
  stack: RunningStack,
  client: pg.Client,
  pids: Pids,
): Promise<[string, Queued][]> {
  const others = [...stack.services].filter(([name]) => /^billing-/.test(name)).map(([, each]) => each);
  await Promise.all(others.map(({ process }) => process.stop()));
  const results: [string, Queued][] = [];
  const twice = async (says: string) => {
    for (const how of ['cold', 'warm'])
      results.push([`${says}, ${how}`, await measureQueue(stack, client, pids)]);
  };
  await twice('queue to books, one billing');
  for (const { process } of others) process.start();
  for (const { url } of others)
    await waitFor(
      () =>
        fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      'a billing',
      60_000,
    );
  await twice(`queue to books, ${WRITERS} billings`);
  return results;
}

/** What an event takes on the disk, with indices. */
async function bytesPerEvent(client: pg.Client): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string; bytes: string }>(`
    SELECT CASE WHEN relname LIKE 'usage_%' THEN 'usage' ELSE relname END AS name,
      sum(pg_total_relation_size(oid)) / (SELECT last_number FROM billing.journal) AS bytes
    FROM pg_class WHERE relnamespace = 'billing'::regnamespace AND relkind = 'r'
      AND relname ~ '^(usage_[0-9d]|ledger_transaction$|ledger_entry$)' GROUP BY 1 ORDER BY 1`);
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, Math.round(Number(bytes))]));
}

async function bench(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  const redis = await startRedis({ directory: join(home, 'redis') });
  const secrets = newStackSecrets();
  const watched = profile ? await startWatchedPostgres(home, secrets.postgres_password) : undefined;
  const stack = await startStack({
    longSessions: true,
    home,
    ...(watched ? { databaseUrl: watched.databaseUrl } : {}),
    form: profile ? 'dist' : 'bundle',
    env: () => Promise.resolve(profile ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` } : {}),
    redisUrl: redis.url,
    moreBillings: WRITERS - 1,
    port: await freePort(),
    secrets,
    admin: { email: 'owner@bench.example', password: randomBytes(16).toString('hex') },
    apiKey: 'new',
    say,
  });
  const client = new pg.Client(stack.databaseUrl);
  await client.connect();
  try {
    const { posted, bare } = await measureBatches(stack, client);
    const alone = await measureWriters(stack, client, 1);
    const together = await measureWriters(stack, client, WRITERS);
    await watched?.reset();
    const billings = [...stack.services].filter(([name]) => name.startsWith('billing'));
    const queued = await measureQueues(stack, client, {
      billing: () =>
        billings.map(([, { process }]) => process.pid()).filter((pid) => existsSync(`/proc/${pid}`)),
      postgres: () => [Number.parseInt(readFileSync(join(home, 'postgres', 'postmaster.pid'), 'utf8'), 10)],
      redis: () => [redis.pid()],
    });
    const ratio = (rate: number) => (rate / bare).toFixed(2);
    const row = (work: string, rate: number) => `| ${work} | ${rate} | ${ratio(rate)} |`;
    const day = new Date().toISOString().slice(0, 10);
    const text = [
      `Node ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model.trim()}), ${day}:`,
      [
        '| work | events/s | to reference |\n| --- | ---: | ---: |',
        row('bare multi-row INSERT', bare),
        row('postBatch', posted),
        row('postBatch, one writer without pause', alone),
        row(`postBatch, ${WRITERS} writers at the same time`, together),
        ...queued.map(([work, { rate }]) => row(work, rate)),
      ].join('\n'),
      [
        '| microseconds of CPU an event | billing | PostgreSQL | Redis |\n| --- | ---: | ---: | ---: |',
        ...queued.map(
          ([work, { cpu }]) =>
            `| ${work} | ${cpu.billing.toFixed(0)} | ${cpu.postgres.toFixed(0)} | ${cpu.redis.toFixed(0)} |`,
        ),
      ].join('\n'),
      ...(watched ? [(await watched.report(4 * QUEUED)).join('\n')] : []),
      `Bytes per event, with indices: ${JSON.stringify(await bytesPerEvent(client))}`,
    ].join('\n\n');
    say(`\n${text}`);
    if (write) await writePart('benchmarks.md', 'posting', text);
  } finally {
    await client.end();
    await stack.stop();
    await watched?.stop();
    await redis.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

await bench();
