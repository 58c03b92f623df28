// Events that come in at a steady rate: a transaction has as many as come while billing gathers them.
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@tollgate/harness';
import type { Queue } from 'bullmq';
import type pg from 'pg';
import { table } from '../table.ts';
import { type Customer, makeEvents } from './events.ts';
import { type Parts, readSpent, type Spent, spentSince } from './spent.ts';
import { bytesOfBooks, lastNumber } from './books.ts';

/** A gateway puts what came meanwhile into the queue this often, and serves so many requests a second at the most. */
const TICK_MS = 50;
const GATEWAY_RATE_MAX = 4_000;
const MIN_GATEWAYS = 2;
/** Before what is counted. */
const LEAD_S = 5;
const IDLE_S = 10;

interface Live {
  readonly queue: Queue;
  readonly client: pg.Client;
  readonly customers: readonly Customer[];
  readonly parts: Parts;
}

/** Of each event. */
interface Cost {
  readonly rate: number;
  /** Events of a transaction of the database. */
  readonly batch: number;
  readonly cpu: Spent;
  readonly logBytes: number;
  readonly writtenBytes: number;
  readonly keptBytes: number;
  /** How long after the last job the last event was in the books. */
  readonly behindMs: number;
}

/** As so many gateways as the rate needs, which do not tick at the same time. */
async function send({ queue, customers }: Live, rate: number, seconds: number): Promise<number> {
  const gateways = Math.max(MIN_GATEWAYS, Math.ceil(rate / GATEWAY_RATE_MAX));
  const everyMs = TICK_MS / gateways;
  const from = performance.now();
  const sends: Promise<unknown>[] = [];
  let sent = 0;
  for (let dueMs = everyMs; dueMs <= seconds * 1_000; dueMs += everyMs) {
    const waitMs = from + dueMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    const count = Math.floor((rate * dueMs) / 1_000) - sent;
    if (count === 0) continue;
    sent += count;
    sends.push(queue.add('usage', { events: makeEvents(customers, count) }));
  }
  await Promise.all(sends);
  return sent;
}

/** Sends and waits until all is in the books. Answers how many these were, and how long the last took. */
async function post(live: Live, rate: number, seconds: number): Promise<{ count: number; behindMs: number }> {
  const { client } = live;
  const before = await lastNumber(client);
  const count = await send(live, rate, seconds);
  const sentAt = performance.now();
  await waitFor(async () => (await lastNumber(client)) >= before + count, 'the last event', 120_000, 20);
  return { count, behindMs: performance.now() - sentAt };
}

async function measureRate(live: Live, rate: number, seconds: number): Promise<Cost> {
  const { client, parts } = live;
  await cleanUp(client);
  await post(live, rate, LEAD_S);
  const before = {
    number: await lastNumber(client),
    kept: await bytesOfBooks(client),
    written: await readWritten(client),
    spent: readSpent(parts),
  };
  const { count, behindMs } = await post(live, rate, seconds);
  const cpu = spentSince(parts, before.spent, count);
  await cleanUp(client);
  const written = await readWritten(client);
  return {
    rate,
    batch: count / (await countCommits(client, before.number)),
    cpu,
    logBytes: (written.log - before.written.log) / count,
    writtenBytes: (written.all - before.written.all) / count,
    keptBytes: ((await bytesOfBooks(client)) - before.kept) / count,
    behindMs,
  };
}

/** What PostgreSQL does sooner or later with every row: else the rows of one rate would be counted at the next. */
async function cleanUp(client: pg.Client): Promise<void> {
  await client.query('VACUUM');
  await client.query('CHECKPOINT');
}

/** Bytes that PostgreSQL has put into its log, and all that it has written: by `/proc` it would be whatever the kernel caches by. */
async function readWritten(client: pg.Client): Promise<{ readonly log: number; readonly all: number }> {
  const { rows } = await client.query<{ log: string; all: string }>(`
    SELECT pg_current_wal_insert_lsn() - '0/0' AS log, sum(write_bytes) AS all FROM pg_stat_io`);
  return { log: Number(rows[0]?.log), all: Number(rows[0]?.all) };
}

const countCommits = async (client: pg.Client, after: number): Promise<number> =>
  Number(
    (
      await client.query<{ commits: string }>(
        'SELECT count(DISTINCT xmin::text) AS commits FROM billing.ledger_transaction WHERE number > $1',
        [after],
      )
    ).rows[0]?.commits,
  );

/** What each rate costs, as a table, and what nothing costs. */
export async function measureLive(
  live: Live,
  rates: readonly number[],
  seconds: number,
  say: (text: string) => void,
): Promise<string[]> {
  const before = readSpent(live.parts);
  await sleep(IDLE_S * 1_000);
  const idle = spentSince(live.parts, before, IDLE_S * 1_000);
  const costs: Cost[] = [];
  for (const rate of rates) {
    say(`${rate} events a second`);
    costs.push(await measureRate(live, rate, seconds));
  }
  const shown = (value: number) => value.toFixed(0);
  return [
    table(
      [
        'events/s',
        'to a commit',
        'billing, µs',
        'PostgreSQL, µs',
        'Redis, µs',
        'log of PostgreSQL, bytes',
        'written to the disk, bytes',
        'kept, bytes',
        'last one after, ms',
      ],
      costs.map(({ rate, batch, cpu, logBytes, writtenBytes, keptBytes, behindMs }) =>
        [rate, batch, cpu.billing, cpu.postgres, cpu.redis, logBytes, writtenBytes, keptBytes, behindMs].map(
          shown,
        ),
      ),
      [],
    ),
    `While nothing comes, microseconds of CPU in a millisecond: billing ${idle.billing.toFixed(1)}, PostgreSQL ${idle.postgres.toFixed(1)}, Redis ${idle.redis.toFixed(1)}.`,
  ];
}
