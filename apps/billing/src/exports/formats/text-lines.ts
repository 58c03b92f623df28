import type { ExportColumn, Row } from '../columns.ts';
import { TextMemo } from './text-memo.ts';
import type { LineDialect } from './tuple-lines.ts';

/** A value as a field of a line. */
type ShowValue = (value: string) => string;

/** Room for a line, which grows with what it has to hold. */
const FIRST_BYTES = 1 << 18;

/** Writes rows of texts as lines. Fields of values that come again are held, as the rows of one charge differ in few. */
export class TextLines {
  readonly #before: readonly string[];
  readonly #end: string;
  readonly #none: string;
  readonly #shown: readonly ShowValue[];
  /** What the row before had, and how that was written, with what stands before it. */
  readonly #values: (string | null | undefined)[];
  readonly #fields: string[];
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);

  /** @param toShown how the values of a column are written. */
  constructor(
    columns: readonly ExportColumn[],
    { before, end, none }: LineDialect,
    toShown: (column: ExportColumn) => ShowValue,
  ) {
    this.#before = before;
    this.#end = end;
    this.#none = none;
    const ofUsd = columns.find(({ type }) => type === 'usd');
    // A row has several amounts, of which some are the same.
    const usd = ofUsd && rememberLast(toShown(ofUsd));
    this.#shown = columns.map((column) => {
      if (column.type === 'usd' && usd) return usd;
      return column.summed ? toShown(column) : remember(toShown(column));
    });
    this.#values = columns.map(() => undefined);
    this.#fields = columns.map(() => '');
  }

  /** The lines of rows, until the next ones are written. */
  write(header: string, rows: readonly Row[]): Uint8Array {
    let at = this.#bytes.write(header);
    for (const row of rows) {
      const line = this.#line(row);
      if (at + UTF8_MAX * line.length > this.#bytes.length) {
        const larger = Buffer.allocUnsafeSlow(2 * this.#bytes.length + UTF8_MAX * line.length);
        larger.set(this.#bytes.subarray(0, at));
        this.#bytes = larger;
      }
      at += this.#bytes.write(line, at);
    }
    return this.#bytes.subarray(0, at);
  }

  #line(row: Row): string {
    const [values, fields] = [this.#values, this.#fields];
    let line = '';
    for (let column = 0; column < fields.length; column += 1) {
      const value = row[column] ?? null;
      if (value !== values[column]) {
        values[column] = value;
        const shown = value === null ? this.#none : this.#shown[column]?.(value);
        fields[column] = `${this.#before[column]}${shown}`;
      }
      line += fields[column];
    }
    return line + this.#end;
  }
}

/** Bytes of UTF-8 that a unit of a text takes at most. */
const UTF8_MAX = 3;

function rememberLast(show: ShowValue): ShowValue {
  let [last, shown]: [string | undefined, string] = [undefined, ''];
  return (value) => {
    if (value !== last) [last, shown] = [value, show(value)];
    return shown;
  };
}

function remember(show: ShowValue): ShowValue {
  const known = new TextMemo<string>();
  return (value) => {
    let shown = known.get(value);
    if (shown === undefined) known.set(value, (shown = show(value)));
    return shown;
  };
}
