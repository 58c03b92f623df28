import { type ExportColumn, shownAs } from '../columns.ts';
import { LineEncoder } from './line-encoder.ts';
import type { EncoderStart, PartEncoder } from './part-encoder.ts';
import type { LineDialect } from './tuple-lines.ts';

const NEEDS_QUOTES = /[",\r\n]/;
/** What spreadsheets take for the beginning of a formula; those of East Asia read the full-width signs, too. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * RFC 4180 with a header, written by hand, because csv-stringify, at 58,000 rows of 34 columns a second, took longer than
 * reading them; here only texts are looked through for what must be quoted.
 */
export function csvEncoder(columns: readonly ExportColumn[], start?: EncoderStart): PartEncoder {
  const header = `${columns.map(({ name }) => quoted(name)).join(',')}\r\n`;
  return new LineEncoder(header, { columns, dialect: toDialect(columns), toShown }, start);
}

/** What may begin a {@link FORMULA}, or a full-width sign, in UTF-8. */
const FORMULA_FIRST = new Set([...'=+-@\t\r\n', '\xef'].map((sign) => sign.charCodeAt(0)));
const QUOTED = new Set([...'",\r\n'].map((sign) => sign.charCodeAt(0)));

const toDialect = (columns: readonly ExportColumn[]): LineDialect => ({
  before: columns.map((_, place) => (place === 0 ? '' : ',')),
  end: '\r\n',
  none: '',
  quote: '',
  textQuote: '',
  needsCare: (byte) => QUOTED.has(byte),
  needsCareFirst: (byte) => FORMULA_FIRST.has(byte),
  careful: (text, { free }) => (free ? freeTextCell(text) : quoted(text)),
});

function toShown(column: ExportColumn): (value: string) => string {
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
