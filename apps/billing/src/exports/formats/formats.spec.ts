import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBConnection } from '@duckdb/node-api';
import { parse } from 'csv-parse/sync';
import { EXPORT_FORMATS, type ExportFormat } from '@tollgate/api';
import fc from 'fast-check';
import { parquetMetadata } from 'hyparquet';
import { readParquetRows } from '../../../testing/read-parquet.ts';
import { type ExportColumn, isoTime, toMicros, type Row } from '../columns.ts';
import { harmless } from './csv.ts';
import { PARQUET_CREATED_BY, ROW_GROUP_ROWS } from './parquet.ts';
import { createEncoder } from './create-encoder.ts';
import type { PartEncoder } from './part-encoder.ts';

const COLUMNS: readonly ExportColumn[] = [
  { name: 'number', type: 'int64' },
  { name: 'at', type: 'timestamp' },
  { name: 'name', type: 'text' },
  { name: 'note', type: 'text', nullable: true, free: true },
  { name: 'yes', type: 'boolean' },
  { name: 'status', type: 'int32' },
  { name: 'cost_usd', type: 'usd' },
  { name: 'upstream_usd', type: 'usd', nullable: true },
  { name: 'price', type: 'decimal', scale: 24 },
  { name: 'corrects', type: 'int64', nullable: true },
];

const EPOCH = '1970-01-01 00:00:00+00';

/** As PostgreSQL writes it, in UTC. */
function databaseTime(date: Date, micros: number): string {
  const [day = '', time = ''] = date.toISOString().replace('Z', '').split('T');
  const exact = `${time}${String(micros).padStart(3, '0')}`.replace(/\.?0+$/, '');
  return `${day} ${exact.length < 8 ? time.slice(0, 8) : exact}+00`;
}

const max = 10n ** 38n - 1n;
const digits = (from: bigint, to: bigint) => fc.bigInt({ min: from, max: to }).map(String);
const row: fc.Arbitrary<Row> = fc.tuple(
  digits(0n, 2n ** 62n),
  fc
    .tuple(
      fc.date({ min: new Date('1970-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }),
      fc.nat(999),
    )
    .map(([date, micros]) => databaseTime(date, micros)),
  fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')),
  fc.option(fc.string({ unit: 'grapheme' }), { nil: null }),
  fc.constantFrom('t', 'f'),
  fc.integer().map(String),
  digits(-max, max),
  fc.option(digits(0n, max), { nil: null }),
  digits(0n, max),
  fc.option(digits(1n, 2n ** 62n), { nil: null }),
);

/** The file of rows that are handed over in the given portions. */
function fileOf(format: ExportFormat, rows: readonly Row[], portion = rows.length || 1): Buffer {
  const encoder = createEncoder(format, COLUMNS);
  const chunks: Uint8Array[] = [];
  for (let start = 0; start < rows.length; start += portion)
    chunks.push(Buffer.from(encodeRows(encoder, rows.slice(start, start + portion))));
  return Buffer.concat([...chunks, encoder.finish()]);
}

const encodeRows = (encoder: PartEncoder, rows: readonly Row[]): Uint8Array =>
  encoder.encode({ rows }, rows.length);

const unscaled = (text: string, scale: number): string => {
  const [whole = '', places = ''] = text.split('.');
  return String(
    BigInt(whole.replace('-', '') + places.padEnd(scale, '0')) * (text.startsWith('-') ? -1n : 1n),
  );
};

/** A value as it was read, from how a text format shows it. */
const readBack = ({ type, scale = 12 }: ExportColumn, text: string): string => {
  if (type === 'timestamp') return text.replace('T', ' ').replace('Z', '+00');
  if (type === 'boolean') return text === 'true' ? 't' : 'f';
  return type === 'usd' || type === 'decimal' ? unscaled(text, scale) : text;
};

test('a CSV parser reads back every value, texts that look like formulas apart', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
      const records: string[][] = parse(fileOf('csv', rows), {
        record_delimiter: '\r\n',
        cast: quotedOrNull,
      });
      expect(records[0]).toEqual(COLUMNS.map(({ name }) => name));
      const found = records
        .slice(1)
        .map((record) => record.map((text, index) => readColumn(index, text as string | null)));
      const expected = rows.map((each) =>
        each.map((value, index) => (index === 3 && value !== null ? harmless(value) : value)),
      );
      expect(found).toEqual(expected);
    }),
  );
});

const quotedOrNull = (value: string, { quoting }: { quoting: boolean }): string =>
  value === '' && !quoting ? (null as never) : value;
const readColumn = (index: number, text: string | null): string | null => {
  const column = COLUMNS[index];
  return column && text !== null ? readBack(column, text) : text;
};

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', "'\r=1"],
  ['\n=1', "'\n=1"],
  ['＝1+1', "'＝1+1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠SUM(A1)', "'＠SUM(A1)"],
  ['a=1', 'a=1'],
  ['１', '１'],
  ['', ''],
])('%j is written as %j', (text, written) => {
  expect(harmless(text)).toBe(written);
});

test.each([
  [EPOCH, 0n, '1970-01-01T00:00:00Z'],
  ['2026-11-01 00:00:00.25+00', 1_793_491_200_250_000n, '2026-11-01T00:00:00.25Z'],
  ['2026-11-01 23:59:59.999999+00', 1_793_577_599_999_999n, '2026-11-01T23:59:59.999999Z'],
  ['1969-12-31 23:59:59+00', -1_000_000n, '1969-12-31T23:59:59Z'],
])('the time %s is %i microseconds since 1970', (time, micros, iso) => {
  expect(toMicros(time)).toBe(micros);
  expect(isoTime(time)).toBe(iso);
});

test('amounts below zero stay numbers in CSV', () => {
  const rows = [['1', EPOCH, 'n', '-n', 't', '200', '-1500000000000', null, '0', null]];
  expect(fileOf('csv', rows).toString().split('\r\n')[1]).toBe(
    "1,1970-01-01T00:00:00Z,n,'-n,true,200,-1.50,,0,",
  );
});

test('JSON reads back every value', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
      const lines = fileOf('jsonl', rows).toString().split('\n').slice(0, -1);
      // Whole numbers may have more digits than JavaScript's parser keeps.
      const found = lines.map((line) =>
        Object.values(
          JSON.parse(line, (_key, value: unknown, context?: { source?: string }) =>
            typeof value === 'number' ? context?.source : typeof value === 'boolean' ? String(value) : value,
          ) as Record<string, string | null>,
        ).map((text, index) => readColumn(index, text)),
      );
      expect(found).toEqual(rows);
    }),
  );
});

test('hyparquet reads back every value', async () => {
  const whole = (text: string | null | undefined) => (typeof text === 'string' ? BigInt(text) : null);
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 50 }), async (rows) => {
      const found = await readParquetRows(fileOf('parquet', rows));
      expect(
        found.map((record) =>
          ['number', 'at', 'name', 'note', 'yes', 'status', 'corrects'].map((name) => record[name]),
        ),
      ).toEqual(
        rows.map(([number, at, name, note, yes, status, , , , corrects]) => [
          whole(number),
          toMicros(String(at)),
          name,
          note,
          yes === 't',
          Number(status),
          whole(corrects),
        ]),
      );
    }),
    { numRuns: 50 },
  );
});

test('DuckDB reads the largest and the smallest amounts exactly', async () => {
  const amounts = [max, -max, 1n, -1n, 0n, 2n ** 64n, -(2n ** 63n)].map(String);
  const rows = amounts.map((amount) => ['1', EPOCH, 'n', null, 't', '1', amount, null, '0', null]);
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-parquet-'));
  const path = join(directory, 'amounts.parquet');
  writeFileSync(path, fileOf('parquet', rows));
  const duck = await DuckDBConnection.create();
  const answer = await duck.runAndReadAll(`SELECT cost_usd::text FROM '${path}'`);
  expect(answer.getRowsJson().map(([text]) => unscaled(String(text), 12))).toEqual(amounts);
  const least = await duck.runAndReadAll(`SELECT count(*)::text FROM '${path}' WHERE cost_usd < 0`);
  // Statistics of the file must not leave out amounts below zero.
  expect(least.getRowsJson()).toEqual([['3']]);
  duck.closeSync();
  rmSync(directory, { recursive: true });
});

test.each(EXPORT_FORMATS)(
  '%s goes on behind its first bytes, from a row before their end as well',
  (format) => {
    const rows = Array.from({ length: ROW_GROUP_ROWS + 900 }, (_, at): Row => {
      const digitsOf = String(at);
      return [digitsOf, EPOCH, `n${at % 7}`, null, 't', '1', digitsOf, null, '1', null];
    });
    const whole = fileOf(format, rows);
    const first = createEncoder(format, COLUMNS);
    const before = encodeRows(first, rows.slice(0, ROW_GROUP_ROWS + 100));
    const { rowsOut } = first;
    expect(rowsOut).toBe(format === 'parquet' ? ROW_GROUP_ROWS : ROW_GROUP_ROWS + 100);
    const skip = 50;
    const second = createEncoder(format, COLUMNS, {
      state: first.state(),
      rowsOut,
      skip: format === 'parquet' ? skip : 0,
    });
    const rest = encodeRows(second, rows.slice(format === 'parquet' ? rowsOut - skip : rowsOut));
    expect(Buffer.concat([before, rest, second.finish()]).equals(whole)).toBe(true);
  },
);

test('row groups have a fixed size, and the metadata names no time', () => {
  const rows = Array.from({ length: ROW_GROUP_ROWS * 2 + 5 }, (_, index) => [
    String(index),
    EPOCH,
    'n',
    null,
    't',
    '1',
    '1',
    null,
    '1',
    null,
  ]);
  const metadata = parquetMetadata(Uint8Array.from(fileOf('parquet', rows)).buffer);
  expect(metadata.row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([
    ROW_GROUP_ROWS,
    ROW_GROUP_ROWS,
    5,
  ]);
  expect(metadata.created_by).toBe(PARQUET_CREATED_BY);
  expect(metadata.key_value_metadata ?? []).toEqual([]);
});

test('of a file without rows the list of row groups is one of structs, as strict readers ask', () => {
  const [noRows, list, struct] = [[0x16, 0], 0x19, 0x0c];
  expect(fileOf('parquet', []).includes(Buffer.from([...noRows, list, struct]))).toBe(true);
});

test.each(EXPORT_FORMATS)('%s has the same bytes however its rows are handed over', (format) => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 40 }), fc.integer({ min: 1, max: 40 }), (rows, portion) => {
      expect(fileOf(format, rows, portion).equals(fileOf(format, rows))).toBe(true);
    }),
    { numRuns: 30 },
  );
});
