import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UsageEvent } from '@tollgate/contracts';
import { ConfigError, createLogger } from '@tollgate/platform';
import { usageEvent } from '../../testing/usage-events.ts';
import { openSpool, type Spool } from './spool.ts';
import { quarantine } from './spool-files.ts';
import { writeEvent } from './spool-line.ts';

const logger = createLogger('test', 'silent');
const SEGMENT = { maxEvents: 100, maxAgeMs: 60_000 };
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
  const spool = await openSpool(directory, logger, { segment, quarantine: join(directory, 'quarantine') });
  spools.push(spool);
  return spool;
}

const append = (spool: Spool, from: number, to: number) =>
  Promise.all(
    Array.from({ length: to - from }, (_, i) =>
      spool.append({ job: `job-${Math.floor((from + i) / 10)}`, written: writeEvent(usageEvent(from + i)) }),
    ),
  );

async function held(spool: Spool): Promise<UsageEvent[]> {
  const jobs = await Promise.all(spool.segments().map((segment) => segment.jobs()));
  return jobs.flatMap((each) => [...each.values()].flat());
}
const numbers = (events: readonly UsageEvent[]) => events.map(({ lines: [line] }) => line?.counts.input);
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
  const old = await open({ maxEvents: 100, maxAgeMs: 0 });
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

test('a file that has the name of the next one already is kept, and the events go to another', async () => {
  const now = jest.spyOn(Date, 'now').mockReturnValue(1_800_000_000_000);
  try {
    await append(await open(), 0, 3);
    const next = await open();
    await append(next, 3, 5);
    await next.cut('now');
    expect(numbers(await held(next))).toEqual([0, 1, 2, 3, 4]);
  } finally {
    now.mockRestore();
  }
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

/** What a process finds that starts after the disk has changed what was written. */
async function afterDamage(change: (text: string) => string): Promise<{ spool: Spool; damaged: number }> {
  const killed = await open();
  await append(killed, 1, 6);
  const [name = ''] = readdirSync(directory);
  const path = join(directory, name);
  writeFileSync(path, change(readFileSync(path, 'latin1')), 'latin1');
  let damaged = 0;
  const options = { segment: SEGMENT, quarantine: join(directory, 'quarantine') };
  const spool = await openSpool(directory, logger, { ...options, onDamage: (lines) => (damaged += lines) });
  return { spool, damaged: (await held(spool), damaged) };
}

test.each<[string, (text: string) => string, number[], number]>([
  ['a digit of a count', (text) => text.replace('"input":3', '"input":9'), [1, 2, 4, 5], 1],
  ['a digit of an account', (text) => text.replace('000000000001', '000000000009'), [2, 3, 4, 5], 1],
  ['a byte that is no text', (text) => text.replace('"model":"m"', '"model":"\xff"'), [2, 3, 4, 5], 1],
  ['the end of a line', (text) => text.replace('\n', ' '), [3, 4, 5], 1],
  [
    'two lines',
    (text) => text.replace('"input":1', '"input":8').replace('"input":2', '"input":8'),
    [3, 4, 5],
    2,
  ],
  ['the checksum', (text) => `0${text.slice(1)}`.replace(/^0/, text[0] === '0' ? '1' : '0'), [2, 3, 4, 5], 1],
  ['all of it', (text) => text.replaceAll('req', 'rex'), [], 5],
  ['a whole line without a checksum', (text) => text.replace(/^[0-9a-f]{8} /, ''), [2, 3, 4, 5], 1],
])(
  'damage to %s: the good lines are read, and the file is never removed',
  async (_what, change, good, bad) => {
    const { spool, damaged } = await afterDamage(change);
    expect(numbers(await held(spool))).toEqual(good);
    expect(damaged).toBe(bad);
    const [segment] = spool.segments();
    expect(await segment?.requestIds()).toEqual(good.map((number) => usageEvent(number).request_id));
    await segment?.remove();
    expect(spool.segments()).toEqual([]);
    const [kept = ''] = readdirSync(join(directory, 'quarantine'));
    const text = readFileSync(join(directory, 'quarantine', kept), 'latin1');
    for (const number of good) expect(text).toContain(`"input":${number}}`);
  },
);

test('a file in quarantine stays when another one of its name comes', async () => {
  const into = join(directory, 'quarantine');
  for (const text of ['first', 'second']) {
    writeFileSync(join(directory, 'one.jsonl'), text);
    await quarantine(directory, 'one.jsonl', into);
  }
  expect(readdirSync(into).sort()).toEqual(['one.jsonl', 'one.jsonl.2']);
  expect(readFileSync(join(into, 'one.jsonl'), 'utf8')).toBe('first');
});

test('a directory that cannot be written to is said at the start, and what to do', async () => {
  const file = join(directory, 'a-file');
  writeFileSync(file, '');
  const options = { segment: SEGMENT, quarantine: join(directory, 'quarantine') };
  const opened = openSpool(join(file, 'spool'), logger, options);
  await expect(opened).rejects.toThrow(/^SPOOL_DIR: files cannot be written to .*a-file\/spool \(ENOTDIR/);
  await expect(opened).rejects.toBeInstanceOf(ConfigError);
});

test('the probe of the start leaves nothing behind', async () => {
  await open();
  expect(readdirSync(directory)).toEqual([]);
});
