import { type TestEnvironment, silent, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson } from '../../testing/people.ts';
import { AUTOMATIC, closeDuePeriods } from './period-closer.ts';
import { sealPeriods } from './seal-periods.ts';

let environment: TestEnvironment;
let accountId: string;
beforeEach(async () => {
  environment = await startTestEnvironment();
  accountId = environment.first.accountId;
  await environment.database.query(`UPDATE billing.account SET created_at = '2025-09-10T00:00:00Z'`);
});
afterEach(() => environment.stop());

const closeAt = (at: string, database = environment.database) =>
  closeDuePeriods(database, { afterDays: 3, at: new Date(at), logger: silent });

test('a period closes by itself once it is over for the days that were set', async () => {
  expect(await closeAt('2025-10-03T23:59:59.999Z')).toEqual([]);
  expect(await closeAt('2025-10-04T00:00:00.000Z')).toEqual([{ accountId, month: '2025-09' }]);
  expect(await closeAt('2025-10-04T00:00:00.000Z')).toEqual([]);
  expect(await sealPeriods(environment.database, accountId)).toMatchObject([
    { month: '2025-09', closed_by: AUTOMATIC, reason: 'over for 3 days' },
  ]);
});

test('all months that are due are closed, of every account by its own clocks', async () => {
  const other = await addPerson(environment, 'other@billing.example', 'member');
  await environment.database.query(
    `UPDATE billing.account SET created_at = '2025-10-31T13:00:00Z', time_zone = 'Pacific/Apia' WHERE id = $1`,
    [other.account_id],
  );
  const closed = await closeAt('2025-12-03T12:00:00.000Z');
  const monthsOf = (id: string) => closed.filter((each) => each.accountId === id).map(({ month }) => month);
  expect(monthsOf(accountId)).toEqual(['2025-09', '2025-10']);
  expect(monthsOf(other.account_id)).toEqual(['2025-11']);
});

test('while another replica is at it nothing is closed', async () => {
  const other = environment.database.createQueryRunner();
  await other.query('SELECT pg_advisory_lock(7302006)');
  expect(await closeAt('2025-10-05T00:00:00.000Z')).toEqual([]);
  await other.query('SELECT pg_advisory_unlock(7302006)');
  await other.release();
  expect(await closeAt('2025-10-05T00:00:00.000Z')).toHaveLength(1);
});

test('an account that fails does not keep the others from closing', async () => {
  const other = await addPerson(environment, 'other@billing.example', 'member');
  await environment.database.query(
    `UPDATE billing.account SET created_at = '2025-09-10T00:00:00Z' WHERE id = $1`,
    [other.account_id],
  );
  await environment.database.query(`
    CREATE FUNCTION billing.refuse_one() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.account_id = '${accountId}' THEN RAISE EXCEPTION 'not this one'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER refuse_one BEFORE INSERT ON billing.period_seal FOR EACH ROW EXECUTE FUNCTION billing.refuse_one()`);
  expect(await closeAt('2025-10-05T00:00:00.000Z')).toEqual([
    { accountId: other.account_id, month: '2025-09' },
  ]);
  await environment.database.query('DROP TRIGGER refuse_one ON billing.period_seal');
  await closeAt('2025-10-05T00:00:00.000Z');
  const seals: unknown[] = await environment.database.query('SELECT FROM billing.period_seal');
  expect(seals).toHaveLength(2);
});
