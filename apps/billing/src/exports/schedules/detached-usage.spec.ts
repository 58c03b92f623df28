// A schedule that begins in months of which the usage log has nothing any more: what it asks for is written down by a billing that runs
// on books whose old months were closed and taken out.
import { at, NEXT, OLD, serveOldBooks, type ServedBooks } from '../../../testing/old-books.ts';
import { call } from '../../../testing/people.ts';
import { detachPartition } from '../../usage/detach-partition.ts';
import { runDrop } from '../../usage/drop-partition.ts';
import { addMonths } from '../../usage/partitions.ts';
import { askForDueExports } from './due-exports.ts';

interface Exported {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly status: string;
  readonly error: string | null;
}

let served: ServedBooks;
let books: ServedBooks['books'];
let billing: ServedBooks['billing'];
let cookie: string;
beforeEach(async () => {
  served = await serveOldBooks();
  ({ books, billing, cookie } = served);
});
afterEach(() => served.stop());

const AFTER_NEXT = addMonths(NEXT, 1);
const daysOf = (month: string, first: number): string[] => {
  const days = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate();
  return Array.from({ length: days + 1 - first }, (_, index) => String(index + first).padStart(2, '0'));
};
const lastDayOf = (month: string): string => daysOf(month, 1).at(-1) ?? '';
/** But for each seventh, on which nobody works. */
const postFrom = (month: string, first: number) =>
  books.post(
    ...daysOf(month, first)
      .map((day) => ({ cost: 7, occurred_at: at(month, day) }))
      .filter((_, index) => index % 7 !== 6),
  );

/** What a schedule over these months has asked for, the oldest first. */
async function listOf(id: string): Promise<readonly Exported[]> {
  const { body } = await call<{ items: Exported[] }>(
    { url: billing.url, cookie },
    'GET',
    `/api/exports?schedule_id=${id}&limit=200`,
  );
  return body.items.toSorted((a, b) => a.from.localeCompare(b.from));
}

async function schedule(of: object): Promise<{ id: string; exports: readonly Exported[] }> {
  const params = { name: 'Old days', format: 'csv', first_date: `${OLD}-01`, ...of };
  const caller = { url: billing.url, cookie };
  const made = await call<{ id: string }>(caller, 'POST', '/api/exports/schedules', params);
  expect([made.status, made.body]).toMatchObject([201, {}]);
  return { id: made.body.id, exports: await listOf(made.body.id) };
}

const look = (moment: string) =>
  askForDueExports(books.environment.database, {
    partRows: 1_000,
    providerName: 'Tollgate',
    at: new Date(moment),
  });
/** Written down without a look, as if the schedule had been there before. */
async function plan(of: object = {}, day = '01'): Promise<string> {
  const { id } = await schedule({ kind: 'usage', every: 'day', first_date: '2099-01-01', ...of });
  await books.query('UPDATE billing.export_schedule SET next_date = $2 WHERE id = $1', [id, `${OLD}-${day}`]);
  return id;
}
const failed = (exports: readonly Exported[]) =>
  exports.filter(({ status }) => status === 'failed').map(({ from, to, error }) => ({ from, to, error }));
const gone = (which: string) =>
  `Usage of ${which} was taken out of the usage log before it was due to be exported. ` +
  'Of this span only the ledger can be exported. The schedule goes on with what follows it.';

test.each(['taken out', 'dropped'])(
  'days of a month that was %s are one failure, and the days around it are exported',
  async (how) => {
    await postFrom(OLD, 3);
    await postFrom(NEXT, 1);
    await books.takeOut();
    if (how === 'dropped') {
      await books.begin();
      await runDrop(books.environment.database, OLD);
    }
    const id = await plan();
    // Two days before the first usage, those that are gone, and three behind.
    expect(await look(at(NEXT, '04', '00:00'))).toBe(6);
    expect(await look(at(NEXT, '04', '00:00'))).toBe(0);
    const exports = await listOf(id);
    expect(exports.map(({ from }) => from)).toEqual([
      at(OLD, '01', '00:00'),
      at(OLD, '02', '00:00'),
      at(OLD, '03', '00:00'),
      at(NEXT, '01', '00:00'),
      at(NEXT, '02', '00:00'),
      at(NEXT, '03', '00:00'),
    ]);
    expect(failed(exports)).toEqual([
      { from: at(OLD, '03', '00:00'), to: at(NEXT, '01', '00:00'), error: gone(OLD) },
    ]);
    const { body } = await call<{ items: { kind: string }[] }>(
      { url: billing.url, cookie },
      'GET',
      '/api/notices',
    );
    expect(body.items.filter(({ kind }) => kind === 'export_failed')).toHaveLength(1);
  },
);

test('days of months that follow each other are one failure', async () => {
  await postFrom(OLD, 1);
  await postFrom(NEXT, 1);
  await books.takeOut();
  await detachPartition(books.environment.database, NEXT, {
    actor: 'owner@billing.example',
    reason: 'retention',
    now: new Date(),
  });
  const id = await plan();
  expect(await look(at(AFTER_NEXT, '03', '00:00'))).toBe(3);
  expect(failed(await listOf(id))).toEqual([
    { from: at(OLD, '01', '00:00'), to: at(AFTER_NEXT, '01', '00:00'), error: gone(`${OLD} to ${NEXT}`) },
  ]);
});

const LAST = lastDayOf(OLD);
/** Days of a clock that is five and a half hours ahead. */
const days = {
  before: at(OLD, daysOf(OLD, 1).at(-2), '18:30'),
  across: at(OLD, LAST, '18:30'),
  behind: at(NEXT, '01', '18:30'),
};
test.each([
  ['is lacked by the day that ends in the next one', '20:00', days.across, [days.before, days.behind]],
  ['is not lacked by the day that ends in the next one', '17:00', days.before, [days.across, days.behind]],
])('usage of a month that was taken out %s', async (_, time, lacking, whole) => {
  await books.post({ cost: 7, occurred_at: at(OLD, LAST, time) }, { cost: 9, occurred_at: at(NEXT, '01') });
  await books.takeOut();
  const id = await plan({ time_zone: 'Asia/Kolkata' }, LAST);
  expect(await look(at(NEXT, '02', '18:30'))).toBe(3);
  const exports = await listOf(id);
  expect(failed(exports)).toMatchObject([{ from: lacking, error: gone(OLD) }]);
  expect(exports.filter(({ error }) => error === null).map(({ from }) => from)).toEqual(whole);
});

test.each(['usage', 'focus'])(
  'a month of %s that would lack some has failed, and the next one is asked for',
  async (kind) => {
    await books.post({ cost: 7, occurred_at: at(OLD) }, { cost: 9, occurred_at: at(NEXT) });
    await books.takeOut();
    const [old, next] = (await schedule({ kind, every: 'month' })).exports;
    expect(old).toMatchObject({ status: 'failed', error: gone(OLD), to: at(NEXT, '01', '00:00') });
    expect(next).toMatchObject({ error: null });
    expect(next?.status).not.toBe('failed');
  },
);

test.each([
  ['of the ledger', () => ({ kind: 'ledger' })],
  ['of an account that has none of it', () => ({ kind: 'usage', account_id: books.accounts[1] })],
])('a scheduled export %s lacks nothing', async (_, of) => {
  await books.post({ cost: 7, occurred_at: at(OLD) });
  await books.takeOut();
  const [old] = (await schedule({ every: 'month', ...of() })).exports;
  expect(old).toMatchObject({ from: at(OLD, '01', '00:00'), error: null });
  expect(old?.status).not.toBe('failed');
});
