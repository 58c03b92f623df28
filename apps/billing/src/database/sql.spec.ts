import { createTestDatabase, type TestDatabase } from '@tollgate/harness';
import { column, countChanged, hasRows, readRow, readRows, requireRow } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { createDataSource } from './data-source.ts';

let server: TestDatabase;
let database: DataSource;
beforeAll(async () => {
  server = await createTestDatabase();
  database = await createDataSource(server.url).initialize();
  await database.query(`CREATE SCHEMA IF NOT EXISTS billing;
    CREATE TABLE billing.item (id bigint PRIMARY KEY, name text, tags text[] NOT NULL DEFAULT '{}')`);
});
beforeEach(() =>
  database.query(`TRUNCATE billing.item; INSERT INTO billing.item VALUES (1, 'one'), (2, NULL)`),
);
afterAll(async () => {
  await database.destroy();
  await server.drop();
});

const item = z.object({ id: column.bigint, name: column.text.nullable() });

test('every type of our columns comes out as what its schema says', async () => {
  const row = await requireRow(
    database,
    z.object({
      text: column.text,
      uuid: column.uuid,
      int: column.int,
      bigint: column.bigint,
      numeric: column.bigint,
      float: column.float,
      boolean: column.boolean,
      timestamp: column.timestamp,
    }),
    `SELECT 'a' AS text, '00000000-0000-0000-0000-000000000001'::uuid AS uuid, 1 AS int, (2::bigint ^ 60)::bigint AS bigint,
       sum(5::numeric(38, 0)) AS numeric, 0.5::float8 AS float,
       true AS boolean, timestamptz '2026-01-01T00:00:00Z' AS timestamp`,
  );
  expect(row).toEqual({
    text: 'a',
    uuid: '00000000-0000-0000-0000-000000000001',
    int: 1,
    bigint: '1152921504606846976',
    numeric: '5',
    float: 0.5,
    boolean: true,
    timestamp: new Date('2026-01-01T00:00:00Z'),
  });
});

test.each([
  ['SELECT', 'SELECT * FROM billing.item ORDER BY id'],
  [
    'INSERT',
    `INSERT INTO billing.item VALUES (1, 'x'), (2, 'x') ON CONFLICT (id) DO UPDATE SET id = item.id RETURNING *`,
  ],
  ['UPDATE', 'UPDATE billing.item SET id = id RETURNING *'],
  ['DELETE', 'DELETE FROM billing.item RETURNING *'],
  ['WITH', 'WITH taken AS (DELETE FROM billing.item RETURNING *) SELECT * FROM taken'],
])('rows of %s, with the columns that the schema names', async (_, text) => {
  expect(await readRows(database, item, text)).toEqual([
    { id: '1', name: 'one' },
    { id: '2', name: null },
  ]);
  await database.query('DELETE FROM billing.item');
  expect(
    await readRows(database, item, text.replace(/VALUES .*\)(?= ON)/, 'SELECT * FROM billing.item')),
  ).toEqual([]);
});

test('the first row, or none, or one that must be there', async () => {
  const one = (id: number) => readRow(database, item, 'SELECT * FROM billing.item WHERE id = $1', [id]);
  expect(await one(1)).toEqual({ id: '1', name: 'one' });
  expect(await one(9)).toBeUndefined();
  await expect(requireRow(database, item, 'SELECT * FROM billing.item WHERE id = 9')).rejects.toThrow(
    'There is no row of SELECT * FROM billing.item WHERE id = 9',
  );
});

test('a row that is not what the schema says is an error that names the column and the query', async () => {
  const wrong = z.object({ id: column.int, name: column.text });
  await expect(readRows(database, wrong, 'SELECT * FROM billing.item WHERE id = 2')).rejects.toThrow(
    /A row is not what was expected[\s\S]*at id[\s\S]*at name[\s\S]*of SELECT \* FROM billing.item WHERE id = 2/,
  );
});

test('whether there are rows, and how many were changed', async () => {
  expect(await hasRows(database, 'SELECT FROM billing.item WHERE id = 1')).toBe(true);
  expect(await hasRows(database, 'SELECT FROM billing.item WHERE id = 9')).toBe(false);
  expect(await hasRows(database, 'UPDATE billing.item SET id = 3 WHERE id = 1 RETURNING id')).toBe(true);
  expect(await hasRows(database, 'UPDATE billing.item SET id = 3 WHERE id = 9 RETURNING id')).toBe(false);
  expect(await countChanged(database, `UPDATE billing.item SET name = 'x'`)).toBe(2);
  await expect(countChanged(database, 'SELECT 1')).rejects.toThrow('Only an UPDATE or a DELETE counts');
});
