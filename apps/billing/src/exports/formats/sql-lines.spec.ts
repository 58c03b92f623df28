// Rows of any texts and amounts are written by the database and by the encoders: the bytes are the same.
import { createTestDatabase, type TestDatabase } from '@tollgate/harness';
import fc from 'fast-check';
import { Client } from 'pg';
import type { ExportColumn, Row, SqlColumn } from '../columns.ts';
import { createEncoder } from './create-encoder.ts';
import { toCsvLines } from './csv.ts';
import { csvLine, EMPTY_TEXT, FIELD_END, fieldsLine, jsonLine, ROW_END } from './sql-lines.ts';

let database: TestDatabase;
let client: Client;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.url, options: '-c timezone=UTC -c datestyle=ISO' });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const TYPED: readonly (ExportColumn & { readonly of: string })[] = [
  { name: 'number', type: 'int64', of: 'int8' },
  { name: 'at', type: 'timestamp', of: 'timestamptz' },
  { name: 'code', type: 'text', of: 'text' },
  { name: 'name', type: 'text', free: true, of: 'text' },
  { name: 'note', type: 'text', nullable: true, free: true, of: 'text' },
  { name: 'yes', type: 'boolean', of: 'boolean' },
  { name: 'status', type: 'int32', of: 'int4' },
  { name: 'cost_usd', type: 'usd', of: 'numeric(38, 0)' },
  { name: 'upstream_usd', type: 'usd', nullable: true, of: 'numeric(38, 0)' },
  { name: 'corrects', type: 'int64', nullable: true, of: 'int8' },
];
const COLUMNS: readonly SqlColumn[] = TYPED.map((column, place) => ({ ...column, sql: `c${place}` }));

const max = 10n ** 38n - 1n;
const digits = (from: bigint, to: bigint) => fc.bigInt({ min: from, max: to }).map(String);
const withoutNul = (text: string): string => text.replaceAll('\0', '').toWellFormed();
/** What a spreadsheet or a parser may stumble over, at the places where it would. */
const free = fc.oneof(
  fc.string({ unit: 'binary' }).map(withoutNul),
  fc.string({
    unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '"', ',', '\x1f', '\\', '＝', '－', 'a', "'"),
  }),
);
const row: fc.Arbitrary<Row> = fc.tuple(
  digits(0n, 2n ** 62n),
  fc.date({ min: new Date('1970-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }).map((date) =>
    date
      .toISOString()
      .replace('T', ' ')
      .replace(/\.?0*Z$/, '+00'),
  ),
  fc.constantFrom('completed', '0.9', 'openai-chat'),
  free,
  fc.option(free, { nil: null }),
  fc.constantFrom('t', 'f'),
  fc.integer().map(String),
  digits(-max, max),
  fc.option(digits(-(10n ** 14n), 10n ** 14n), { nil: null }),
  fc.option(digits(1n, 2n ** 62n), { nil: null }),
);

/** What PostgreSQL makes of rows. */
async function write(line: (columns: readonly SqlColumn[]) => string, rows: readonly Row[]): Promise<string> {
  const parameters = TYPED.map(({ of }, place) => `unnest($${place + 1}::text[])::${of} AS c${place}`);
  const query = `SELECT string_agg(${line(COLUMNS)}, '' ORDER BY place) AS text
    FROM (SELECT ${parameters.join(', ')}, generate_series(1, $${COLUMNS.length + 1}::int) AS place) AS page`;
  const values = COLUMNS.map((_, place) => rows.map((each) => each[place]));
  const { rows: found } = await client.query<{ text: string }>(query, [...values, rows.length]);
  return found[0]?.text ?? '';
}

/** What the encoder makes of them, without a header. */
function encode(format: 'csv' | 'jsonl', rows: readonly Row[]): string {
  const text = Buffer.from(createEncoder(format, COLUMNS).encode({ rows }, rows.length)).toString();
  return format === 'csv' ? text.slice(text.indexOf('\r\n') + 2) : text;
}

test.each([
  ['csv', csvLine],
  ['jsonl', jsonLine],
] as const)('lines of %s that the database writes are those of the encoder', (format, line) =>
  fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 40 }), async (rows) => {
      expect(await write(line, rows)).toBe(encode(format, rows));
    }),
    { numRuns: 60 },
  ),
);

const SIGNS = [FIELD_END, ROW_END.charAt(0), EMPTY_TEXT];

test('lines of CSV of fields that the database has written are those of the encoder, unless a text has a sign', async () => {
  let known = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 6 }), async (rows) => {
      const lines = toCsvLines(await write(fieldsLine, rows), COLUMNS, rows.length);
      const hasSign = rows.some((each) =>
        each.slice(3, 5).some((text) => text === '' || SIGNS.some((sign) => text?.includes(sign))),
      );
      expect(lines && Buffer.from(lines).toString()).toBe(hasSign ? undefined : encode('csv', rows));
      if (lines !== undefined) known += 1;
    }),
    { numRuns: 300 },
  );
  expect(known).toBeGreaterThan(50);
});
