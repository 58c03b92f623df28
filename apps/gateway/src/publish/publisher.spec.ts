import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toUsageQueue, type UsageEvent } from '@tollgate/contracts';
import { type RunningRedis, startRedis, waitFor } from '@tollgate/harness';
import {
  connectRedis,
  connectRedisForWorker,
  createLogger,
  type RequestReplyClient,
} from '@tollgate/platform';
import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { usageEvent } from '../../testing/usage-events.ts';
import { createPublisher, type Publisher } from './publisher.ts';
import { openSpool } from './spool.ts';
import { readLine, writeEvent } from './spool-line.ts';
import { createUsageDelivery } from './usage-delivery.ts';
import { createUsageQueue } from './usage-queue.ts';

const logger = createLogger('test', 'silent');
const SEGMENT = { maxEvents: 2_000, maxAgeMs: 100 };
const YEAR_MS = 365 * 24 * 3_600_000;
/** Of the queue, and what they are named. */
const SHARDS = 3;
const QUEUES = Array.from({ length: SHARDS }, (_, shard) => toUsageQueue(shard));
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

let directory: string;
let server: RunningRedis;
let redis: Redis;
/** The books: what a worker took from the queue, and how often. */
let books: Map<string, number>;
let billingIsAway: boolean;
/** How often the books were asked about requests. */
let lookedAt: number;
/** Whether billing takes what is handed to it past the queue. */
let billingTakesUsage: boolean;
let undo: (() => Promise<unknown> | void)[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'publisher-'));
  server = await startRedis();
  redis = connectRedis(server.url, logger, { timeoutMs: 20_000 });
  await once(redis, 'ready');
  books = new Map();
  billingIsAway = false;
  lookedAt = 0;
  billingTakesUsage = false;
  undo = [];
});
afterEach(async () => {
  for (const step of undo.reverse()) await step();
  redis.disconnect();
  await server.stop();
  rmSync(directory, { recursive: true });
});

async function startPublisher(): Promise<Publisher> {
  const billing: RequestReplyClient = {
    async request(_pattern, payload, answer) {
      if (!billingTakesUsage) throw new Error('billing is away');
      book((payload as { events: UsageEvent[] }).events);
      return answer.parse(null);
    },
    close() {},
  };
  return createPublisher({
    redis,
    delivery: createUsageDelivery({ queue: createUsageQueue(redis, logger, SHARDS), billing, logger }),
    spool: await openSpool(directory, logger, {
      segment: SEGMENT,
      quarantine: join(directory, 'quarantine'),
    }),
    async missing(requestIds) {
      lookedAt += 1;
      if (billingIsAway) throw new Error('billing is away');
      return requestIds.filter((id) => !books.has(id));
    },
    logger,
  });
}

function book(events: readonly UsageEvent[]): void {
  for (const { request_id } of events) books.set(request_id, (books.get(request_id) ?? 0) + 1);
}

/** Takes jobs from the queue into the books, as billing does. */
function startWorker(): void {
  const connection = connectRedisForWorker(server.url, logger);
  const workers = QUEUES.map(
    (name) =>
      new Worker(
        name,
        async ({ data }) => {
          book((data as { events: UsageEvent[] }).events);
        },
        { connection },
      ),
  );
  undo.push(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    connection.disconnect();
  });
}

const publishAll = (publisher: Publisher, from: number, to: number) =>
  Promise.all(range(from, to).map((n) => publisher.publish(usageEvent(n))));
const onDisk = () =>
  readdirSync(directory).flatMap((name) =>
    readFileSync(join(directory, name), 'utf8')
      .split('\n')
      .filter((line) => line !== ''),
  );
const idsOf = (from: number, to: number) => range(from, to).map((n) => usageEvent(n).request_id);
const booked = () => [...books.keys()].sort();
const queued = async () => {
  const found: { id: string | undefined; shard: string; events: number }[] = [];
  for (const shard of QUEUES) {
    const queue = new Queue(shard, { connection: redis });
    const jobs = await queue.getJobs(['waiting', 'active', 'delayed']);
    await queue.close();
    for (const { id, data } of jobs)
      found.push({ id, shard, events: (data as { events: UsageEvent[] }).events.length });
  }
  return found;
};

test('an event is on the disk when publish resolves, and in the queue soon after', async () => {
  const publisher = await startPublisher();
  await publisher.publish(usageEvent(7));
  expect(onDisk().map((line) => readLine(line)?.event)).toEqual([usageEvent(7)]);
  await waitFor(async () => (await queued()).length === 1, 'the job');
  billingIsAway = true;
  await publisher.close();
});

test('events of one tick travel together, and the disk is free once they are in the books', async () => {
  const publisher = await startPublisher();
  await publishAll(publisher, 0, 450);
  await waitFor(() => publisher.pending() === 0, 'the queue');
  expect((await queued()).map(({ events }) => events).sort()).toEqual([200, 200, 50]);
  startWorker();
  await waitFor(() => readdirSync(directory).length === 0, 'the confirmation');
  expect(booked()).toEqual(idsOf(0, 450));
  expect(new Set(books.values())).toEqual(new Set([1]));
  await publisher.close();
});

test.each([
  ['forward and back', 10 * YEAR_MS],
  ['back and forward', -10 * YEAR_MS],
])('a wall clock that jumps %s leaves nothing on the disk', async (_name, shiftMs) => {
  const { now } = Date;
  undo.push(() => void (Date.now = now));
  startWorker();
  const publisher = await startPublisher();
  await publishAll(publisher, 0, 10);
  Date.now = () => now() + shiftMs;
  await publishAll(publisher, 10, 20);
  // Long enough that files are looked at by the wrong clock.
  await waitFor(() => booked().length === 20, 'the books');
  await waitFor(() => lookedAt > 0, 'a look at a file');
  Date.now = now;
  await publishAll(publisher, 20, 30);
  await waitFor(() => readdirSync(directory).length === 0, 'the confirmation');
  expect(booked()).toEqual(idsOf(0, 30));
  await publisher.close();
});

test('what a Redis forgets that is killed is queued again', async () => {
  const publisher = await startPublisher();
  await publishAll(publisher, 0, 30);
  await waitFor(() => publisher.pending() === 0, 'the queue');
  await server.kill();
  await server.restart();
  expect(await queued().catch(() => [])).toEqual([]);
  startWorker();
  await waitFor(() => books.size === 30, 'every event');
  await publisher.close();
  expect(readdirSync(directory)).toEqual([]);
});

test('a publisher that was made while Redis was away works when it is back', async () => {
  await server.kill();
  const publisher = await startPublisher();
  await publishAll(publisher, 0, 10);
  await server.restart();
  await waitFor(async () => (await queued().catch(() => [])).length === 1, 'the job');
  await publishAll(publisher, 10, 20);
  startWorker();
  await waitFor(() => books.size === 20, 'every event');
  await publisher.close();
});

test('while Redis is away events are taken all the same, and follow when it is back', async () => {
  const publisher = await startPublisher();
  await server.kill();
  await publishAll(publisher, 0, 30);
  await waitFor(() => onDisk().length === 30, 'the disk');
  await server.restart();
  startWorker();
  await waitFor(() => books.size === 30, 'every event');
  await publisher.close();
});

test('a job that waits in the queue is not doubled, however often it is asked about', async () => {
  const publisher = await startPublisher();
  await publishAll(publisher, 0, 20);
  await publisher.close();
  expect(readdirSync(directory)).toHaveLength(1);
  const [job, ...others] = await queued();
  expect([job?.events, others]).toEqual([20, []]);
  const next = await startPublisher();
  await next.close();
  expect(await queued()).toEqual([job]);
});

test('what a killed gateway left is queued by the next one, and what is in the books is not', async () => {
  const killed = await openSpool(directory, logger, {
    segment: SEGMENT,
    quarantine: join(directory, 'quarantine'),
  });
  const append = (job: string, n: number) => killed.append({ job, written: writeEvent(usageEvent(n)) });
  for (const n of range(0, 10)) await append('job-of-the-killed-a', n);
  for (const n of range(10, 15)) await append('job-of-the-killed-b', n);
  idsOf(0, 10).forEach((id) => books.set(id, 1));
  const next = await startPublisher();
  startWorker();
  await waitFor(() => books.size === 15, 'the rest');
  await waitFor(() => readdirSync(directory).length === 0, 'the confirmation');
  expect(new Set(books.values())).toEqual(new Set([1]));
  await next.close();
  await killed.cut('now');
});

test('nothing is removed while billing is away', async () => {
  billingIsAway = true;
  const publisher = await startPublisher();
  startWorker();
  await publishAll(publisher, 0, 10);
  await waitFor(() => books.size === 10, 'every event');
  await publisher.close();
  expect(onDisk()).toHaveLength(10);
  billingIsAway = false;
  await (await startPublisher()).close();
  expect(readdirSync(directory)).toEqual([]);
});

test('an event that the disk refuses goes to the queue before publish resolves', async () => {
  const publisher = await startPublisher();
  rmSync(directory, { recursive: true });
  await publishAll(publisher, 0, 5);
  expect((await queued()).map(({ events }) => events)).toEqual([5]);
  await publisher.close();
  directory = mkdtempSync(join(tmpdir(), 'publisher-'));
});

/** The directory of the spool goes, and so does every way to write to it. */
function breakDisk(): void {
  rmSync(directory, { recursive: true });
  undo.push(() => void (directory = mkdtempSync(join(tmpdir(), 'publisher-'))));
}

test('an event that disk and queue refuse goes to billing itself before publish resolves', async () => {
  billingTakesUsage = true;
  const publisher = await startPublisher();
  breakDisk();
  await server.kill();
  await publishAll(publisher, 0, 5);
  expect(booked()).toEqual(idsOf(0, 5));
  expect([publisher.unstored(), publisher.diskRefusals()]).toEqual([0, 5]);
  await publisher.close();
});

test('an event that disk, queue and billing refuse is counted until one of them takes it', async () => {
  const publisher = await startPublisher();
  breakDisk();
  await server.kill();
  const published = publishAll(publisher, 0, 5);
  await waitFor(() => publisher.unstored() === 5, 'the refusals');
  billingTakesUsage = true;
  await waitFor(() => publisher.unstored() === 0, 'the books');
  await published;
  expect(booked()).toEqual(idsOf(0, 5));
  await publisher.close();
});

test('while the queue is full, what is on the disk goes to billing itself, and the disk is free again', async () => {
  const publisher = await startPublisher();
  await redis.config('SET', 'maxmemory', '1');
  await publishAll(publisher, 0, 450);
  await waitFor(() => publisher.pending() === 0, 'the disk');
  billingTakesUsage = true;
  await waitFor(() => readdirSync(directory).length === 0, 'the confirmation');
  expect(booked()).toEqual(idsOf(0, 450));
  expect(new Set(books.values())).toEqual(new Set([1]));
  await publisher.close();
});
