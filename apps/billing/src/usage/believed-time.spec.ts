import { randomUUID } from 'node:crypto';
import { createMetrics } from '@tollgate/platform';
import { addKey } from '../../testing/keys.ts';
import { postingThatCosts } from '../../testing/bookkeeping.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson } from '../../testing/people.ts';
import { readSpend } from '../keys/key-spend.ts';
import { openPeriod } from '../periods/calendar.ts';
import { readStatement } from '../statements/statement.ts';
import { believed, type Impossible } from './believed-time.ts';
import { postBatch } from './post-batch.ts';
import { createUsageMetrics } from './usage-metrics.ts';

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await startTestEnvironment();
});
afterAll(() => environment.stop());

/** Where it is noon now: no minute of a test lies in another day or month than the next one. */
function noon() {
  const ahead = 12 - new Date().getUTCHours();
  const local = new Date(Date.now() + ahead * 3_600_000).toISOString();
  // Its sign says how far Greenwich is ahead.
  return { zone: `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`, month: local.slice(0, 7) };
}

test.each<[timeOrMinutesFromNow: string | number, Impossible | undefined]>([
  ['2036-01-01T00:00:00.000Z', 'future'],
  ['9999-12-31T23:59:59.999Z', 'future'],
  ['1970-01-01T00:00:12.000Z', 'past'],
  ['0000-01-01T00:00:00.000Z', 'past'],
  ['0001-01-01T00:00:00.000Z', 'past'],
  [5, 'future'],
  [0.5, undefined],
  [-0.5, undefined],
])("usage of %s is on this month's statement and in today's budgets", async (time, how) => {
  const { account_id } = await addPerson(environment, `${randomUUID()}@billing.example`, 'member');
  const { zone, month } = noon();
  await environment.database.query('UPDATE billing.account SET time_zone = $2 WHERE id = $1', [
    account_id,
    zone,
  ]);
  const key = await addKey(environment.database, { accountId: account_id });
  const occurred_at = typeof time === 'string' ? time : new Date(Date.now() + time * 60_000).toISOString();
  const heard: Impossible[] = [];
  const [posting] = await believed(
    environment.database,
    [postingThatCosts(7, { account_id, key_id: key.id, occurred_at })],
    (each) => heard.push(each),
  );
  if (!posting) throw new Error('there is no posting');
  expect(heard).toEqual(how ? [how] : []);
  const [posted] = await postBatch(environment.database, [posting], []);
  const rows: object[] = await environment.database.query(
    `SELECT claimed_at, abs(extract(epoch FROM now() - occurred_at)) < 120 AS is_now FROM billing.usage WHERE number = $1`,
    [posted?.number],
  );
  expect(rows).toEqual([{ claimed_at: how ? occurred_at : null, is_now: true }]);
  expect(await openPeriod(environment.database.manager, account_id)).toMatchObject({ month });
  expect(await readStatement(environment.database, account_id, month)).toMatchObject({
    lines: [{ requests: 1 }],
  });
  expect((await readSpend(environment.database, [key])).get(key.id)).toMatchObject({
    daily: 7n,
    monthly: 7n,
  });
});

test('a time that could be is believed, however old, and so is one of an account that nobody knows', async () => {
  const { account_id } = await addPerson(environment, `${randomUUID()}@billing.example`, 'member');
  await environment.database.query(
    `UPDATE billing.account SET created_at = '2020-01-01T00:00:00Z' WHERE id = $1`,
    [account_id],
  );
  const postings = [
    postingThatCosts(1, { account_id, occurred_at: '2020-02-01T00:00:00.000Z' }),
    postingThatCosts(1, { account_id: randomUUID(), occurred_at: '2020-02-01T00:00:00.000Z' }),
  ];
  expect(await believed(environment.database, postings)).toEqual(postings);
});

test('what was before the key is not believed, though the account is older', async () => {
  const { account_id } = await addPerson(environment, `${randomUUID()}@billing.example`, 'member');
  await environment.database.query(
    `UPDATE billing.account SET created_at = '2020-01-01T00:00:00Z' WHERE id = $1`,
    [account_id],
  );
  const key = await addKey(environment.database, { accountId: account_id });
  const [posting] = await believed(environment.database, [
    postingThatCosts(1, { account_id, key_id: key.id, occurred_at: '2025-02-01T00:00:00.000Z' }),
  ]);
  expect(posting?.claimedAt).toBe('2025-02-01T00:00:00.000Z');
});

test('Prometheus is told how many clocks were wrong', async () => {
  const metrics = createMetrics('billing');
  const usageMetrics = createUsageMetrics(metrics, {
    counts: () => Promise.resolve({ waiting: 0, active: 0, delayed: 0, failed: 0 }),
  });
  usageMetrics.clockCorrected('past');
  expect(await metrics.metrics()).toContain(
    'tollgate_usage_clock_corrected_total{how="past",service="billing"} 1',
  );
});
