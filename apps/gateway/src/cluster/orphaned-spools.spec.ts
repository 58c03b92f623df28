import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@tollgate/harness';
import { createLogger } from '@tollgate/platform';
import { usageEvent } from '../../testing/usage-events.ts';
import { createConfirmation } from '../publish/confirmation.ts';
import { openSpool } from '../publish/spool.ts';
import { type WrittenEvent, writeEvent } from '../publish/spool-line.ts';
import { drainOrphanedSpools, type OrphanedSpools } from './orphaned-spools.ts';
import { type SpoolDirectory, spoolPath, spoolRoot, takeSpool } from './spool-directory.ts';

const logger = createLogger('test', 'silent');
const SEGMENT = { maxEvents: 2_000, maxAgeMs: 100 };
const AN_HOUR_AGO = Date.now() / 1_000 - 3_600;

let root: string;
let books: Set<string>;
let billingIsAway: boolean;
let undo: (() => Promise<unknown>)[];
beforeEach(async () => {
  root = await spoolRoot(mkdtempSync(join(tmpdir(), 'left-')));
  books = new Set();
  billingIsAway = false;
  undo = [];
});
afterEach(async () => {
  for (const step of undo.reverse()) await step();
  rmSync(root, { recursive: true });
});

const filesOf = (number: number): string[] =>
  existsSync(spoolPath(root, number))
    ? readdirSync(spoolPath(root, number)).filter((name) => name.endsWith('.jsonl'))
    : [];

/** Leaves the event of this number in the spool of a process that is gone. */
async function leave(number: number, event: number): Promise<void> {
  const path = spoolPath(root, number);
  const spool = await openSpool(path, logger, { segment: SEGMENT, quarantine: join(root, 'quarantine') });
  await spool.append({ job: `job-${event}`, written: writeEvent(usageEvent(event)) });
  await spool.cut('now');
}
const makeOld = (number: number): void => {
  for (const name of filesOf(number))
    utimesSync(join(spoolPath(root, number), name), AN_HOUR_AGO, AN_HOUR_AGO);
};

async function take(number: number, of: number): Promise<SpoolDirectory> {
  const spool = await takeSpool(root, { number, of });
  undo.push(() => spool.release());
  return spool;
}

/** One process of a gateway, which looks for what others left and posts it at once. */
async function startProcess(number: number, of: number): Promise<OrphanedSpools> {
  const own = await take(number, of);
  const orphaned = drainOrphanedSpools({
    root,
    own: own.number,
    worker: { number, of },
    logger,
    sweepEveryMs: 50,
    async open(path) {
      const spool = await openSpool(path, logger, { segment: SEGMENT, quarantine: join(root, 'quarantine') });
      const missing = async (ids: readonly string[]) => {
        if (billingIsAway) throw new Error('billing is away');
        return ids.filter((id) => !books.has(id));
      };
      const enqueue = async (_job: string, events: readonly WrittenEvent[]) =>
        events.forEach(({ event }) => books.add(event.request_id));
      return {
        spool,
        confirmation: createConfirmation({
          spool,
          missing,
          delivery: {
            enqueue,
            post: () => Promise.reject(new Error('not asked')),
            queueRefuses: () => false,
          },
          logger,
        }),
      };
    },
  });
  undo.push(() => orphaned.close());
  return orphaned;
}
const bookOf = (event: number) => usageEvent(event).request_id;

test('a gateway with fewer processes than before brings what the others left into the books, and removes their directories', async () => {
  await leave(2, 1);
  await leave(3, 2);
  await startProcess(1, 1);
  await waitFor(
    () => !existsSync(join(root, '2')) && !existsSync(join(root, '3')),
    'the end of both',
    30_000,
  );
  expect([...books].sort()).toEqual([bookOf(1), bookOf(2)]);
});

test('a spool whose process lives is left alone', async () => {
  const living = await take(2, 1);
  expect(living.path).toBe(join(root, '2'));
  await leave(2, 1);
  await leave(5, 2);
  await startProcess(1, 1);
  await waitFor(() => !existsSync(join(root, '5')), 'the end of the other', 30_000);
  expect(filesOf(2)).toHaveLength(1);
  expect([...books]).toEqual([bookOf(2)]);
});

test('the spool of a process that is only being started again waits for it; one that nobody came for does not', async () => {
  await leave(2, 1);
  await leave(3, 2);
  makeOld(3);
  await startProcess(1, 3);
  await waitFor(() => books.has(bookOf(2)) && filesOf(3).length === 0, 'the old one', 30_000);
  expect(filesOf(2)).toHaveLength(1);
  expect(books.has(bookOf(1))).toBe(false);
});

test('while billing is away the files stay and are shown; afterwards they are posted', async () => {
  billingIsAway = true;
  await leave(2, 1);
  const orphaned = await startProcess(1, 1);
  await waitFor(() => orphaned.segments().length === 1, 'the file that was left');
  expect(filesOf(2)).toHaveLength(1);
  billingIsAway = false;
  await waitFor(() => !existsSync(join(root, '2')), 'its end', 30_000);
  expect([...books]).toEqual([bookOf(1)]);
  expect(orphaned.segments()).toEqual([]);
});

test('a process that stops in the middle leaves the files for the next, who may take them at once', async () => {
  billingIsAway = true;
  await leave(2, 1);
  const first = await startProcess(1, 1);
  await waitFor(() => first.segments().length === 1, 'the file that was left');
  await first.close();
  expect(filesOf(2)).toHaveLength(1);
  expect((await take(2, 2)).path).toBe(join(root, '2'));
});

test('of several processes one has a spool that was left', async () => {
  billingIsAway = true;
  await leave(9, 1);
  const both = [await startProcess(1, 2), await startProcess(2, 2)];
  await waitFor(() => both.some((each) => each.segments().length > 0), 'one of them');
  expect(both.flatMap((each) => each.segments())).toHaveLength(1);
});
