import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@tollgate/platform';
import { usageEvent } from '../../testing/usage-events.ts';
import { type Confirmation, createConfirmation } from './confirmation.ts';
import { openSpool, type Spool } from './spool.ts';
import { writeEvent } from './spool-line.ts';

const logger = createLogger('test', 'silent');
const bookOf = (event: number) => usageEvent(event).request_id;

let directory: string;
let spool: Spool;
let books: Set<string>;
/** By the events of each question and each job, in their order. */
let asked: string[];
let queued: string[];
/** What was handed to billing itself. */
let posted: string[];
let queueIsFull: boolean;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'confirmation-'));
  spool = await openSpool(directory, logger, {
    segment: { maxEvents: 2_000, maxAgeMs: 60_000 },
    quarantine: join(directory, 'quarantine'),
  });
  [books, asked, queued, posted] = [new Set(), [], [], []];
  queueIsFull = false;
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Ends a file that holds the event of this number. */
async function write(event: number): Promise<void> {
  await spool.append({ job: `job-${event}`, written: writeEvent(usageEvent(event)) });
  await spool.cut('now');
}

/** A queue that takes jobs, and is far behind with them. */
const confirm = (): Confirmation =>
  createConfirmation({
    spool,
    missing: async (ids) => {
      asked.push(...ids);
      return ids.filter((id) => !books.has(id));
    },
    delivery: {
      async enqueue(job) {
        if (queueIsFull) throw new Error('OOM');
        queued.push(job);
      },
      async post(events) {
        for (const { request_id } of events) books.add(request_id);
        posted.push(...events.map(({ request_id }) => request_id));
      },
      queueRefuses: () => queueIsFull,
    },
    logger,
  });

async function roundsAt(confirmation: Confirmation, ...times: readonly number[]): Promise<void> {
  for (const time of times) expect(await confirmation.poll(time)).toBe(true);
}

test('a file that is not in the books is asked about twice before its jobs are queued again', async () => {
  const confirmation = confirm();
  await write(1);
  await roundsAt(confirmation, 0, 999);
  expect([asked, queued]).toEqual([[], []]);
  await roundsAt(confirmation, 1_000, 2_999);
  expect([asked, queued]).toEqual([[bookOf(1)], []]);
  await roundsAt(confirmation, 3_000);
  expect([asked, queued]).toEqual([[bookOf(1), bookOf(1)], ['job-1']]);
});

test('a file that an earlier process left is queued the first time', async () => {
  await write(1);
  await roundsAt(confirm(), 0, 1_000);
  expect(queued).toEqual(['job-1']);
});

test('what a queue may have lost is queued again at once, however old the oldest is', async () => {
  const confirmation = confirm();
  for (const event of [1, 2, 3]) await write(event);
  await roundsAt(confirmation, 0, 1_000);
  expect(queued).toEqual([]);
  confirmation.runSoon();
  await roundsAt(confirmation, 1_500, 2_500);
  expect(queued).toEqual(['job-1', 'job-2', 'job-3']);
});

test('newer files are not asked about while an older one waits, for fourteen seconds at most', async () => {
  const confirmation = confirm();
  await write(1);
  await write(2);
  books.add(bookOf(2));
  await roundsAt(confirmation, 0, 1_000, 3_000, 7_000, 14_999);
  expect(new Set(asked)).toEqual(new Set([bookOf(1)]));
  expect(spool.segments()).toHaveLength(2);
  await roundsAt(confirmation, 15_000);
  expect(asked.at(-1)).toBe(bookOf(2));
  expect(spool.segments()).toHaveLength(1);
});

test('files that are in the books go together', async () => {
  const confirmation = confirm();
  for (const event of [1, 2, 3]) {
    await write(event);
    books.add(bookOf(event));
  }
  await roundsAt(confirmation, 0, 1_000);
  expect(spool.segments()).toEqual([]);
});

test('what the queue refuses is handed to billing itself, the first time that it is asked about', async () => {
  const confirmation = confirm();
  queueIsFull = true;
  for (const event of [1, 2, 3]) await write(event);
  await roundsAt(confirmation, 0, 1_000);
  expect(posted).toEqual([1, 2, 3].map(bookOf));
  expect(queued).toEqual([]);
  expect(spool.segments()).toEqual([]);
});

test('a file whose missing event cannot be read any more is set aside, and holds up nobody', async () => {
  const confirmation = confirm();
  await write(1);
  const [name = ''] = readdirSync(directory);
  writeFileSync(
    join(directory, name),
    readFileSync(join(directory, name), 'utf8').replace('"input":1', '"input":7'),
  );
  await roundsAt(confirmation, 0, 1_000, 3_000);
  expect([queued, posted]).toEqual([[], []]);
  expect(spool.segments()).toEqual([]);
  expect(readdirSync(join(directory, 'quarantine'))).toEqual([name]);
});
