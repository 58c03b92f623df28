import { type ExportColumn, type Row, shownAs } from '../columns.ts';
import { LineEncoder } from './line-encoder.ts';
import type { EncoderStart, PartEncoder } from './part-encoder.ts';
import type { LineDialect } from './tuple-lines.ts';

const [FIRST_PRINTABLE, QUOTE, BACKSLASH] = [0x20, 0x22, 0x5c] as const;

/** An object a line. Whole numbers are numbers; amounts and decimals are texts, which nothing rounds. */
export function jsonlEncoder(columns: readonly ExportColumn[], start?: EncoderStart): PartEncoder {
  const fields = columns.map((column) => ({
    key: `${JSON.stringify(column.name)}:`,
    valueOf: valueOf(column),
  }));
  const lines = (rows: readonly Row[]): string => {
    let text = '';
    for (const row of rows) {
      let separator = '{';
      for (const [index, field] of fields.entries()) {
        const value = row[index];
        text +=
          separator + field.key + (value === null || value === undefined ? 'null' : field.valueOf(value));
        separator = ',';
      }
      text += '}\n';
    }
    return text;
  };
  const dialect: LineDialect = {
    before: fields.map(({ key }, place) => (place === 0 ? '{' : ',') + key),
    end: '}\n',
    none: 'null',
    quote: '"',
    textQuote: '"',
    needsCare: (byte) => byte < FIRST_PRINTABLE || byte === QUOTE || byte === BACKSLASH,
    needsCareFirst: () => false,
    careful: (text) => JSON.stringify(text),
  };
  return new LineEncoder('', { lines, columns, dialect }, start);
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
