import { type SqlColumn, USD_SCALE } from '../columns.ts';

/**
 * Expressions of SQL that write a row as its file has it, so that rows come out of the database as the bytes of a file.
 * They give what {@link CsvEncoder} and {@link JsonlEncoder} make of the same values; a test compares them.
 * Times are written as the session has them: in UTC, as ISO.
 */

/** A function of PostgreSQL takes a hundred arguments. */
const ARGUMENTS_MAX = 99;
const inPieces = (parts: readonly string[], join: (piece: readonly string[]) => string): string[] =>
  Array.from({ length: Math.ceil(parts.length / ARGUMENTS_MAX) }, (_, piece) =>
    join(parts.slice(piece * ARGUMENTS_MAX, (piece + 1) * ARGUMENTS_MAX)),
  );

/** A value of a column as both formats show it, but for what text needs around it. */
function shownAs({ type, name, sql }: SqlColumn): string {
  switch (type) {
    case 'int32':
    case 'int64':
    case 'text':
      return sql;
    case 'boolean':
      return `(${sql})::text`;
    case 'timestamp':
      return `replace(left((${sql})::text, -3), ' ', 'T') || 'Z'`;
    case 'usd':
      // A sum has as many places as the part that has more.
      return `(trim_scale(${sql} * 1e-${USD_SCALE}) + 0.00)`;
    case 'decimal':
      throw new Error(`the database does not write the decimals of ${name}`);
  }
}

const SPECIAL = '",\\r\\n';
/** What {@link harmless} looks for at the beginning of a text. */
const FORMULA = '=+\\-@\\t\\r\\n\\uff1d\\uff0b\\uff0d\\uff20';

/** A text as a field of CSV, whatever is in it. */
function quotedField({ sql, free }: SqlColumn): string {
  const text = free ? `(CASE WHEN ${sql} ~ '^[${FORMULA}]' THEN '''' || ${sql} ELSE ${sql} END)` : sql;
  return `CASE WHEN ${sql} = '' OR ${text} ~ '[${SPECIAL}]' THEN '"' || replace(${text}, '"', '""') || '"' ELSE ${text} END`;
}

/** Ends a field, and a row, of {@link fieldsLine}; stands for a text without a character. */
export const FIELD_END = '\x1f';
export const ROW_END = '\x1e\n';
export const EMPTY_TEXT = '\x1d';

/**
 * A row's fields as CSV shows them, with signs between them and around no text: whether there is one that must be quoted or made
 * harmless is seen much faster in JavaScript, and nearly always there is none.
 */
export const fieldsLine = (columns: readonly SqlColumn[]): string =>
  inPieces(
    columns.map((column) => {
      const { free, nullable, sql } = column;
      const field = free ? `CASE WHEN ${sql} = '' THEN E'\\x1d' ELSE ${sql} END` : shownAs(column);
      return nullable ? `coalesce((${field})::text, '')` : field;
    }),
    (piece) => `concat_ws(E'\\x1f', ${piece.join(', ')})`,
  ).join(` || E'\\x1f' || `) + ` || E'\\x1e\\n'`;

/**
 * A row as a line of CSV. Most rows have no text that must be quoted or made harmless: all texts that people
 * chose are looked through at once, and each for itself only where something was found. The others are codes and numbers.
 */
export function csvLine(columns: readonly SqlColumn[]): string {
  // concat_ws leaves a null out together with its comma.
  const toLine = (field: (column: SqlColumn) => string): string =>
    inPieces(
      columns.map((column) => (column.nullable ? `coalesce((${field(column)})::text, '')` : field(column))),
      (piece) => `concat_ws(',', ${piece.join(', ')})`,
    ).join(` || ',' || `);
  const free = columns.filter((column) => column.free).map(({ sql }) => sql);
  const careful = toLine((column) => (column.free ? quotedField(column) : shownAs(column)));
  return `(CASE WHEN concat_ws(E'\\x1f', ${free.join(', ')}) ~ '[${SPECIAL}]|(?:^|\\x1f)(?:[${FORMULA}]|\\x1f|$)'
    THEN ${careful} ELSE ${toLine(shownAs)} END) || E'\\r\\n'`;
}

function jsonValue(column: SqlColumn): string {
  const shown = shownAs(column);
  const isBare = column.type === 'int32' || column.type === 'int64' || column.type === 'boolean';
  const value = isBare ? shown : column.type === 'text' ? `to_json(${shown})` : `'"' || ${shown} || '"'`;
  return column.nullable ? `coalesce((${value})::text, 'null')` : value;
}

/** A row as an object of JSON on a line of its own. */
export const jsonLine = (columns: readonly SqlColumn[]): string =>
  inPieces(
    columns.flatMap((column, place) => [
      `'${place > 0 ? ',' : '{'}${JSON.stringify(column.name)}:'`,
      jsonValue(column),
    ]),
    (piece) => `concat(${piece.join(', ')})`,
  ).join(' || ') + ` || E'}\\n'`;
