import { formatUsd } from '@tollgate/money';

/**
 * A row as it is read, a text for every column: whole numbers in digits, times as microseconds since 1970, amounts as
 * pico-USD, decimals without their point, booleans as "true" and "false".
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
  /** Texts that people chose: what a spreadsheet would take for a formula is made harmless in CSV. */
  readonly free?: true;
  /** Its sum stands in the manifest. */
  readonly summed?: true;
}

/** Decimal places of an amount in USD: its unit is the pico-USD. */
export const USD_SCALE = 12;

/** Microseconds since 1970 as ISO 8601 in UTC, with a fraction when there is one. */
export function isoTime(micros: string): string {
  const value = Number(micros);
  const iso = new Date(Math.floor(value / 1_000)).toISOString();
  const fraction = ((value % 1_000_000) + 1_000_000) % 1_000_000;
  return fraction === 0
    ? `${iso.slice(0, 19)}Z`
    : `${iso.slice(0, 19)}.${String(fraction).padStart(6, '0')}Z`;
}

/** Digits without their point as a plain decimal, without zeros at its end. */
export function decimalOf(digits: string, scale: number): string {
  const sign = digits.startsWith('-') ? '-' : '';
  const padded = digits.slice(sign.length).padStart(scale + 1, '0');
  const places = padded.slice(padded.length - scale).replace(/0+$/, '');
  return sign + padded.slice(0, padded.length - scale) + (places === '' ? '' : `.${places}`);
}

/** A value as CSV and JSON show it. */
export function shownAs({ type, scale = 0 }: ExportColumn, value: string): string {
  switch (type) {
    case 'timestamp':
      return isoTime(value);
    case 'usd':
      return formatUsd(BigInt(value));
    case 'decimal':
      return decimalOf(value, scale);
    default:
      return value;
  }
}

/** The type of a column as the manifest states it. */
export function typeName({ type, scale }: ExportColumn): string {
  if (type === 'usd') return `decimal(38, ${USD_SCALE})`;
  return type === 'decimal' ? `decimal(38, ${scale})` : type;
}
