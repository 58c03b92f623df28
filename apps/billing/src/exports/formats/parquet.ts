import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { type ExportColumn, type Row, USD_SCALE } from '../columns.ts';
import { type ColumnBuffer, columnBuffer } from './column-buffer.ts';
import type { PartEncoder } from './part-encoder.ts';

/** Rows that are held in memory until they are written. */
export const ROW_GROUP_ROWS = 8_192;
export const PARQUET_CREATED_BY = 'tollgate-billing (hyparquet-writer)';

/** Parquet, snappy-compressed, in row groups of a fixed size. Amounts are DECIMAL(38, 12), times microseconds in UTC. */
export class ParquetEncoder implements PartEncoder {
  readonly #columns: readonly { readonly name: string; readonly buffer: ColumnBuffer }[];
  readonly #bytes = new ByteWriter(1 << 20);
  readonly #file: ParquetWriter;
  #rows = 0;

  constructor(columns: readonly ExportColumn[]) {
    this.#columns = columns.map((column) => ({
      name: column.name,
      buffer: columnBuffer(column, ROW_GROUP_ROWS),
    }));
    this.#file = new ParquetWriter({
      writer: this.#bytes,
      schema: [{ name: 'root', num_children: columns.length }, ...columns.map(elementOf)],
      createdBy: PARQUET_CREATED_BY,
    });
  }

  encode(rows: readonly Row[]): Uint8Array {
    for (let start = 0; start < rows.length;) {
      const end = Math.min(rows.length, start + ROW_GROUP_ROWS - this.#rows);
      for (const [index, { buffer }] of this.#columns.entries())
        for (let row = start; row < end; row += 1) buffer.push(rows[row]?.[index]);
      this.#rows += end - start;
      start = end;
      if (this.#rows === ROW_GROUP_ROWS) this.#writeGroup();
    }
    return this.#taken();
  }

  finish(): Uint8Array {
    if (this.#rows > 0) this.#writeGroup();
    void this.#file.finish();
    return this.#taken();
  }

  #writeGroup(): void {
    const columnData = this.#columns.map(({ name, buffer }) => ({ name, data: buffer.take() }));
    void this.#file.write({ columnData, rowGroupSize: ROW_GROUP_ROWS });
    this.#rows = 0;
  }

  #taken(): Uint8Array {
    const taken = Buffer.from(this.#bytes.getBytes());
    this.#bytes.index = 0;
    return taken;
  }
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
