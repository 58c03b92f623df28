// Files of several row groups whose values come again, or do so in one group alone, are read back by DuckDB.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBConnection } from '@duckdb/node-api';
import { createTestDatabase, type TestDatabase } from '@tollgate/harness';
import { parquetMetadata } from 'hyparquet';
import { Client } from 'pg';
import type { SqlColumn } from '../columns.ts';
import { copyOut } from '../sources/copy-out.ts';
import { pageQuery, withValues } from '../sources/page-query.ts';
import type { PageContent } from '../sources/source.ts';
import { Tuples } from '../tuples.ts';
import { createEncoder } from './create-encoder.ts';
import { ROW_GROUP_ROWS } from './parquet.ts';

const ROWS = 2 * ROW_GROUP_ROWS + 1_500;
/** Groups begin and end within pages. */
const ROWS_OF_PAGE = 1_000;

const isFirst = `n <= ${ROW_GROUP_ROWS}`;
const COLUMNS: readonly SqlColumn[] = [
  { name: 'number', type: 'int64', sql: 'n' },
  { name: 'one', type: 'text', sql: "'one'" },
  { name: 'few', type: 'text', sql: "'v' || n % 3" },
  { name: 'many', type: 'text', sql: "'v' || n % 257", free: true },
  { name: 'some', type: 'text', sql: "CASE WHEN n % 7 < 3 THEN 's' || n % 64 END", nullable: true },
  { name: 'later', type: 'int32', sql: `CASE WHEN ${isFirst} THEN n ELSE n % 5 END` },
  {
    name: 'tokens',
    type: 'int64',
    // Zeros go on from the first group into the second; the third begins with another number.
    sql: `CASE WHEN n = ${2 * ROW_GROUP_ROWS + 1} THEN 7 WHEN n % ${ROW_GROUP_ROWS} BETWEEN 100 AND 8000 THEN n % 11 ELSE 0 END`,
    summed: true,
  },
  {
    name: 'begun',
    type: 'int64',
    sql: `CASE WHEN NOT ${isFirst} AND n % 2 = 0 THEN n % 4 END`,
    nullable: true,
  },
  { name: 'ended', type: 'int64', sql: `CASE WHEN ${isFirst} THEN n % 4 END`, nullable: true },
  { name: 'cost_usd', type: 'usd', sql: '(n % 13) * 9007199254740993::numeric', summed: true },
  { name: 'is_fifth', type: 'boolean', sql: 'n % 5 = 0' },
  {
    name: 'at',
    type: 'timestamp',
    sql: "timestamptz '2026-11-01 00:00+00' + (n % 20) * interval '1 microsecond'",
  },
  {
    name: 'account_id',
    type: 'text',
    sql: "('00000000-0000-0000-0000-00000000000' || n % 6)::uuid",
    uuid: true,
  },
];

/** How PostgreSQL and DuckDB are asked for the same text of a value. */
const inPostgres = ({ type, sql }: SqlColumn): string => {
  if (type === 'usd') return `((${sql}) / 1000000000000)::numeric(38, 12)::text`;
  return type === 'timestamp' ? `(extract(epoch FROM ${sql}) * 1000000)::bigint::text` : `(${sql})::text`;
};
const inDuckDb = ({ type, name }: SqlColumn): string =>
  type === 'timestamp' ? `epoch_us("${name}")::text` : `"${name}"::text`;

let database: TestDatabase;
let client: Client;
let directory: string;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.url, options: '-c timezone=UTC -c datestyle=ISO' });
  await client.connect();
  directory = mkdtempSync(join(tmpdir(), 'tollgate-groups-'));
});
afterAll(async () => {
  await client.end();
  await database.drop();
  rmSync(directory, { recursive: true });
});

const readTexts = async (
  values: readonly string[],
  from: number,
  to: number,
): Promise<(string | null)[][]> => {
  const text = `SELECT ${values.join(', ')} FROM generate_series($1::int, $2::int) g (n) ORDER BY g.n`;
  return (await client.query({ text, values: [from, to], rowMode: 'array' })).rows as (string | null)[][];
};

const query = pageQuery({
  columns: COLUMNS,
  from: 'FROM generate_series($1, $2) n',
  number: 'n',
  values: [],
  numbersAtOnce: ROWS_OF_PAGE,
});
const PAGES: Readonly<Record<string, (from: number, to: number) => Promise<PageContent>>> = {
  'the database sends them': async (from, to) => {
    const copied = await copyOut(client, withValues(query, [from, to, ROWS_OF_PAGE]));
    return { tuples: new Tuples(copied, COLUMNS.length) };
  },
  texts: async (from, to) => {
    const asSent = ({ type, sql }: SqlColumn) =>
      type === 'boolean' ? `CASE WHEN ${sql} THEN 't' ELSE 'f' END` : `(${sql})::text`;
    return { rows: await readTexts(COLUMNS.map(asSent), from, to) };
  },
};

describe.each(Object.entries(PAGES))('of rows as %s', (_as, readPage) => {
  let file: Buffer;
  beforeAll(async () => {
    const encoder = createEncoder('parquet', COLUMNS);
    const chunks: Uint8Array[] = [];
    for (let from = 1; from <= ROWS; from += ROWS_OF_PAGE) {
      const to = Math.min(ROWS, from + ROWS_OF_PAGE - 1);
      chunks.push(encoder.encode(await readPage(from, to), to - from + 1));
    }
    file = Buffer.concat([...chunks, encoder.finish()]);
  });

  test('all values are read back', async () => {
    const path = join(directory, 'groups.parquet');
    writeFileSync(path, file);
    const duck = await DuckDBConnection.create();
    const answer = await duck.runAndReadAll(`SELECT ${COLUMNS.map(inDuckDb).join(', ')} FROM '${path}'`);
    const [found, sent] = [answer.getRows(), await readTexts(COLUMNS.map(inPostgres), 1, ROWS)];
    expect(found).toHaveLength(ROWS);
    // To show how all of them differ would take longer than all tests.
    const differs = sent.findIndex((row, at) => JSON.stringify(row) !== JSON.stringify(found[at]));
    expect(found[differs]).toEqual(sent[differs]);
  });

  test('groups have their size, each column is behind the one before, and what comes again is named', () => {
    const { row_groups: groups } = parquetMetadata(Uint8Array.from(file).buffer);
    expect(groups.map(({ num_rows }) => Number(num_rows))).toEqual([ROW_GROUP_ROWS, ROW_GROUP_ROWS, 1_500]);
    const chunks = groups.flatMap(({ columns }) => columns.map(({ meta_data }) => meta_data));
    let end = 4n;
    for (const chunk of chunks) {
      expect(chunk?.dictionary_page_offset ?? chunk?.data_page_offset).toBe(end);
      end += chunk?.total_compressed_size ?? 0n;
    }
    const encodingsOf = (column: string) =>
      groups.map(({ columns }) => {
        const chunk = columns[COLUMNS.findIndex(({ name }) => name === column)];
        return chunk?.meta_data?.encodings.includes('RLE_DICTIONARY');
      });
    expect(encodingsOf('many')).toEqual([true, true, true]);
    expect(encodingsOf('number')).toEqual([false, false, false]);
    expect(encodingsOf('later')).toEqual([false, true, true]);
  });
});
