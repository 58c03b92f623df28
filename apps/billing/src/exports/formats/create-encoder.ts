import type { ExportFormat } from '@tollgate/api';
import type { ExportColumn } from '../columns.ts';
import { csvEncoder } from './csv.ts';
import { jsonlEncoder } from './jsonl.ts';
import { ParquetEncoder } from './parquet.ts';
import type { EncoderStart, PartEncoder } from './part-encoder.ts';

/** @param start where it goes on behind bytes that are there. */
export function createEncoder(
  format: ExportFormat,
  columns: readonly ExportColumn[],
  start?: EncoderStart,
): PartEncoder {
  switch (format) {
    case 'csv':
      return csvEncoder(columns, start);
    case 'jsonl':
      return jsonlEncoder(columns, start);
    case 'parquet':
      return new ParquetEncoder(columns, start);
  }
}
