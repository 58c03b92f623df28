import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UsageEvent } from '@tollgate/contracts';
import { createLogger } from '@tollgate/platform';
import { usageEvent } from '../../testing/usage-events.ts';
import { openSpool, type Spool } from './spool.ts';

const logger = createLogger('test', 'silent');
const SEGMENT = { mostEvents: 100, mostMs: 60_000 };
let directory: string;
let spools: Spool[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'spool-'));
  spools = [];
});
afterEach(async () => {
  for (const spool of spools) await spool.cut('now');
  rmSync(directory, { recursive: true });
});

async function open(segment = SEGMENT): Promise<Spool> {
  const spool = await openSpool(directory, logger, segment);
  spools.push(spool);
  return spool;
}

const append = (spool: Spool, from: number, to: number) =>
  Promise.all(
    Array.from({ length: to - from }, (_, i) =>
      spool.append({ job: `job-${Math.floor((from + i) / 10)}`, event: usageEvent(from + i) }),
    ),
  );

async function held(spool: Spool): Promise<UsageEvent[]> {
  const jobs = await Promise.all(spool.segments().map((segment) => segment.jobs()));
  return jobs.flatMap((each) => [...each.values()].flat());
}
const numbers = (events: readonly UsageEvent[]) => events.map(({ tokens }) => tokens.input);
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

test('what was appended is in a segment, in order and by its jobs', async () => {
  const spool = await open();
  await append(spool, 0, 25);
  expect(spool.segments()).toEqual([]);
  await spool.cut('now');
  const [segment, ...others] = spool.segments();
  expect(others).toEqual([]);
  const jobs = await segment?.jobs();
  expect([...(jobs?.keys() ?? [])]).toEqual(['job-0', 'job-1', 'job-2']);
  expect(jobs?.get('job-1')).toEqual(range(10, 20).map(usageEvent));
});

test('the requests of a segment are told alike by who wrote it and by who found it', async () => {
  const spool = await open();
  await append(spool, 0, 25);
  await spool.cut('now');
  const found = await open();
  const requestIds = range(0, 25).map((number) => usageEvent(number).request_id);
  expect(await spool.segments()[0]?.requestIds()).toEqual(requestIds);
  expect(await found.segments()[0]?.requestIds()).toEqual(requestIds);
});

test('the disk is free again once every segment is removed', async () => {
  const spool = await open();
  await append(spool, 0, 3);
  await spool.cut('now');
  await append(spool, 3, 6);
  await spool.cut('now');
  expect(spool.segments()).toHaveLength(2);
  for (const segment of spool.segments()) await segment.remove();
  expect(spool.segments()).toEqual([]);
  expect(readdirSync(directory)).toEqual([]);
});

test('a segment ends when it is full or old, and not before', async () => {
  const full = await open();
  await append(full, 0, 99);
  await full.cut('due');
  expect(full.segments()).toEqual([]);
  await append(full, 99, 100);
  await full.cut('due');
  expect(full.segments()).toHaveLength(1);
  const old = await open({ mostEvents: 100, mostMs: 0 });
  await append(old, 100, 101);
  await append(old, 101, 102);
  expect(numbers(await held(old))).toEqual(range(0, 101));
});

test('events that a killed process left are taken up, without the half line of its last write', async () => {
  const killed = await open();
  await append(killed, 0, 3);
  const [name] = readdirSync(directory);
  appendFileSync(join(directory, name as string), '{"job":"job-0","event":{"v":1,"request_id":"req_ha');
  const next = await open();
  await append(next, 3, 5);
  expect(numbers(await held(next))).toEqual([0, 1, 2]);
  await next.cut('now');
  expect(numbers(await held(next))).toEqual([0, 1, 2, 3, 4]);
});

test('a line that cannot be read does not keep the others from being read', async () => {
  const spool = await open();
  await append(spool, 0, 1);
  const [name] = readdirSync(directory);
  appendFileSync(join(directory, name as string), 'rubbish\n{"job":1}\n{"job":"j","event":{}}\n');
  await append(spool, 1, 2);
  await spool.cut('now');
  expect(numbers(await held(spool))).toEqual([0, 1]);
});

test('an append that the disk refuses says so', async () => {
  const spool = await open();
  rmSync(directory, { recursive: true });
  await expect(append(spool, 0, 1)).rejects.toThrow('ENOENT');
  directory = mkdtempSync(join(tmpdir(), 'spool-'));
});
