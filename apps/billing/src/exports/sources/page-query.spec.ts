// COPY takes no parameters: what people filter by stands in its text, as the value that it is.
import fc from 'fast-check';
import { type DatabaseClient, openDatabaseClient } from '../../../testing/database-client.ts';
import type { SqlColumn } from '../columns.ts';
import { createEncoder } from '../formats/create-encoder.ts';
import { Tuples } from '../tuples.ts';
import { copyOut } from './copy-out.ts';
import { pageQuery, withValues } from './page-query.ts';

let database: DatabaseClient;
let client: DatabaseClient['client'];
beforeAll(async () => {
  database = await openDatabaseClient();
  ({ client } = database);
});
afterAll(() => database.close());

const read = async (text: string, values: readonly unknown[]): Promise<unknown[]> =>
  Object.values((await client.query<Record<string, unknown>>(withValues(text, values))).rows[0] ?? {});

const hostile = fc.oneof(
  fc.string({ unit: fc.constantFrom("'", '\\', '$', '1', '2', '-', ';', '"', '\n', 'E', 'x', '＇') }),
  fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '').toWellFormed()),
);

test('any text is the value that it is, and takes no other in', () =>
  fc.assert(
    fc.asyncProperty(hostile, hostile, async (one, other) => {
      expect(
        await read('SELECT $1::text AS one, $2::text AS other, $1::text AS again', [one, other]),
      ).toEqual([one, other, one]);
    }),
    { numRuns: 200 },
  ));

test('numbers are whole, and nothing else is taken', async () => {
  expect(
    await read('SELECT $1::int8::text AS a, ($10)::int8::text AS b', [
      2 ** 53 - 1,
      ...Array<0>(8).fill(0),
      -1,
    ]),
  ).toEqual([String(2 ** 53 - 1), '-1']);
  for (const value of [undefined, null, 1.5, 2 ** 53, Number.NaN, true, new Date(), ['a']])
    expect(() => withValues('SELECT $1', [value])).toThrow(TypeError);
  expect(() => withValues('SELECT $2', [1])).toThrow(TypeError);
});

test('rows of a number are in the order of their bytes, whatever order the database is of', async () => {
  await client.query('CREATE TABLE thing (number bigint, name text COLLATE "und-x-icu")');
  await client.query(
    `INSERT INTO thing SELECT 2, unnest('{b,A,é,_,a,B,-,aa}'::text[]) UNION VALUES (1, 'z'), (3, 'a')`,
  );
  const columns: SqlColumn[] = ['number', 'name'].map((name) => ({
    name,
    type: name === 'number' ? 'int64' : 'text',
    sql: name,
  }));
  const from = 'FROM thing WHERE number BETWEEN $1 AND $2';
  const query = pageQuery({ columns, from, number: 'number', within: 'name', values: [], numbersAtOnce: 8 });
  const copied = await copyOut(client, withValues(query, [1, 3, 8]));
  const tuples = new Tuples(copied, columns.length);
  const lines = createEncoder('csv', columns).encode({ tuples }, copied.rows);
  const names = ['1,z', '2,-', '2,A', '2,B', '2,_', '2,a', '2,aa', '2,b', '2,é'];
  expect(Buffer.from(lines).toString().trimEnd().split('\r\n')).toEqual(['number,name', ...names]);
});
