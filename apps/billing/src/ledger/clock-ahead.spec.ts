// The clock of a billing is 90 days ahead, beside a PostgreSQL whose clock is right: what is written never changes again.
import { silent, type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { askForDueExports } from '../exports/schedules/due-exports.ts';
import { createSchedule } from '../exports/schedules/export-schedules.ts';
import { closePeriod } from '../periods/close-period.ts';
import { closeDuePeriods } from '../periods/period-closer.ts';
import { openPeriod } from '../periods/calendar.ts';
import { OperationsService } from './operations.service.ts';

const AHEAD_MS = 90 * 86_400_000;
const RightDate = Date;
class DateAhead extends RightDate {
  constructor(...given: unknown[]) {
    super(...((given.length === 0 ? [DateAhead.now()] : given) as [number]));
  }
  static override now(): number {
    return RightDate.now() + AHEAD_MS;
  }
}

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await startTestEnvironment();
  globalThis.Date = DateAhead as DateConstructor;
});
afterAll(async () => {
  globalThis.Date = RightDate;
  await environment.stop();
});

test('no month is closed that is not over, by itself or by hand', async () => {
  const { database, first } = environment;
  expect(await closeDuePeriods(database, { afterDays: 3, logger: silent })).toEqual([]);
  const open = await openPeriod(database.manager, first.accountId);
  const by = { actor: 'a@b.example', reason: 'month-end' };
  await expect(closePeriod(database, first.accountId, open?.month ?? '', by)).rejects.toThrow('is not over');
});

test('what people enter is booked when they enter it', async () => {
  const { database, first } = environment;
  const operations = new OperationsService(
    database,
    { changed: () => {} },
    { take: () => Promise.resolve(undefined), release: () => Promise.resolve() },
  );
  const { transaction } = await operations.post({ email: 'a@b.example' }, 'ahead', {
    kind: 'payment',
    account_id: first.accountId,
    amount_usd: '1.00',
    reason: 'a test',
  });
  expect(Math.abs(transaction.occurredAt.getTime() - RightDate.now())).toBeLessThan(60_000);
  expect(transaction.bookedAt).toEqual(transaction.occurredAt);
});

test('no export is asked for before its day is over', async () => {
  const { database } = environment;
  const daily = { kind: 'usage', format: 'csv', every: 'day', day: 1, hour: 0, time_zone: 'UTC' } as const;
  await createSchedule(
    database,
    { name: 'daily', account_id: null, after_close: false, ...daily },
    'a@b.example',
  );
  expect(await askForDueExports(database, { partRows: 1_000, providerName: 'Tollgate' })).toBe(0);
});
