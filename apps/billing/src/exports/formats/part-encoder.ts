import type { ExportFormat } from '@tollgate/api';
import type { ExportColumn, Row } from '../columns.ts';
import { CsvEncoder } from './csv.ts';
import { JsonlEncoder } from './jsonl.ts';
import { ParquetEncoder } from './parquet.ts';

/** Turns the rows of one file into its bytes. The same rows give the same bytes, however they are handed over. */
export interface PartEncoder {
  /** The bytes that are ready so far. */
  encode(rows: readonly Row[]): Uint8Array;
  /** The rest of the file. */
  finish(): Uint8Array;
}

export function createEncoder(format: ExportFormat, columns: readonly ExportColumn[]): PartEncoder {
  switch (format) {
    case 'csv':
      return new CsvEncoder(columns);
    case 'jsonl':
      return new JsonlEncoder(columns);
    case 'parquet':
      return new ParquetEncoder(columns);
  }
}
