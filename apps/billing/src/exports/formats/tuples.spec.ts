// Rows of any texts and amounts are written from texts, and as the database sends them: the files are the same.
import fc from 'fast-check';
import { type DatabaseClient, openDatabaseClient } from '../../../testing/database-client.ts';
import { EXPORT_FORMATS } from '@tollgate/api';
import { ColumnSums } from '../column-sums.ts';
import type { ExportColumn, Row, SqlColumn } from '../columns.ts';
import { copyOut } from '../sources/copy-out.ts';
import { pageQuery, withValues } from '../sources/page-query.ts';
import type { PageContent } from '../sources/source.ts';
import { Tuples } from '../tuples.ts';
import { createEncoder } from './create-encoder.ts';

let database: DatabaseClient;
let client: DatabaseClient['client'];
beforeAll(async () => {
  database = await openDatabaseClient();
  ({ client } = database);
});
afterAll(() => database.close());

const TYPED: readonly (ExportColumn & { readonly of: string })[] = [
  { name: 'number', type: 'int64', of: 'int8' },
  { name: 'at', type: 'timestamp', of: 'timestamptz' },
  { name: 'code', type: 'text', of: 'text' },
  { name: 'name', type: 'text', free: true, of: 'text' },
  { name: 'note', type: 'text', nullable: true, free: true, of: 'text' },
  { name: 'account_id', type: 'text', uuid: true, of: 'uuid' },
  { name: 'yes', type: 'boolean', of: 'boolean' },
  { name: 'status', type: 'int32', of: 'int4' },
  { name: 'tokens', type: 'int64', summed: true, of: 'int8' },
  { name: 'cost_usd', type: 'usd', summed: true, of: 'numeric(38, 0)' },
  { name: 'upstream_usd', type: 'usd', nullable: true, summed: true, of: 'numeric(38, 0)' },
  { name: 'corrects', type: 'int64', nullable: true, of: 'int8' },
  { name: 'counted', type: 'int64', nullable: true, summed: true, of: 'int8' },
];
const COLUMNS: readonly SqlColumn[] = TYPED.map((column, place) => ({ ...column, sql: `c${place}` }));

const max = 10n ** 38n - 1n;
const digits = (from: bigint, to: bigint) => fc.bigInt({ min: from, max: to }).map(String);
const amount = fc.oneof(
  digits(-max, max),
  digits(-20_000n, 20_000n),
  digits(0n, 10n ** 14n),
  fc.nat(37).map((zeros) => `1${'0'.repeat(zeros)}`),
  // At what JavaScript has exactly, and where the database's groups of four digits begin.
  fc
    .tuple(
      fc.constantFrom(2n ** 53n, 2n ** 63n, 2n ** 64n, 10n ** 12n, 10n ** 16n),
      fc.bigInt({ min: -3n, max: 3n }),
    )
    .map(([edge, beside]) => String(edge + beside)),
);
const withoutNul = (text: string): string => text.replaceAll('\0', '').toWellFormed();
/** What a spreadsheet or a parser may stumble over, at the places where it would. */
const free = fc.oneof(
  fc.string({ unit: 'binary' }).map(withoutNul),
  fc.string({
    unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '"', ',', '\x1f', '\\', '＝', '－', 'a', "'"),
  }),
  // Short texts are copied byte by byte, and the first buffers have room for them.
  fc
    .tuple(fc.constantFrom('a', 'é', '＝', '😀', '"', '\x01'), fc.integer({ min: 1, max: 5_000 }))
    .map(([sign, times]) => sign.repeat(times)),
);
const [FIRST, LAST] = [new Date('0001-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59.999Z')];
const row: fc.Arbitrary<Row> = fc.tuple(
  digits(1n, 2n ** 62n),
  fc
    .tuple(
      fc.oneof(
        fc.date({ min: new Date('1890-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }),
        fc.date({ min: FIRST, max: LAST, noInvalidDate: true }),
      ),
      fc.nat(999),
    )
    .map(([date, micros]) =>
      `${date.toISOString().replace('T', ' ').slice(0, -1)}${String(micros).padStart(3, '0')}`
        .replace(/\.?0{1,6}$/, '')

        .concat('+00'),
    ),
  free,
  free,
  fc.option(free, { nil: null }),
  fc.uuid(),
  fc.constantFrom('t', 'f'),
  fc.integer().map(String),
  fc.oneof(fc.constant('0'), digits(-(2n ** 63n), 2n ** 63n - 1n), digits(0n, 2n ** 33n)),
  amount,
  fc.option(amount, { nil: null }),
  fc.option(digits(-(2n ** 40n), 2n ** 62n), { nil: null }),
  fc.option(fc.oneof(fc.constant('0'), digits(0n, 3n)), { nil: null }),
);

async function send(rows: readonly Row[]): Promise<PageContent> {
  await client.query('DROP TABLE IF EXISTS thing');
  const definitions = TYPED.map(({ of }, place) => `c${place} ${of}`).join(', ');
  await client.query(`CREATE TABLE thing (place int, ${definitions})`);
  const parameters = TYPED.map(({ of }, place) => `unnest($${place + 1}::text[])::${of}`);
  await client.query(
    `INSERT INTO thing SELECT generate_series(1, $${COLUMNS.length + 1}::int), ${parameters.join(', ')}`,
    [...COLUMNS.map((_, place) => rows.map((each) => each[place])), rows.length],
  );
  const query = pageQuery({
    columns: COLUMNS,
    from: 'FROM thing WHERE place BETWEEN $1 AND $2',
    number: 'place',
    values: [],
    numbersAtOnce: rows.length,
  });
  const copied = await copyOut(client, withValues(query, [1, rows.length, rows.length]), 16);
  return { tuples: new Tuples(copied, COLUMNS.length) };
}

test('files and sums of rows as the database sends them are those of their texts', () =>
  fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 40 }), async (rows) => {
      const sent = await send(rows);
      for (const format of EXPORT_FORMATS) {
        const [one, other] = [{ rows }, sent].map((content) => {
          const encoder = createEncoder(format, COLUMNS);
          return Buffer.concat([encoder.encode(content, rows.length), encoder.finish()]);
        });
        expect(other?.toString('latin1')).toBe(one?.toString('latin1'));
      }
      const [one, other] = [{ rows }, sent].map((content) => {
        const sums = new ColumnSums(COLUMNS);
        sums.add(content);
        return sums.totals();
      });
      expect(other).toEqual(one);
    }),
    { numRuns: 100 },
  ));

const rowAt = (time: string): Row => [
  ...[
    '1',
    time,
    'c',
    'n',
    null,
    '0198f1c2-7d1e-7000-9000-000000000001',
    't',
    '200',
    '0',
    '1',
    null,
    null,
    null,
  ],
];
const fileAt = (content: PageContent, format: (typeof EXPORT_FORMATS)[number]): string => {
  const encoder = createEncoder(format, COLUMNS);
  return Buffer.concat([encoder.encode(content, 1), encoder.finish()]).toString('latin1');
};

// What is more than 2^53 microseconds from 1970 is not a whole number that JavaScript has exactly.
test.each([
  '0001-01-01 00:00:00+00',
  '0001-01-01 00:00:00.000001+00',
  '1684-07-28 00:12:25.259008+00',
  '1684-07-28 00:12:25.259007+00',
  '1969-12-31 23:59:59.999999+00',
  '1970-01-01 00:00:00+00',
  '1999-12-31 23:59:59.999999+00',
  '2000-01-01 00:00:00+00',
  '2255-06-05 23:47:34.740991+00',
  '2255-06-05 23:47:34.740992+00',
  '2255-06-05 23:47:34.740993+00',
  '2286-11-20 17:46:39.999999+00',
  '9999-12-30 23:59:59.999999+00',
  '9999-12-31 00:00:00+00',
  '9999-12-31 00:00:00.000001+00',
  '9999-12-31 23:59:59.999999+00',
])('every format has the time %s exactly', async (time) => {
  const sent = await send([rowAt(time)]);
  for (const format of EXPORT_FORMATS)
    expect(fileAt(sent, format)).toBe(fileAt({ rows: [rowAt(time)] }, format));
  expect(fileAt(sent, 'jsonl')).toContain(`"at":"${time.replace(' ', 'T').replace('+00', 'Z')}"`);
});

test.each(['10000-01-01 00:00:00+00', '0001-12-31 23:59:59.999999+00 BC', 'infinity', '-infinity'])(
  'no format has the time %s: it is refused',
  async (time) => {
    const sent = await send([rowAt(time)]);
    for (const format of EXPORT_FORMATS)
      expect(() => fileAt(sent, format)).toThrow('a time of a row is not of the years 1 to 9999');
  },
);
