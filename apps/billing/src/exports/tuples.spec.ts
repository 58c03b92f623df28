// What is not as the database was asked to send it ends an export: nothing is written for it that looks like a value.
import { EXPORT_FORMATS } from '@tollgate/api';
import { type DatabaseClient, openDatabaseClient } from '../../testing/database-client.ts';
import { ColumnSums } from './column-sums.ts';
import type { ExportColumn } from './columns.ts';
import { createEncoder } from './formats/create-encoder.ts';
import { copyOut } from './sources/copy-out.ts';
import { Tuples } from './tuples.ts';

let database: DatabaseClient;
let client: DatabaseClient['client'];
beforeAll(async () => {
  database = await openDatabaseClient();
  ({ client } = database);
});
afterAll(() => database.close());

const copy = (query: string) => copyOut(client, `COPY (${query}) TO STDOUT (FORMAT binary)`);
/** What the database sends of one row, with the row as often as that. */
function repeatRow({ bytes }: { readonly bytes: Buffer }, rows: number): Buffer {
  const [header, row, end] = [bytes.subarray(0, 19), bytes.subarray(19, -2), bytes.subarray(-2)];
  return Buffer.concat([header, Buffer.alloc(row.length * rows, row), end]);
}
const send = async (value: string) => ({ tuples: new Tuples(await copy(`SELECT ${value}`), 1) });

test('rows of other columns, and bytes that are not all of so many rows, are refused', async () => {
  const { bytes, rows } = await copy('SELECT n, n FROM generate_series(1, 3) n');
  expect(new Tuples({ bytes, rows }, 2).starts).toHaveLength(6);
  const END_BYTES = 2;
  const more = Buffer.concat([bytes, Buffer.from([0])]);
  const endless = Buffer.concat([bytes.subarray(0, -END_BYTES), Buffer.from([0, 0])]);
  const refused = [
    [() => new Tuples({ bytes, rows }, 1), 'other columns'],
    [() => new Tuples({ bytes, rows }, 4), 'other columns'],
    [() => new Tuples({ bytes, rows: rows - 1 }, 2), 'no 2 rows'],
    [() => new Tuples({ bytes: more, rows }, 2), 'no 3 rows'],
    [() => new Tuples({ bytes: endless, rows }, 2), 'no 3 rows'],
    [() => new Tuples({ bytes, rows: rows + 1 }, 2), undefined],
    [() => new Tuples({ bytes: bytes.subarray(0, -END_BYTES), rows }, 2), undefined],
    [() => new Tuples({ bytes: bytes.subarray(0, 30), rows }, 2), undefined],
    [() => new Tuples({ bytes, rows: Number.NaN }, 2), 'no NaN rows'],
  ] as const;
  for (const [read, message] of refused) expect(read).toThrow(message);
});

const USD: readonly ExportColumn[] = [{ name: 'cost_usd', type: 'usd', summed: true }];

test.each(['NaN', 'Infinity', '-Infinity', '1.5', '-10000.5', '0.0001', '100000000.00000001'])(
  'the amount %s is no whole number of pico-USD: no format writes it, and no sum has it',
  async (amount) => {
    const sent = await send(`'${amount}'::numeric`);
    for (const format of EXPORT_FORMATS)
      expect(() => createEncoder(format, USD).encode(sent, 1)).toThrow('no whole number of pico-USD');
    expect(() => new ColumnSums(USD).add(sent)).toThrow('no whole number of pico-USD');
  },
);

test.each(['0.00', '-0', '7.000', '1e37', '-99999999999999999999999999999999999999'])(
  'the amount %s is a whole number, however it is written',
  async (amount) => {
    const sums = new ColumnSums(USD);
    sums.add(await send(`'${amount}'::numeric`));
    expect(sums.totals()).toEqual({
      cost_usd: String(amount === '1e37' ? 10n ** 37n : BigInt(amount.replace(/\.0+$/, ''))),
    });
  },
);

test('a null where there are none is refused', async () => {
  const sent = await send('NULL::text');
  for (const type of ['text', 'int32', 'int64', 'boolean', 'timestamp', 'usd'] as const)
    for (const format of EXPORT_FORMATS)
      expect(() => createEncoder(format, [{ name: 'a', type }]).encode(sent, 1)).toThrow('no nulls');
});

test('counts of more rows than their halves can be added up of are refused', async () => {
  const rows = 2 ** 21 + 1;
  const tuples = new Tuples({ bytes: repeatRow(await copy('SELECT 1::bigint'), rows), rows }, 1);
  const sums = new ColumnSums([{ name: 'tokens', type: 'int64', summed: true }]);
  expect(() => sums.add({ tuples })).toThrow(RangeError);
});
