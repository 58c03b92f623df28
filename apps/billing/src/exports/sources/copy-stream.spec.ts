// Rows of a COPY come in batches, each as if it were the whole, and no faster than they are read.
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '@tollgate/harness';
import { Client } from 'pg';
import { readDate, readInt, readText, readTexts, readUuid, Tuples } from '../tuples.ts';
import { streamCopy } from './copy-stream.ts';

let database: TestDatabase;
let client: Client;
beforeEach(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

const copyOf = (query: string): string => `COPY (${query}) TO STDOUT (FORMAT binary)`;

async function read(query: string, rowsAtOnce: number): Promise<(string | null)[][][]> {
  const batches: (string | null)[][][] = [];
  for await (const copied of streamCopy(client, copyOf(query), rowsAtOnce))
    batches.push(readTexts(new Tuples(copied, 2), [readText, readText]));
  return batches;
}

test.each([
  [0, []],
  [1, [1]],
  [4, [4]],
  [5, [4, 1]],
  [12, [4, 4, 4]],
])('of %i rows, four at once, there are batches of %j', async (rows, lengths) => {
  const query = `SELECT n::text, CASE WHEN n % 3 > 0 THEN repeat('é', n * n * 1000) END FROM generate_series(1, ${rows}) n`;
  const batches = await read(query, 4);
  expect(batches.map(({ length }) => length)).toEqual(lengths);
  expect(batches.flat()).toEqual(
    Array.from({ length: rows }, (_, index) => {
      const n = index + 1;
      return [String(n), n % 3 > 0 ? 'é'.repeat(n * n * 1_000) : null];
    }),
  );
});

test('texts that the row before has too, and others of its length, are told apart', async () => {
  const values = `VALUES ('aa', 'x'), ('aa', 'y'), ('ab', NULL), ('ab', NULL), ('', 'y'), ('', '')`;
  expect(await read(values, 10)).toEqual([
    [
      ['aa', 'x'],
      ['aa', 'y'],
      ['ab', null],
      ['ab', null],
      ['', 'y'],
      ['', ''],
    ],
  ]);
});

test('dates, numbers and UUIDs are the texts that the database makes of them', async () => {
  const dates = ['0001-01-01', '1969-12-31', '1970-01-01', '2000-02-29', '2026-11-28', '9999-12-31'];
  const query = `SELECT day, n, id, day::text, n::text, id::text FROM unnest('{${dates}}'::date[]) AS day,
    unnest('{-2147483648, -1, 0, 7, 2147483647}'::int[]) AS n, LATERAL (SELECT md5(day::text || n)::uuid AS id) AS ids`;
  for await (const copied of streamCopy(client, copyOf(query), 7)) {
    const readers = [readDate, readInt, readUuid, readText, readText, readText];
    for (const row of readTexts(new Tuples(copied, 6), readers))
      expect(row.slice(0, 3)).toEqual(row.slice(3));
  }
  expect.hasAssertions();
});

test('the database waits for a reader who is slow, and the connection goes on afterwards', async () => {
  const ROWS = 20_000;
  const query = `SELECT n::text, repeat('x', 2000) FROM generate_series(1, ${ROWS}) n`;
  const other = new Client({ connectionString: database.url });
  await other.connect();
  const isWaiting = async () => {
    const { rows } = await other.query<{ event: string | null }>(
      `SELECT wait_event AS event FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY%'`,
    );
    return rows[0]?.event === 'ClientWrite';
  };
  let [rows, waited] = [0, false];
  for await (const copied of streamCopy(client, copyOf(query), 100)) {
    for (let tries = 0; rows === 0 && !waited && tries < 100; tries += 1) {
      await sleep(50);
      waited = await isWaiting();
    }
    rows += copied.rows;
  }
  await other.end();
  expect([rows, waited]).toEqual([ROWS, true]);
  expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});

test('an error behind rows that were sent is one, and the connection goes on', async () => {
  const failing = `SELECT (1 / (100000 - n))::text, '' FROM generate_series(1, 200000) n`;
  await expect(read(failing, 1_000)).rejects.toThrow('division by zero');
  expect(await read(`SELECT 'a', 'b'`, 1_000)).toEqual([[['a', 'b']]]);
});
