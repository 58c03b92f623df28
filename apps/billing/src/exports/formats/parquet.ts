import { deserialize, serialize } from 'node:v8';
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { type ExportColumn, USD_SCALE } from '../columns.ts';
import type { PageContent } from '../sources/source.ts';
import { type ColumnBuffer, columnBuffer } from './column-buffer.ts';
import type { EncoderStart, PartEncoder } from './part-encoder.ts';

/** Rows that are held in memory until they are written. */
export const ROW_GROUP_ROWS = 8_192;
export const PARQUET_CREATED_BY = 'tollgate-billing (hyparquet-writer)';

/** What the end of a file says of the row groups before it. */
type Groups = Pick<ParquetWriter, 'row_groups' | 'num_rows' | 'pendingIndexes'> & { readonly offset: number };

/** Parquet, snappy-compressed, in row groups of a fixed size. Amounts are DECIMAL(38, 12), times microseconds in UTC. */
export class ParquetEncoder implements PartEncoder {
  readonly #columns: readonly { readonly name: string; readonly buffer: ColumnBuffer }[];
  readonly #bytes = new ByteWriter(1 << 20);
  readonly #file: ParquetWriter;
  /** Rows that wait for their group. */
  #rows = 0;
  #rowsOut: number;
  #skip: number;

  constructor(columns: readonly ExportColumn[], start?: EncoderStart) {
    this.#columns = columns.map((column) => ({
      name: column.name,
      buffer: columnBuffer(column, ROW_GROUP_ROWS),
    }));
    this.#file = new ParquetWriter({
      writer: this.#bytes,
      schema: [{ name: 'root', num_children: columns.length }, ...columns.map(elementOf)],
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
      const end = Math.min(rows, begin + ROW_GROUP_ROWS - this.#rows);
      for (const [index, { buffer }] of this.#columns.entries()) pushTo(buffer, content, index, begin, end);
      this.#rows += end - begin;
      begin = end;
      if (this.#rows === ROW_GROUP_ROWS) this.#writeGroup();
    }
    return this.#taken();
  }

  finish(): Uint8Array {
    if (this.#rows > 0) this.#writeGroup();
    void this.#file.finish();
    return this.#taken();
  }

  state(): Uint8Array {
    const { row_groups, num_rows, pendingIndexes } = this.#file;
    return serialize({ row_groups, num_rows, pendingIndexes, offset: this.#bytes.offset } satisfies Groups);
  }

  #writeGroup(): void {
    const taken = this.#columns.map(({ name, buffer }) => ({ name, ...buffer.take() }));
    const columnData = taken.map(({ name, values: data }) => ({ name, data }));
    void this.#file.write({ columnData, rowGroupSize: ROW_GROUP_ROWS });
    for (const [index, { meta_data }] of this.#file.row_groups.at(-1)?.columns.entries() ?? [])
      if (meta_data) Object.assign(meta_data, { statistics: taken[index]?.statistics });
    this.#rowsOut += this.#rows;
    this.#rows = 0;
  }

  #taken(): Uint8Array {
    const taken = Buffer.from(this.#bytes.getBytes());
    this.#bytes.index = 0;
    return taken;
  }
}

function pushTo(
  buffer: ColumnBuffer,
  content: PageContent,
  column: number,
  begin: number,
  end: number,
): void {
  if ('rows' in content) for (let row = begin; row < end; row += 1) buffer.push(content.rows[row]?.[column]);
  else
    for (let row = begin; row < end; row += 1)
      buffer.pushField(content.tuples.bytes, content.tuples.startOf(row, column));
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
