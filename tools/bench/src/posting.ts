// `npm run bench -- posting`: events a second into the books, beside a bare multi-row INSERT of the same rows.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { USAGE_QUEUE } from '@tollgate/contracts';
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
import { copyTables, insertBare, rowsAfter, toInserts } from './posting/bare-insert.ts';
import { lastNumber, sizesOfBooks } from './posting/books.ts';
import { type Billing, loadBilling } from './posting/built-billing.ts';
import { addCustomers, type Customer, currentSnapshot, makeEvents } from './posting/events.ts';
import { measureLive } from './posting/live.ts';
import { type Parts, readSpent, type Spent, spentSince } from './posting/spent.ts';
import { startWatchedPostgres, type Watched } from './posting/statements.ts';
import { measureTurns } from './posting/turns.ts';
import { median } from './relay/statistics.ts';
import { table } from './table.ts';
import { writePart } from './write-part.ts';

const ROUNDS = 15;
/** As many that post at the same time: connections of one process, or billings that share a queue. */
const WRITERS = 3;
const WARM_UP = 3;
const QUEUED = 100_000;
/** As a gateway under load sends them. */
const PER_JOB = 200;
/** As in Kubernetes. */
const LIVE_BILLINGS = 2;
const LIVE_S = 20;

const whole = (value: number) => value.toFixed(0);
const loadOfMachine = () => loadavg()[0]?.toFixed(1);
const say = (text: string) => process.stdout.write(`${text}\n`);

/**
 * `--profile` names where the billings' profiles go; PostgreSQL tells of its statements then. It makes everything slower.
 * `--turn` measures how long a batch keeps others from ending, `--live 200,1000` steady rates, and nothing else. `--write` puts the tables into docs/benchmarks.md.
 */
const { profile, turn, live, write } = parseArgs({
  options: {
    profile: { type: 'string' },
    turn: { type: 'boolean', default: false },
    live: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
}).values;

const perSecond = (events: number, ms: number) => Math.round((events / ms) * 1_000);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** What posting is measured with. */
interface Bench {
  readonly stack: RunningStack;
  readonly client: pg.Client;
  readonly parts: Parts;
  readonly billing: Billing;
  readonly customers: readonly Customer[];
  /** Events with their prices. */
  makePostings(count: number, of?: readonly Customer[]): readonly unknown[];
}

async function openBench(stack: RunningStack, client: pg.Client, parts: Parts): Promise<Bench> {
  const billing = await loadBilling();
  const customers = await addCustomers(client);
  const snapshot = await currentSnapshot(client);
  const makePostings = (count: number, of = customers) =>
    makeEvents(of, count).map((event) => billing.computePosting(event, snapshot).value);
  return { stack, client, parts, billing, customers, makePostings };
}

async function measureBatches({ stack, client, billing, makePostings }: Bench) {
  const database = billing.createDataSource(stack.databaseUrl);
  await database.initialize();
  await copyTables(client);
  const batch = billing.EVENTS_PER_COMMIT_MAX;
  const posted: number[] = [];
  const bare: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const last = await lastNumber(client);
    const postings = makePostings(batch);
    const postedMs = await timed(() => billing.postBatch(database, postings, []));
    const statements = toInserts(await rowsAfter(stack.databaseUrl, last));
    const bareMs = await timed(() => insertBare(client, statements));
    if (round < 0) continue;
    posted.push(postedMs);
    bare.push(bareMs);
  }
  await database.destroy();
  return { posted: perSecond(batch, median(posted)), bare: perSecond(batch, median(bare)) };
}

/** Several writers at the same time, each with a connection of its own. */
async function measureWriters({ stack, billing, makePostings }: Bench, writers: number): Promise<number> {
  const batch = billing.EVENTS_PER_COMMIT_MAX;
  const each = Array.from({ length: writers }, () => ({
    database: billing.createDataSource(stack.databaseUrl),
    batches: Array.from({ length: ROUNDS }, () => makePostings(batch)),
  }));
  await Promise.all(each.map(({ database }) => database.initialize()));
  const ms = await timed(() =>
    Promise.all(
      each.map(async ({ database, batches }) => {
        for (const postings of batches) await billing.postBatch(database, postings, []);
      }),
    ),
  );
  await Promise.all(each.map(({ database }) => database.destroy()));
  return perSecond(writers * ROUNDS * batch, ms);
}

async function withQueue<T>({ stack }: Bench, work: (queue: Queue) => Promise<T>): Promise<T> {
  const connection = new Redis(stack.redisUrl, { maxRetriesPerRequest: null, replyMapping: 'legacy' });
  const queue = new Queue(USAGE_QUEUE, {
    connection,
    // As a gateway's: pricing may not answer in time on a busy machine.
    defaultJobOptions: {
      attempts: 1_000,
      backoff: { type: 'fixed', delay: 2_000 },
      removeOnComplete: true,
    },
  });
  try {
    return await work(queue);
  } finally {
    await queue.close();
    connection.disconnect();
  }
}

interface Queued {
  readonly rate: number;
  /** Of an event. */
  readonly cpu: Spent;
}

/** From the first job in the queue to the last event in the books, through billings of their own processes. */
const measureQueue = (bench: Bench): Promise<Queued> =>
  withQueue(bench, async (queue) => {
    const { client, parts, customers } = bench;
    const jobs = Array.from({ length: QUEUED / PER_JOB }, () => ({
      name: 'usage',
      data: { events: makeEvents(customers, PER_JOB) },
    }));
    const before = await lastNumber(client);
    const spent = readSpent(parts);
    const ms = await timed(async () => {
      await queue.addBulk(jobs);
      await waitFor(async () => (await lastNumber(client)) >= before + QUEUED, 'the last event', 600_000, 20);
    });
    return { rate: perSecond(QUEUED, ms), cpu: spentSince(parts, spent, QUEUED) };
  });

/** By one billing and by several, each cold and once more. */
async function measureQueues(bench: Bench): Promise<[string, Queued][]> {
  const others = [...bench.stack.services].filter(([name]) => /^billing-/.test(name)).map(([, each]) => each);
  await Promise.all(others.map(({ process }) => process.stop()));
  const results: [string, Queued][] = [];
  const twice = async (says: string) => {
    for (const how of ['cold', 'warm']) results.push([`${says}, ${how}`, await measureQueue(bench)]);
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

/** Batches and backlogs. */
async function reportPosting(bench: Bench, watched: Watched | undefined): Promise<string[]> {
  const { client } = bench;
  const { posted, bare } = await measureBatches(bench);
  const alone = await measureWriters(bench, 1);
  const together = await measureWriters(bench, WRITERS);
  await watched?.reset();
  const queued = await measureQueues(bench);
  const last = await lastNumber(client);
  const bytes = Object.entries(await sizesOfBooks(client)).map(([name, size]) => [
    name,
    Math.round(size / last),
  ]);
  const row = (work: string, rate: number) => [work, String(rate), (rate / bare).toFixed(2)];
  return [
    table(
      ['work', 'events/s', 'to reference'],
      [
        row('bare multi-row INSERT', bare),
        row('postBatch', posted),
        row('postBatch, one writer without pause', alone),
        row(`postBatch, ${WRITERS} writers at the same time`, together),
        ...queued.map(([work, { rate }]) => row(work, rate)),
      ],
    ),
    table(
      ['microseconds of CPU an event', 'billing', 'PostgreSQL', 'Redis'],
      queued.map(([work, { cpu }]) => [work, ...[cpu.billing, cpu.postgres, cpu.redis].map(whole)]),
    ),
    ...(watched ? [(await watched.report(4 * QUEUED)).join('\n')] : []),
    `Bytes per event, with indices: ${JSON.stringify(Object.fromEntries(bytes))}`,
  ];
}

const reportLive = (bench: Bench, rates: readonly number[]): Promise<string[]> =>
  withQueue(bench, async (queue) => {
    // The first events of a process cost more.
    await measureQueue(bench);
    return measureLive({ ...bench, queue }, rates, LIVE_S, say);
  });

async function reportTurns(bench: Bench): Promise<string[]> {
  const { customers, makePostings } = bench;
  const max = bench.billing.EVENTS_PER_COMMIT_MAX;
  const many = await addCustomers(bench.client, max / 20);
  const batch = (events: number, of = customers) => {
    const keys = Math.min(events, of.length);
    return { events, keys, make: () => makePostings(events, of) };
  };
  const batches = [50, 500, 2_000, max].map((events) => batch(events));
  return [await measureTurns(bench, [...batches, batch(max, many)])];
}

/** What was asked for, and the part of docs/benchmarks.md that it is. */
async function measureWhat(opened: Bench, watched: Watched | undefined): Promise<[string, string[]]> {
  if (turn) return ['turn', await reportTurns(opened)];
  if (live) return ['live', await reportLive(opened, live.split(',').map(Number))];
  return ['posting', await reportPosting(opened, watched)];
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
    moreBillings: (live ? LIVE_BILLINGS : WRITERS) - 1,
    port: await freePort(),
    secrets,
    admin: { email: 'owner@bench.example', password: randomBytes(16).toString('hex') },
    apiKey: 'new',
    say,
  });
  const client = new pg.Client(stack.databaseUrl);
  await client.connect();
  const billings = [...stack.services].filter(([name]) => name.startsWith('billing'));
  const parts: Parts = {
    billing: () =>
      billings.map(([, { process }]) => process.pid()).filter((pid) => existsSync(`/proc/${pid}`)),
    postgres: () => [Number.parseInt(readFileSync(join(home, 'postgres', 'postmaster.pid'), 'utf8'), 10)],
    redis: () => [redis.pid()],
  };
  try {
    const opened = await openBench(stack, client, parts);
    const before = loadOfMachine();
    const [part, results] = await measureWhat(opened, watched);
    const text = [
      `Node ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model.trim()}), ${new Date().toISOString().slice(0, 10)}; load of the machine ${before} before and ${loadOfMachine()} after:`,
      ...results,
    ].join('\n\n');
    say(`\n${text}`);
    if (write) await writePart('benchmarks.md', part, text);
  } finally {
    await client.end();
    await stack.stop();
    await watched?.stop();
    await redis.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

await bench();
