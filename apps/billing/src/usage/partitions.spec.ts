import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { type EventFields, snapshotWith, usageEvent } from '../../testing/usage-events.ts';
import {
  addMonths,
  createPartitions,
  keepPartitions,
  keptMonths,
  toMonth,
  partitionName,
} from './partitions.ts';
import { postBatch } from './post-batch.ts';
import { type Posting, computePosting } from './posting.ts';

const now = new Date();
const OLD = addMonths(toMonth(now), -6);
const snapshot = snapshotWith({ input: 7 }, '1');

let environment: TestEnvironment;
let billing: RunningBilling;
let owner: string;
beforeEach(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment);
  owner = await signIn(billing.url, environment.first.email);
});
afterEach(async () => {
  await billing.stop();
  await environment.stop();
});

function posting(of: EventFields): Posting {
  const result = computePosting(usageEvent({ account_id: environment.first.accountId, ...of }), snapshot);
  if (!result.ok) throw new Error(result.reason);
  return result.value;
}
const post = (...postings: Posting[]) => postBatch(environment.database, postings, []);
const query = <T>(sql: string, values: unknown[] = []): Promise<T[]> =>
  environment.database.query(sql, values);
const placeOf = async (requestId: string) =>
  (
    await query<{ place: string }>(
      'SELECT tableoid::regclass::text AS place FROM billing.usage WHERE request_id = $1',
      [requestId],
    )
  ).map(({ place }) => place);
const at = (month: string, day = '15') => `${month}-${day}T12:00:00.000Z`;
const closeBooks = (until: string) =>
  query('UPDATE billing.account SET closed_until = $1', [`${until}-01T00:00:00Z`]);
/** The month becomes one of the log, as it was while it was the current one. */
const makeMonth = (month: string) =>
  environment.database.transaction((manager) => createPartitions(manager, new Date(at(month))));
const detach = (cookie: string, month: string, body: object = { reason: 'retention' }) =>
  call<{ error?: { message: string } } & Record<string, unknown>>(
    { url: billing.url, cookie },
    'POST',
    `/api/usage/partitions/${month}/detach`,
    body,
  );

test('a migrated database has the months around now, and a row goes to its own', async () => {
  const { body } = await call<{
    items: { month: string | null; state: string; rows: number; bytes: number }[];
  }>({ url: billing.url, cookie: owner }, 'GET', '/api/usage/partitions');
  expect(body.items.map(({ month }) => month)).toEqual([...keptMonths(now), null]);
  expect(keptMonths(new Date('2026-12-31T23:59:59.999Z'))).toEqual([
    '2026-11',
    '2026-12',
    '2027-01',
    '2027-02',
    '2027-03',
  ]);
  const [first, last] = [keptMonths(now)[0] ?? '', keptMonths(now).at(-1) ?? ''];
  await post(
    posting({ request_id: 'req_first', occurred_at: `${first}-01T00:00:00.000Z` }),
    posting({ request_id: 'req_last', occurred_at: `${last}-28T23:59:59.999Z` }),
    posting({ request_id: 'req_beyond', occurred_at: `${addMonths(last, 1)}-01T00:00:00.000Z` }),
  );
  expect(await placeOf('req_first')).toEqual([`billing.${partitionName(first)}`]);
  expect(await placeOf('req_last')).toEqual([`billing.${partitionName(last)}`]);
  expect(await placeOf('req_beyond')).toEqual(['billing.usage_default']);
});

test('rows of the default partition move to their month when it is made, and nothing else changes', async () => {
  const later = addMonths(toMonth(now), 4);
  await post(
    posting({ request_id: 'req_moves', occurred_at: at(later) }),
    posting({ request_id: 'req_stays', occurred_at: at(addMonths(later, 9)) }),
  );
  const rows = () => query('SELECT * FROM billing.usage ORDER BY request_id');
  const before = await rows();
  expect(await keepPartitions(environment.database, new Date(at(addMonths(toMonth(now), 1))))).toEqual([
    later,
  ]);
  expect(await placeOf('req_moves')).toEqual([`billing.${partitionName(later)}`]);
  expect(await placeOf('req_stays')).toEqual(['billing.usage_default']);
  expect(await rows()).toEqual(before);
});

test('replicas that make months at the same time make each once, and a second round makes none', async () => {
  const next = new Date(at(addMonths(toMonth(now), 2)));
  const made = await Promise.all([1, 2, 3, 4].map(() => keepPartitions(environment.database, next)));
  expect(made.flat().sort()).toEqual([addMonths(toMonth(now), 4), addMonths(toMonth(now), 5)]);
  expect(await keepPartitions(environment.database, next)).toEqual([]);
});

test('usage is posted while months are made', async () => {
  const postings = Array.from({ length: 60 }, (_, index) =>
    posting({ occurred_at: at(addMonths(toMonth(now), index % 7)) }),
  );
  const [posted] = await Promise.all([
    Promise.all(postings.map((each) => post(each))),
    keepPartitions(environment.database, new Date(at(addMonths(toMonth(now), 3)))),
  ]);
  expect(posted.flat()).toHaveLength(60);
  expect(await query('SELECT count(*)::int AS rows FROM billing.usage')).toEqual([{ rows: 60 }]);
});

test('a month that was taken out is in the archive, and its requests are still not posted again', async () => {
  await makeMonth(OLD);
  const old = posting({ request_id: 'req_archived', occurred_at: at(OLD) });
  const dated = posting({ occurred_at: at(OLD) });
  await post(old, dated, posting({ request_id: 'req_kept' }));
  await closeBooks(addMonths(OLD, 1));

  const first = await detach(owner, OLD);
  expect(first).toMatchObject({
    status: 200,
    body: {
      month: OLD,
      table: `billing_archive.${partitionName(OLD)}`,
      rows: 2,
      actor: environment.first.email,
      reason: 'retention',
    },
  });
  expect(await query(`SELECT request_id FROM billing_archive.${partitionName(OLD)} ORDER BY 1 DESC`)).toEqual(
    [{ request_id: 'req_archived' }, { request_id: dated.event.request_id }],
  );
  expect(await placeOf('req_archived')).toEqual([]);
  expect(await detach(owner, OLD, { reason: 'again' })).toEqual(first);

  expect(await post(old, dated)).toEqual([]);
  expect(await placeOf('req_archived')).toEqual([]);
  expect(await post(posting({ request_id: 'req_very_late', occurred_at: at(OLD) }))).toHaveLength(1);
  expect(await placeOf('req_very_late')).toEqual(['billing.usage_default']);
  expect(await query(`SELECT last_number::int FROM billing.journal`)).toEqual([{ last_number: 4 }]);

  const { body } = await call<{ items: unknown[] }>(
    { url: billing.url, cookie: owner },
    'GET',
    '/api/usage/partitions',
  );
  expect(body.items).toContainEqual({ month: OLD, state: 'detached', rows: 2, bytes: expect.any(Number) });
  expect(await keepPartitions(environment.database, new Date(at(OLD)))).not.toContain(OLD);
});

test('of a month whose rows are gone nothing is posted, because nobody knows what was: it is kept for a person', async () => {
  await makeMonth(OLD);
  const dated = posting({ occurred_at: at(OLD) });
  const late = posting({ occurred_at: at(OLD, '16') });
  await post(dated);
  await closeBooks(addMonths(OLD, 1));
  await detach(owner, OLD);
  await query(`DROP TABLE billing_archive.${partitionName(OLD)}`);
  expect(await post(dated, late, posting({}))).toHaveLength(1);
  expect(await query('SELECT request_id, reason, state FROM billing.usage_rejected ORDER BY id')).toEqual(
    [dated, late].map(({ event: { request_id } }) => ({
      request_id,
      reason: `the usage of ${OLD} is gone, and with it whether this was posted`,
      state: 'rejected',
    })),
  );
});

test('a month stays while the books of one account in it are open', async () => {
  await makeMonth(OLD);
  const other = await addPerson(environment, 'other@billing.example', 'member');
  await post(
    posting({ occurred_at: at(OLD) }),
    posting({ account_id: other.account_id, occurred_at: at(OLD) }),
  );
  await closeBooks(addMonths(OLD, 1));
  await query('UPDATE billing.account SET closed_until = NULL WHERE id = $1', [other.account_id]);
  const refused = await detach(owner, OLD);
  expect(refused.status).toBe(409);
  expect(refused.body.error?.message).toContain('The books of 1 accounts with usage');
});

test.each([
  ['a month that is still written to', toMonth(now), 409, 'still written to'],
  ['a month that is not there', '2019-01', 404, 'has no partition for 2019-01'],
  ['what is no month', '2026-13', 400, 'name it as 2026-11'],
])('%s is not taken out', async (_what, month, status, message) => {
  const answer = await detach(owner, month);
  expect(answer.status).toBe(status);
  expect(answer.body.error?.message).toContain(message);
});

test('only owners take months out, and members do not see them', async () => {
  const cookies = await Promise.all(
    (['admin', 'member'] as const).map(async (role) =>
      signIn(billing.url, (await addPerson(environment, `${role}@billing.example`, role)).email),
    ),
  );
  for (const cookie of cookies) expect((await detach(cookie, OLD)).status).toBe(403);
  const list = cookies.map((cookie) => call({ url: billing.url, cookie }, 'GET', '/api/usage/partitions'));
  expect((await Promise.all(list)).map(({ status }) => status)).toEqual([200, 403]);
});
