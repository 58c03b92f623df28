import { deserialize, serialize } from 'node:v8';
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { type ExportColumn, USD_SCALE } from '../columns.ts';
import type { PageContent } from '../sources/source.ts';
import { ParquetColumn } from './parquet-column.ts';
import type { EncoderStart, PartEncoder } from './part-encoder.ts';

/** Rows that are held in memory until they are written. */
export const ROW_GROUP_ROWS = 8_192;
/** Rows that are looked through column by column: so many are in the caches of a core. */
const ROWS_AT_ONCE = 128;
export const PARQUET_CREATED_BY = 'tollgate-billing (hyparquet-writer)';

/** What the end of a file says of the row groups before it. */
type Groups = Pick<ParquetWriter, 'row_groups' | 'num_rows' | 'pendingIndexes'> & { readonly offset: number };

/** Parquet, compressed by Zstandard, in row groups of a fixed size. Amounts are DECIMAL(38, 12), times microseconds in UTC. */
export class ParquetEncoder implements PartEncoder {
  readonly #columns: readonly ParquetColumn[];
  readonly #bytes = new ByteWriter(1 << 20);
  readonly #file: ParquetWriter;
  /** Rows that wait for their group. */
  #rows = 0;
  #rowsOut: number;
  #skip: number;

  constructor(columns: readonly ExportColumn[], start?: EncoderStart) {
    const schema = columns.map(elementOf);
    this.#columns = columns.map(
      (column, place) => new ParquetColumn(column, schema[place]?.type ?? 'BYTE_ARRAY', ROW_GROUP_ROWS),
    );
    this.#file = new ParquetWriter({
      writer: this.#bytes,
      schema: [{ name: 'root', num_children: columns.length }, ...schema],
      // They are told by the columns.
      statistics: false,
      createdBy: PARQUET_CREATED_BY,
    });
    this.#rowsOut = start?.rowsOut ?? 0;
    this.#skip = start?.skip ?? 0;
    if (!start) return;
    const { offset, ...groups } = deserialize(start.state) as Groups;
    Object.assign(this.#file, groups);
    this.#bytes.offset = offset;
    this.#bytes.index = 0;
  }

  get rowsOut(): number {
    return this.#rowsOut;
  }

  encode(content: PageContent, rows: number): Uint8Array {
    let begin = Math.min(this.#skip, rows);
    this.#skip -= begin;
    while (begin < rows) {
      const end = Math.min(rows, begin + ROWS_AT_ONCE, begin + ROW_GROUP_ROWS - this.#rows);
      for (const [index, column] of this.#columns.entries())
        if ('rows' in content) column.pushTexts(content.rows, index, begin, end);
        else column.pushTuples(content.tuples, index, begin, end);
      this.#rows += end - begin;
      begin = end;
      if (this.#rows === ROW_GROUP_ROWS) this.#writeGroup();
    }
    return this.#taken();
  }

  finish(): Uint8Array {
    if (this.#rows > 0) this.#writeGroup();
    void this.#file.finish();
    const rest = this.#taken();
    return this.#file.row_groups.length === 0 ? withTypeOfGroups(rest) : rest;
  }

  state(): Uint8Array {
    const { row_groups, num_rows, pendingIndexes } = this.#file;
    return serialize({ row_groups, num_rows, pendingIndexes, offset: this.#bytes.offset } satisfies Groups);
  }

  #writeGroup(): void {
    const offset = this.#bytes.offset;
    const columns = this.#columns.map((column) => column.write(this.#bytes));
    const total_byte_size = columns.reduce(
      (sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n),
      0n,
    );
    const num_rows = BigInt(this.#rows);
    const total_compressed_size = BigInt(this.#bytes.offset - offset);
    this.#file.row_groups.push({ columns, total_byte_size, num_rows, total_compressed_size });
    this.#file.num_rows += num_rows;
    this.#rowsOut += this.#rows;
    this.#rows = 0;
  }

  #taken(): Buffer {
    const taken = Buffer.from(this.#bytes.getBytes());
    this.#bytes.index = 0;
    return taken;
  }
}

/** No rows, and a list of no row groups, as Thrift's compact protocol has them. */
const NO_ROWS = [0x16, 0] as const;
const [LIST, STRUCT] = [0x19, 0x0c] as const;

/** hyparquet-writer does not say of what a list without elements is one: arrow-rs refuses a file whose row groups are no structs. */
function withTypeOfGroups(end: Buffer): Buffer {
  const at = end.lastIndexOf(Buffer.from([...NO_ROWS, LIST, 0]));
  if (at >= 0) end[at + NO_ROWS.length + 1] = STRUCT;
  return end;
}

function elementOf({ name, type, nullable, scale }: ExportColumn): SchemaElement {
  const repetition_type = nullable ? 'OPTIONAL' : 'REQUIRED';
  switch (type) {
    case 'text':
      return {
        name,
        type: 'BYTE_ARRAY',
        converted_type: 'UTF8',
        logical_type: { type: 'STRING' },
        repetition_type,
      };
    case 'int32':
      return { name, type: 'INT32', repetition_type };
    case 'int64':
      return { name, type: 'INT64', repetition_type };
    case 'boolean':
      return { name, type: 'BOOLEAN', repetition_type };
    case 'timestamp':
      return {
        name,
        type: 'INT64',
        converted_type: 'TIMESTAMP_MICROS',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
        repetition_type,
      };
    case 'usd':
    case 'decimal': {
      const places = type === 'usd' ? USD_SCALE : (scale ?? 0);
      return {
        name,
        type: 'FIXED_LEN_BYTE_ARRAY',
        type_length: 16,
        converted_type: 'DECIMAL',
        logical_type: { type: 'DECIMAL', precision: 38, scale: places },
        precision: 38,
        scale: places,
        repetition_type,
      };
    }
  }
}
