import { type ExportColumn, shownAs } from '../columns.ts';
import { LineEncoder } from './line-encoder.ts';
import type { EncoderStart, PartEncoder } from './part-encoder.ts';
import type { LineDialect } from './tuple-lines.ts';

const [FIRST_PRINTABLE, QUOTE, BACKSLASH] = [0x20, 0x22, 0x5c] as const;

/** An object a line. Whole numbers are numbers; amounts and decimals are texts, which nothing rounds. */
export function jsonlEncoder(columns: readonly ExportColumn[], start?: EncoderStart): PartEncoder {
  const dialect: LineDialect = {
    before: columns.map(({ name }, place) => `${place === 0 ? '{' : ','}${JSON.stringify(name)}:`),
    end: '}\n',
    none: 'null',
    quote: '"',
    textQuote: '"',
    needsCare: (byte) => byte < FIRST_PRINTABLE || byte === QUOTE || byte === BACKSLASH,
    needsCareFirst: () => false,
    careful: (text) => JSON.stringify(text),
  };
  return new LineEncoder('', { columns, dialect, toShown }, start);
}

function toShown(column: ExportColumn): (value: string) => string {
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
