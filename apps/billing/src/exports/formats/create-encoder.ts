import type { ExportFormat } from '@tollgate/api';
import type { ExportColumn } from '../columns.ts';
import { CsvEncoder } from './csv.ts';
import { JsonlEncoder } from './jsonl.ts';
import { ParquetEncoder } from './parquet.ts';
import type { PartEncoder } from './part-encoder.ts';

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
