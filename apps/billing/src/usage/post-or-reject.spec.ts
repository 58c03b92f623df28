import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { type EventFields, snapshotWith, usageEvent } from '../../testing/usage-events.ts';
import { createDataSource } from '../database/data-source.ts';
import { missingUsage } from './missing-usage.ts';
import { postOrReject } from './post-or-reject.ts';
import { type Posting, computePosting } from './posting.ts';

const snapshot = snapshotWith({ input: 7 }, '1');

let environment: TestEnvironment;
beforeEach(async () => {
  environment = await startTestEnvironment();
});
afterEach(() => environment.stop());

function posting(of: EventFields = {}): Posting {
  const result = computePosting(usageEvent(of), snapshot);
  if (!result.ok) throw new Error(result.reason);
  return result.value;
}
const query = <T>(sql: string): Promise<T[]> => environment.database.query(sql);
const poison: EventFields[] = [{ http_status: 2 ** 40 }, { occurred_at: '0000-01-01T00:00:00.000Z' }];

test('an event that no column takes is rejected with the reason, and all others are posted', async () => {
  const postings = Array.from({ length: 41 }, () => posting());
  postings.splice(7, 0, posting({ request_id: 'req_poison_0', ...poison[0] }));
  postings.splice(30, 0, posting({ request_id: 'req_poison_1', ...poison[1] }));
  const { posted, refused } = await postOrReject(environment.database, postings, [
    { requestId: 'req_rated_away', reason: 'no model', event: {} },
  ]);
  expect(posted).toHaveLength(41);
  expect(refused.map(({ requestId, waits }) => ({ requestId, waits }))).toEqual([
    { requestId: 'req_poison_0', waits: false },
    { requestId: 'req_poison_1', waits: false },
  ]);
  expect(await query('SELECT count(*)::int AS rows, max(number)::int AS last FROM billing.usage')).toEqual([
    { rows: 41, last: 41 },
  ]);
  expect(
    await query(
      `SELECT request_id, reason, event->>'request_id' AS kept FROM billing.usage_rejected ORDER BY 1`,
    ),
  ).toEqual([
    { request_id: 'req_poison_0', reason: expect.stringContaining('out of range'), kept: 'req_poison_0' },
    { request_id: 'req_poison_1', reason: expect.stringContaining('out of range'), kept: 'req_poison_1' },
    { request_id: 'req_rated_away', reason: 'no model', kept: null },
  ]);
});

test('what a constraint refuses waits to be tried again, and does not hold up the others', async () => {
  await environment.database.query(`ALTER TABLE billing.usage ADD CONSTRAINT odd CHECK (pool <> 'odd')`);
  const postings = [0, 1, 2, 3, 4].map((n) => posting({ pool: n === 1 ? 'odd' : 'main' }));
  const first = await postOrReject(environment.database, postings, []);
  expect(first.posted).toHaveLength(4);
  expect(first.refused).toMatchObject([{ requestId: postings[1]?.event.request_id, waits: true }]);
  expect(await query('SELECT state, request_id, reason FROM billing.usage_rejected')).toEqual([
    {
      state: 'waiting',
      request_id: postings[1]?.event.request_id,
      reason: expect.stringContaining('violates check constraint'),
    },
  ]);
  expect(await query('SELECT count(*)::int AS rows FROM billing.usage')).toEqual([{ rows: 4 }]);
  await environment.database.query('ALTER TABLE billing.usage DROP CONSTRAINT odd');
  expect(await postOrReject(environment.database, postings, [])).toEqual({
    posted: [{ ...postings[1], number: expect.any(Number) }],
    refused: [],
  });
});

test('nothing is rejected while the database is away', async () => {
  const away = await createDataSource(environment.databaseUrl).initialize();
  await away.destroy();
  await expect(postOrReject(away, [posting(), posting()], [])).rejects.toThrow();
  expect(await query('SELECT 1 FROM billing.usage_rejected')).toEqual([]);
});

test('a rejected event is kept whatever characters it is made of', async () => {
  const event = {
    'na\0me': ['\0', '\ud800', { deep: 'a\udc00b' }],
    fine: 'é😀\\u0000',
    count: 3,
    none: null,
  };
  await postOrReject(environment.database, [], [{ requestId: 'req_\0', reason: 'bad \0 and \ud800', event }]);
  expect(await query('SELECT request_id, reason, event FROM billing.usage_rejected')).toEqual([
    {
      request_id: 'req_\uFFFD',
      reason: 'bad \uFFFD and \uFFFD',
      event: {
        'na\uFFFDme': ['\uFFFD', '\uFFFD', { deep: 'a\uFFFDb' }],
        fine: 'é😀\\u0000',
        count: 3,
        none: null,
      },
    },
  ]);
});

test('a request is missing until it is posted or rejected', async () => {
  const ids = ['req_posted_1', 'req_rejected', 'req_nowhere_'];
  expect(await missingUsage(environment.database, ids)).toEqual(ids);
  await postOrReject(
    environment.database,
    [posting({ request_id: 'req_posted_1' })],
    [{ requestId: 'req_rejected', reason: 'no model', event: {} }],
  );
  expect(await missingUsage(environment.database, ids)).toEqual(['req_nowhere_']);
  expect(await missingUsage(environment.database, [])).toEqual([]);
});
