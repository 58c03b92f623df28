import type { DataSource } from 'typeorm';
import { type Explainer, rowsRead, startExplaining } from '../../testing/plans.ts';
import { startTestEnvironment, type TestEnvironment } from '../../testing/test-environment.ts';
import { findKeyPage } from './key-list.ts';

const KEYS = 20_000;
const LIMIT = 20;

let environment: TestEnvironment;
let explainer: Explainer;
let accountId: string;
beforeAll(async () => {
  environment = await startTestEnvironment();
  const { database, first } = environment;
  accountId = first.accountId;
  await database.query(
    `INSERT INTO billing.api_key (id, account_id, owner_id, name, key_hash, masked, group_name, spent_pico, last_used_at, expires_at,
       created_at)
     SELECT gen_random_uuid(), $1, (SELECT id FROM billing.app_user LIMIT 1), 'Key number ' || n, encode(sha256(n::text::bytea), 'hex'), 'sk-…', 'default',
       n % 2 * (n::numeric * 7919 % 1000003),
       CASE WHEN n % 3 > 0 THEN now() - n * interval '1 minute' END, CASE WHEN n % 9 = 0 THEN now() + n * interval '1 hour' END,
       now() - n * interval '1 minute'
     FROM generate_series(1, $2) AS n`,
    [accountId, KEYS],
  );
  await database.query('ANALYZE billing.api_key, billing.key_text, billing.key_order, billing.key_place');
  explainer = await startExplaining(environment.databaseUrl);
});
afterAll(async () => {
  await explainer.stop();
  await environment.stop();
});

test.each(['-created', 'name', '-name'] as const)(
  'a page of many keys in the order of %s reads little more than the page',
  async (sort) => {
    const { database, scans } = explainer;
    scans();
    const filter = {
      accountId,
      ownerId: undefined,
      sort,
      limit: LIMIT,
      offset: LIMIT,
      count: 'false' as const,
    };
    const { ids } = await findKeyPage(database, filter);
    expect(ids).toHaveLength(LIMIT);
    expect(rowsRead(scans())).toBeLessThan(4 * LIMIT);
  },
);

test.each([
  'spent',
  '-spent',
  'used',
  '-used',
  'expires',
  '-expires',
  'group',
  '-group',
  'owner',
  '-owner',
] as const)(
  'a page of many keys in the order of %s reads those that an index does not tell apart, and no others',
  async (sort) => {
    const { database, scans } = explainer;
    scans();
    const page = {
      accountId,
      ownerId: undefined,
      sort,
      limit: LIMIT,
      offset: LIMIT,
      count: 'false',
    } as const;
    expect((await findKeyPage(database, page)).ids).toHaveLength(LIMIT);
    expect(rowsRead(scans())).toBeLessThan(20 * LIMIT);
  },
);

/** Of the newest that are found, as the console asks for them. */
const find = (database: Pick<DataSource, 'query'>, text: string) =>
  findKeyPage(database, {
    accountId,
    ownerId: undefined,
    find: text,
    limit: LIMIT,
    offset: 0,
    count: 'true',
  });

test('few keys that have a text are found before keys are read', async () => {
  const { database, scans } = explainer;
  scans();
  expect(await find(database, 'NUMBER 1777')).toMatchObject({ total: 11 });
  const ofKeys = scans().filter(({ table }) => table === 'api_key');
  expect(ofKeys.length).toBeGreaterThan(0);
  expect(rowsRead(ofKeys)).toBeLessThan(40);
});

test('a text that very many keys have is found in all of them', async () => {
  const { ids, total } = await find(environment.database, 'key NUMBER');
  expect([ids.length, total]).toEqual([LIMIT, KEYS]);
});

test('a key is found by the name that it has now, and by what is seen of its secret', async () => {
  const { database } = environment;
  const [{ ids: named }, { ids: before }] = [
    await find(database, 'number 15000'),
    await find(database, 'sk-…'),
  ];
  expect([named.length, before.length]).toEqual([1, LIMIT]);
  const [id] = named;
  await database.query(
    `UPDATE billing.api_key SET name = 'Night 100% shift', masked = 'sk-9…z' WHERE id = $1`,
    [id],
  );
  expect(await find(database, 'number 15000')).toEqual({ ids: [], total: 0 });
  for (const text of ['night 100%', 'SK-9…z', '0% s'])
    expect([text, await find(database, text)]).toEqual([text, { ids: [id], total: 1 }]);
  expect(await find(database, 'night_100')).toEqual({ ids: [], total: 0 });
  await database.query('UPDATE billing.api_key SET deleted_at = now() WHERE id = $1', [id]);
  expect(await find(database, 'night 100%')).toEqual({ ids: [], total: 0 });
});
