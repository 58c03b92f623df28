import { type ExportColumn, type Row, shownAs } from '../columns.ts';
import type { PartEncoder } from './part-encoder.ts';

/** An object a line. Whole numbers are numbers; amounts and decimals are texts, which nothing rounds. */
export class JsonlEncoder implements PartEncoder {
  readonly #columns: readonly { readonly key: string; readonly valueOf: (value: string) => string }[];

  constructor(columns: readonly ExportColumn[]) {
    this.#columns = columns.map((column) => ({
      key: `${JSON.stringify(column.name)}:`,
      valueOf: valueOf(column),
    }));
  }

  encode(rows: readonly Row[]): Uint8Array {
    let text = '';
    for (const row of rows) {
      let separator = '{';
      for (const [index, { key, valueOf }] of this.#columns.entries()) {
        const value = row[index];
        text += separator + key + (value === null || value === undefined ? 'null' : valueOf(value));
        separator = ',';
      }
      text += '}\n';
    }
    return Buffer.from(text);
  }

  finish(): Uint8Array {
    return new Uint8Array();
  }
}

function valueOf(column: ExportColumn): (value: string) => string {
  switch (column.type) {
    case 'int32':
    case 'int64':
    case 'boolean':
      return (value) => shownAs(column, value);
    case 'text':
      return (value) => JSON.stringify(value);
    default:
      return (value) => `"${shownAs(column, value)}"`;
  }
}
