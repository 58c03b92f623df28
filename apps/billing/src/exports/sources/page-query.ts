import { escapeLiteral } from 'pg';
import type { ColumnType, SqlColumn } from '../columns.ts';

/** Rows of a table by number. */
export interface NumberedRows {
  /** The first is the number. */
  readonly columns: readonly SqlColumn[];
  /** From which tables, of the numbers from `$1` to `$2`. */
  readonly from: string;
  /** The number there. */
  readonly number: string;
  /** What the rows of one number are in the order of, where there are several: the name of a column. */
  readonly within?: string;
  /** Of the condition, from `$4` on. */
  readonly values: readonly unknown[];
  /** Numbers that are read at once: a page begins at each multiple of it. */
  readonly numbersAtOnce: number;
}

/** As tuples.ts reads them. */
const SENT_AS: Readonly<Record<Exclude<ColumnType, 'decimal'>, string>> = {
  text: 'text',
  int32: 'int',
  int64: 'bigint',
  boolean: 'boolean',
  timestamp: 'timestamptz',
  usd: 'numeric',
};

function sentAs({ name, type, sql, uuid, summed, nullable }: SqlColumn): string {
  if (type === 'decimal') throw new Error(`the database does not send the decimals of ${name}`);
  const value = `(${sql})::${uuid ? 'uuid' : SENT_AS[type]}`;
  // Most counts are zero: a null takes half of the time and of the bytes.
  return type === 'int64' && summed && !nullable ? `nullif(${value}, 0)` : value;
}

/** The rows of a number are never on two pages, also where so many rows (`$3`) are enough. */
export function pageQuery({ columns, from, number, within }: NumberedRows): string {
  const values = columns.map((column, place) => `${sentAs(column)} AS c${place}`);
  const page = `SELECT ${values.join(', ')} ${from} ORDER BY ${number} FETCH FIRST ($3) ROWS WITH TIES`;
  const order = columns.findIndex(({ name }) => name === within);
  const rows = order < 0 ? page : `SELECT * FROM (${page}) AS page ORDER BY c0, c${order} COLLATE "C"`;
  return `COPY (${rows}) TO STDOUT (FORMAT binary)`;
}

/** A query with its values in it, as COPY takes none. */
export const withValues = (text: string, values: readonly unknown[]): string =>
  text.replaceAll(/\$(\d+)/g, (_, place: string) => toLiteral(values[Number(place) - 1]));

function toLiteral(value: unknown): string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  if (typeof value === 'string') return escapeLiteral(value);
  throw new TypeError(`a query takes no ${typeof value}`);
}
