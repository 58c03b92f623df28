// Rows of any numbers, with gaps and with several of a number, are read from a database by one reader and by several.
import { createTestDatabase, type TestDatabase } from '@tollgate/harness';
import fc from 'fast-check';
import { Client } from 'pg';
import { ColumnSums } from '../column-sums.ts';
import type { SqlColumn } from '../columns.ts';
import { NumberPages } from './number-pages.ts';
import type { Page, Readers, Start } from './source.ts';

let database: TestDatabase;
let clients: Client[];
beforeAll(async () => {
  database = await createTestDatabase();
  clients = Array.from({ length: 3 }, () => new Client({ connectionString: database.url }));
  for (const client of clients) await client.connect();
  await clients[0]?.query('CREATE TABLE thing (number bigint, name text)');
});
afterAll(async () => {
  for (const client of clients) await client.end();
  await database.drop();
});

const COLUMNS: readonly SqlColumn[] = [
  { name: 'number', type: 'int64', sql: 'number', summed: true },
  { name: 'name', type: 'text', free: true, sql: 'name' },
];

/** @param last up to which number the table is read. */
async function read(readers: number, last: number, rows: number, start: Start): Promise<Page[]> {
  const [first, ...others] = clients.slice(0, readers);
  const used: Readers = [first as Client, ...others];
  const source = new NumberPages(
    used,
    { rows, first: 1, last },
    {
      columns: COLUMNS,
      from: 'FROM thing WHERE number BETWEEN $1 AND $2',
      number: 'number',
      within: 'name',
      values: [],
      numbersAtOnce: 8,
    },
  );
  const pages: Page[] = [];
  for await (const page of source.pages(start)) pages.push(page);
  return pages;
}

/** How many rows the files have that pages make; the first is one that was begun, or a new one. */
function filesOf(pages: readonly Page[]): number[] {
  const files: number[] = [];
  for (const { rows, beginsPart } of pages) {
    if (beginsPart || files.length === 0) files.push(0);
    files.push((files.pop() ?? 0) + rows);
  }
  return files;
}

/** The same of the numbers of rows: a file ends at the first change of number behind so many. */
function cut(numbers: readonly number[], { partRows, rowsInPart }: Start): number[] {
  const files: number[] = [];
  let left = rowsInPart >= partRows ? partRows : partRows - rowsInPart;
  for (const [at, number] of numbers.entries()) {
    const isFull = left <= 0 && number !== numbers[at - 1];
    if (isFull) left = partRows;
    if (isFull || at === 0) files.push(0);
    files.push((files.pop() ?? 0) + 1);
    left -= 1;
  }
  return files;
}

/** How many rows each number has, from 1 on. */
const counts = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 20, maxLength: 60, size: 'max' });

test('several readers give the pages of one, wherever files end and reading begins', async () => {
  const start = fc.record({
    afterKey: fc.integer({ min: 0, max: 10 }),
    partRows: fc.integer({ min: 1, max: 30 }),
    rowsInPart: fc.integer({ min: 0, max: 30 }),
  });
  await fc.assert(
    fc.asyncProperty(counts, start, async (found, at) => {
      const rows = found.flatMap((count, index) =>
        Array.from({ length: count }, (_, which) => ({ number: index + 1, name: `${which},` })),
      );
      await clients[0]?.query('TRUNCATE thing');
      await clients[0]?.query(
        'INSERT INTO thing SELECT * FROM json_to_recordset($1) AS x (number bigint, name text)',
        [JSON.stringify(rows)],
      );
      const alone = await read(1, found.length, rows.length, at);
      expect(await read(2, found.length, rows.length, at)).toEqual(alone);
      expect(await read(3, found.length, rows.length, at)).toEqual(alone);

      const behind = rows.filter(({ number }) => number > at.afterKey);
      const sum = behind.reduce((total, { number }) => total + number, 0);
      const sums = new ColumnSums(COLUMNS);
      for (const { content } of alone) sums.add(content);
      expect(sums.totals()).toEqual({ number: String(sum) });
      expect(filesOf(alone)).toEqual(
        cut(
          behind.map(({ number }) => number),
          at,
        ),
      );
    }),
    { numRuns: 60 },
  );
});
