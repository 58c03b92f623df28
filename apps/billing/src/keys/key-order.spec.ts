// Keys are made, spend, are renamed and deleted in any sequence; every page must be that of a plain ORDER BY over them.
import { createTestDatabase } from '@tollgate/harness';
import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { query, upTo } from '../../testing/migrated-databases.ts';
import { startTestEnvironment, type TestEnvironment } from '../../testing/test-environment.ts';
import { migrate, MIGRATIONS } from '../database/migrate.ts';
import { findKeyPage } from './key-list.ts';

let environment: TestEnvironment;
let database: DataSource;
const accounts: string[] = [];
const owners: string[] = [];
beforeAll(async () => {
  environment = await startTestEnvironment();
  ({ database } = environment);
  const others: { id: string }[] = await database.query(
    `INSERT INTO billing.account (id, name) VALUES (gen_random_uuid(), 'Other') RETURNING id`,
  );
  accounts.push(environment.first.accountId, ...others.map(({ id }) => id));
  const people: { id: string }[] = await database.query(
    `INSERT INTO billing.app_user (id, account_id, email, role)
     SELECT gen_random_uuid(), $1, 'person' || n || '@billing.example', 'member' FROM generate_series(1, 2) AS n RETURNING id`,
    [accounts[0]],
  );
  owners.push(...people.map(({ id }) => id));
});
afterAll(() => environment.stop());

/** Amounts of every length, many of them with the same first digits or next to where these change. */
const amount = fc.oneof(
  fc.constantFrom(0n, 1n, 9n, 10n, 99n, 100n, 10n ** 37n),
  fc.bigInt({ min: 0n, max: 10n ** 14n }),
  fc.bigInt({ min: 0n, max: 900_000_000n }),
  fc
    .tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: -1, max: 1 }))
    .map(([digits, by]) => 10n ** BigInt(digits) + BigInt(by)),
  fc.bigInt({ min: 0n, max: 50n }).map((pico) => 123_000_000n + pico),
);
/** Minutes of few hours, so that many keys share one. */
const minute = fc.integer({ min: 0, max: 299 });
const key = fc.integer({ min: 0, max: 24 });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ key, spends: amount }) },
  { weight: 2, arbitrary: fc.record({ key, spent: amount }) },
  fc.record({ key, isDeleted: fc.boolean() }),
  fc.record({ key, owner: fc.constantFrom(0, 1, null) }),
  fc.record({ key, account: fc.constantFrom(0, 1) }),
  fc.record({ key, name: fc.constantFrom('night', 'day') }),
  { weight: 2, arbitrary: fc.record({ key, used: fc.option(minute) }) },
  { weight: 2, arbitrary: fc.record({ key, expires: fc.option(minute) }) },
  fc.record({ key, group: fc.constantFrom('default', 'vip', 'Vip 2') }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const set = (id: number, column: string, value: unknown) =>
  database.query(`UPDATE billing.api_key SET ${column} WHERE key_hash = $1`, [hash(id), value]);
const hash = (id: number) => id.toString(16).padStart(64, '0');

const MOMENT = `timestamptz '2026-11-01T00:00:30Z' + $2::int * interval '1 minute'`;

async function take(each: Step): Promise<void> {
  if ('spends' in each)
    await set(each.key, 'spent_pico = least(spent_pico + $2, 1e37)', each.spends.toString());
  else if ('spent' in each) await set(each.key, 'spent_pico = $2', each.spent.toString());
  else if ('isDeleted' in each)
    await set(each.key, 'deleted_at = CASE WHEN $2 THEN now() END', each.isDeleted);
  else if ('owner' in each)
    await set(
      each.key,
      'owner_id = CASE WHEN account_id = (SELECT account_id FROM billing.app_user WHERE id = $2) THEN $2::uuid END',
      each.owner === null ? null : owners[each.owner],
    );
  else if ('account' in each)
    // Whoever has a key is of its account.
    await set(each.key, 'account_id = $2, owner_id = NULL', accounts[each.account]);
  else if ('used' in each) await set(each.key, `last_used_at = ${MOMENT}`, each.used);
  else if ('expires' in each) await set(each.key, `expires_at = ${MOMENT}`, each.expires);
  else if ('group' in each) await set(each.key, 'group_name = $2', each.group);
  else await set(each.key, 'name = $2', each.name);
}

const COLUMNS = {
  spent: 'spent_pico',
  used: 'last_used_at',
  expires: 'expires_at',
  group: 'group_name',
  owner: '(SELECT lower(u.email) FROM billing.app_user u WHERE u.id = owner_id)',
} as const;
const NAMES = ['spent', 'used', 'expires', 'group', 'owner'] as const;
const SORTS = NAMES.flatMap((name) => [name, `-${name}`] as const);

const view = fc.record({
  account: fc.constantFrom(0, 1),
  owner: fc.constantFrom(0, 1, undefined),
  find: fc.constantFrom(undefined, 'night'),
  sort: fc.constantFrom(...SORTS),
  // Fewer than there are keys, or what is cut off would be put right by the order of the whole.
  limit: fc.integer({ min: 1, max: 5 }),
  offset: fc.integer({ min: 0, max: 8 }),
});
type View = typeof view extends fc.Arbitrary<infer T> ? T : never;

const plain = (
  accountId: string | undefined,
  ownerId: string | undefined,
  { find, sort, limit, offset }: View,
) =>
  database.query<{ id: string }[]>(
    `SELECT id FROM billing.api_key WHERE account_id = $1 AND deleted_at IS NULL
       AND ($2::uuid IS NULL OR owner_id IS NULL OR owner_id = $2) AND ($3::text IS NULL OR name = $3)
     ORDER BY ${COLUMNS[sort.replace('-', '') as keyof typeof COLUMNS]} ${sort.startsWith('-') ? 'DESC' : 'ASC'} NULLS LAST,
       id ${sort === '-group' ? 'ASC' : 'DESC'} LIMIT $4 OFFSET $5`,
    [accountId, ownerId ?? null, find ?? null, limit, offset],
  );

test('every page of keys in an order that an index keeps is that of all of them in that order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(amount, { minLength: 12, maxLength: 25 }),
      fc.array(step, { maxLength: 30 }),
      fc.array(view, { minLength: 10, maxLength: 10 }),
      async (amounts, steps, views) => {
        await database.query('DELETE FROM billing.api_key');
        await database.query(
          `INSERT INTO billing.api_key (id, account_id, owner_id, name, key_hash, masked, group_name, spent_pico, last_used_at, expires_at)
           SELECT gen_random_uuid(), $1, (ARRAY[$2::uuid, $3::uuid, null])[1 + n % 3],
             'day', lpad(to_hex(n - 1), 64, '0'), 'sk-…', 'default', spent,
             CASE WHEN n % 3 > 0 THEN timestamptz '2026-11-01T02:00:00Z' + n * interval '7 minutes' END,
             CASE WHEN n % 4 > 0 THEN timestamptz '2026-11-01T02:00:00Z' - n * interval '7 minutes' END
           FROM unnest($4::numeric[]) WITH ORDINALITY AS given(spent, n)`,
          [accounts[0], ...owners, amounts.map(String)],
        );
        for (const each of steps) await take(each);
        for (const each of views) {
          const [accountId = '', ownerId] = [accounts[each.account], owners[each.owner ?? -1]];
          const { find, sort, limit, offset } = each;
          const page = { accountId, ownerId, find, sort, limit, offset, count: 'false' } as const;
          const { ids } = await findKeyPage(database, page as Parameters<typeof findKeyPage>[1]);
          expect(ids).toEqual((await plain(accountId, ownerId, each)).map(({ id }) => id));
        }
      },
    ),
    { numRuns: 150, endOnFailure: true },
  );
}, 60_000);

test('a booking writes the place of its key only where its first digits or its hour change', async () => {
  await database.query(
    `INSERT INTO billing.api_key (id, account_id, name, key_hash, masked, group_name, spent_pico)
     VALUES (gen_random_uuid(), $1, 'one', $2, 'sk-…', 'default', 1230)`,
    [accounts[0], hash(99)],
  );
  const read = async () => {
    const [row] = await database.query<{ version: string; spent_order: number }[]>(
      `SELECT t.xmin::text AS version, t.spent_order FROM billing.key_order t JOIN billing.api_key k ON k.id = t.key_id
       WHERE k.key_hash = $1`,
      [hash(99)],
    );
    return row;
  };
  const first = await read();
  expect(first?.spent_order).toBe(412);
  await set(99, 'spent_pico = spent_pico + $2', 69);
  expect(await read()).toEqual(first);
  await set(99, 'spent_pico = spent_pico + $2', 1);
  const next = await read();
  expect([next?.spent_order, next?.version === first?.version]).toEqual([413, false]);

  const use = (minute: number) => set(99, `last_used_at = ${MOMENT}`, minute);
  await use(0);
  const used = await read();
  await use(59);
  expect(await read()).toEqual(used);
  await use(60);
  expect((await read())?.version).not.toBe(used?.version);
});

const KEYS = `
  INSERT INTO billing.account (id, name) VALUES ('0198f1c2-7d1e-7000-8000-0000000000ff', 'Many keys');
  INSERT INTO billing.api_key (id, account_id, name, key_hash, masked, group_name, spent_pico, last_used_at,
    expires_at, deleted_at)
  SELECT ('0198f1c2-7d1e-7000-9000-0000000000' || lpad(to_hex(n), 2, '0'))::uuid, '0198f1c2-7d1e-7000-8000-0000000000ff',
    'Key ' || n, lpad(to_hex(n), 64, '0'), 'sk-…', 'group ' || n % 3, (n % 5)::numeric * 10 ^ n,
    CASE WHEN n % 3 > 0 THEN timestamptz '2026-11-01T00:30:00Z' + n * interval '1 hour' END,
    CASE WHEN n % 2 > 0 THEN timestamptz '2027-11-01T00:30:00Z' + n * interval '1 hour' END, CASE WHEN n % 4 = 0 THEN now() END
  FROM generate_series(1, 30) AS n`;

test('keys that there were before are in the order that they would have if they were new', async () => {
  const before = MIGRATIONS.findIndex(({ name }) => name.startsWith('KeyOrders'));
  expect(before).toBeGreaterThan(0);
  const [old, fresh] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  try {
    await Promise.all([migrate(old.url, undefined, upTo(MIGRATIONS, before)), migrate(fresh.url)]);
    await Promise.all([old, fresh].map((each) => query(each, KEYS)));
    await migrate(old.url);
    for (const table of ['key_place', 'key_order']) {
      const [upgraded, made] = await Promise.all(
        [old, fresh].map((each) => query(each, `SELECT * FROM billing.${table} ORDER BY key_id`)),
      );
      expect(upgraded).toEqual(made);
      expect(new Set(made?.map((row) => Object.values(row).slice(2).join())).size).toBeGreaterThan(15);
    }
  } finally {
    await Promise.all([old.drop(), fresh.drop()]);
  }
});
