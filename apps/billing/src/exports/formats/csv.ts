import { type ExportColumn, type Row, shownAs } from '../columns.ts';
import { LineEncoder } from './line-encoder.ts';
import type { EncoderStart, PartEncoder } from './part-encoder.ts';
import { EMPTY_TEXT, FIELD_END, ROW_END } from './sql-lines.ts';

const NEEDS_QUOTES = /[",\r\n]/;
/** What spreadsheets take for the beginning of a formula; those of East Asia read the full-width signs, too. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * RFC 4180 with a header. Rows that the database has not written as lines already are written by hand, because
 * csv-stringify, at 58,000 rows of 34 columns a second, took longer than reading them; here only texts are looked through
 * for what must be quoted.
 */
export function csvEncoder(columns: readonly ExportColumn[], start?: EncoderStart): PartEncoder {
  const fields = columns.map(fieldOf);
  const header = `${columns.map(({ name }) => quoted(name)).join(',')}\r\n`;
  const lines = (rows: readonly Row[]): string => {
    let text = '';
    for (const row of rows) {
      for (let column = 0; column < fields.length; column += 1) {
        const value = row[column];
        if (column > 0) text += ',';
        if (value !== null && value !== undefined) text += fields[column]?.(value) ?? '';
      }
      text += '\r\n';
    }
    return text;
  };
  return new LineEncoder(header, lines, start);
}

/** A text may need quotes or an apostrophe: it has what those are for, or a field begins like a formula. */
const NEEDS_CARE = new RegExp(
  `[",\\r]|[^${ROW_END.charAt(0)}]\\n|${FIELD_END}[=+\\-@\\t\\n\\uff1d\\uff0b\\uff0d\\uff20]`,
);

/**
 * Rows whose fields the database has written with signs between them, as lines of CSV; undefined where a text has one of the
 * signs, so that it is not known what its row is. Signs are changed in place: to replace them in a text takes ten times as long.
 */
export function toCsvLines(
  text: string,
  columns: readonly Pick<ExportColumn, 'free'>[],
  rows: number,
): Uint8Array | undefined {
  const bytes = Buffer.from(NEEDS_CARE.test(text) ? withCare(text, columns) : text);
  let [found, fields] = [0, 1];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === FIELD_SIGN) {
      bytes[at] = COMMA;
      fields += 1;
    } else if (byte === ROW_SIGN) {
      if (fields !== columns.length) return undefined;
      bytes[at] = CARRIAGE_RETURN;
      found += 1;
      fields = 1;
    } else if (byte === EMPTY_SIGN) return undefined;
  }
  return found === rows ? bytes : undefined;
}

const [FIELD_SIGN, ROW_SIGN, EMPTY_SIGN] = [FIELD_END, ROW_END, EMPTY_TEXT].map((sign) => sign.charCodeAt(0));
const [COMMA, CARRIAGE_RETURN] = [0x2c, 0x0d];

function withCare(text: string, columns: readonly Pick<ExportColumn, 'free'>[]): string {
  const toCell = (field: string, place: number): string =>
    columns[place]?.free && field !== '' && field !== EMPTY_TEXT ? freeTextCell(field) : field;
  const lines = text.split(ROW_END);
  for (const [at, line] of lines.entries())
    if (NEEDS_CARE.test(line)) lines[at] = line.split(FIELD_END).map(toCell).join(FIELD_END);
  return lines.join(ROW_END);
}

function fieldOf(column: ExportColumn): (value: string) => string {
  if (column.type === 'text') return column.free ? freeTextCell : quoted;
  return (value) => shownAs(column, value);
}

/** An empty text is quoted, so that it is not taken for null. */
const quoted = (value: string): string =>
  value === '' || NEEDS_QUOTES.test(value) ? `"${value.replaceAll('"', '""')}"` : value;

/** A text that people chose, as a field of CSV. */
export const freeTextCell = (value: string): string => quoted(harmless(value));

/** A text that a spreadsheet would calculate is shown with an apostrophe before it. */
export const harmless = (value: string): string => (FORMULA.test(value) ? `'${value}` : value);
