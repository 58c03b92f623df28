/**
 * A row as the database writes it, a text for every column: whole numbers in digits, times in UTC such as
 * `2026-11-01 00:00:00.25+00`, amounts as pico-USD, decimals without their point, booleans as `t` and `f`.
 */
export type Row = readonly (string | null)[];

export type ColumnType = 'text' | 'int32' | 'int64' | 'boolean' | 'timestamp' | 'usd' | 'decimal';

/** A column of an export. */
export interface ExportColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable?: true;
  /** Decimal places, of a decimal. */
  readonly scale?: number;
  /**
   * Texts that people chose: what a spreadsheet would take for a formula is made harmless in CSV, and what CSV must quote is
   * quoted. A text that is not free is a code or a number, which needs neither.
   */
  readonly free?: true;
  /** The database has it as a UUID, of 16 bytes. */
  readonly uuid?: true;
  /** Its sum stands in the manifest. */
  readonly summed?: true;
}

/** A column with what the database reads for it. */
export interface SqlColumn extends ExportColumn {
  readonly sql: string;
}

/** Decimal places of an amount in USD: its unit is the pico-USD. */
export const USD_SCALE = 12;
/** Those that are shown of any amount. */
export const USD_PLACES_MIN = 2;

/** A time as ISO 8601 in UTC, with a fraction when there is one. */
export const isoTime = (time: string): string => `${time.slice(0, 10)}T${time.slice(11, -3)}Z`;

const DAY_MICROS = 86_400_000_000n;

/** A time as microseconds since 1970. */
export function toMicros(time: string): bigint {
  const ofDay =
    ((digit(time, 11) * 10 + digit(time, 12)) * 3_600 +
      (digit(time, 14) * 10 + digit(time, 15)) * 60 +
      (digit(time, 17) * 10 + digit(time, 18))) *
      1_000_000 +
    Number(time.slice(20, -3).padEnd(6, '0'));
  return toDays(time.slice(0, 10)) * DAY_MICROS + BigInt(ofDay);
}

const digit = (text: string, at: number): number => text.charCodeAt(at) - 48;

/** Days since 1970; the last one that was asked for is held, as most rows are of the same day as the row before. */
let lastDay = { day: '1970-01-01', days: 0n };
function toDays(day: string): bigint {
  if (day !== lastDay.day) lastDay = { day, days: BigInt(Date.parse(`${day}T00:00:00Z`)) / 86_400_000n };
  return lastDay.days;
}

const ZERO = '0'.charCodeAt(0);

/** Digits without their point as a plain decimal, without zeros at its end but for so many places. */
export function toDecimal(digits: string, scale: number, placesMin = 0): string {
  const sign = digits.startsWith('-') ? '-' : '';
  const padded = digits.slice(sign.length).padStart(scale + 1, '0');
  const point = padded.length - scale;
  let end = padded.length;
  while (end > point + placesMin && padded.charCodeAt(end - 1) === ZERO) end -= 1;
  return sign + padded.slice(0, point) + (end === point ? '' : `.${padded.slice(point, end)}`);
}

/** A value as CSV and JSON show it. */
export function shownAs({ type, scale = 0 }: ExportColumn, value: string): string {
  switch (type) {
    case 'timestamp':
      return isoTime(value);
    case 'boolean':
      return value === 't' ? 'true' : 'false';
    case 'usd':
      return toDecimal(value, USD_SCALE, USD_PLACES_MIN);
    case 'decimal':
      return toDecimal(value, scale);
    default:
      return value;
  }
}

/** The type of a column as the manifest states it. */
export function typeName({ type, scale }: ExportColumn): string {
  if (type === 'usd') return `decimal(38, ${USD_SCALE})`;
  return type === 'decimal' ? `decimal(38, ${scale})` : type;
}
