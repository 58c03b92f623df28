import fc from 'fast-check';
import { parquetMetadata } from 'hyparquet';
import type { ExportColumn } from '../columns.ts';
import { createEncoder } from './create-encoder.ts';

const COLUMNS: readonly ExportColumn[] = [
  { name: 'number', type: 'int64' },
  { name: 'name', type: 'text' },
  { name: 'note', type: 'text', nullable: true },
  { name: 'status', type: 'int32' },
  { name: 'corrects', type: 'int64', nullable: true },
  { name: 'amount_usd', type: 'usd' },
];

// Of longer texts the file tells a beginning.
const text = fc.string({ unit: 'binary', maxLength: 4 });
const whole = (max: bigint) => fc.bigInt({ min: -max, max }).map(String);
const row = fc.tuple(
  whole(2n ** 62n),
  text,
  fc.option(text, { nil: null }),
  whole(2n ** 31n - 1n),
  fc.option(whole(3n), { nil: null }),
  whole(10n ** 15n),
);

const order = (one: unknown, other: unknown): number =>
  typeof one === 'number'
    ? one - Number(other)
    : typeof one === 'string'
      ? Buffer.compare(Buffer.from(one), Buffer.from(String(other)))
      : Number(BigInt(one as bigint) - BigInt(other as bigint));
const toText = (found: string) => found.toWellFormed();
/** As hyparquet shows it. */
const toUsd = (found: string) => Number(found) * 10 ** -12;
const READERS: readonly ((found: string) => unknown)[] = [BigInt, toText, toText, Number, BigInt, toUsd];

test('a row group tells the least and the greatest value of each column, and how many rows have none', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 30 }), (rows) => {
      const encoder = createEncoder('parquet', COLUMNS);
      const file = Buffer.concat([encoder.encode({ rows }, rows.length), encoder.finish()]);
      const [group] = parquetMetadata(Uint8Array.from(file).buffer).row_groups;
      for (const [place, read] of READERS.entries()) {
        const values = rows.map((each) => each[place]).filter((value) => typeof value === 'string');
        const sorted = values.map(read).sort(order);
        expect(group?.columns[place]?.meta_data?.statistics).toMatchObject({
          null_count: BigInt(rows.length - values.length),
          ...(sorted.length === 0 ? {} : { min_value: sorted[0], max_value: sorted.at(-1) }),
        });
      }
    }),
    { numRuns: 300 },
  );
});
