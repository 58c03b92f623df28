import type { ExportColumn } from '../columns.ts';
import { lengthAt, type Tuples } from '../tuples.ts';
import { writeInt32, writeInt64, writeTime, writeUsd, writeUuid } from './digits.ts';

/** A line of text for each row. */
export interface LineDialect {
  /** What stands before the fields, at the end of the line, and where there is no value. */
  readonly before: readonly string[];
  readonly end: string;
  readonly none: string;
  /** What stands around times and amounts. */
  readonly quote: string;
  /** And around texts with nothing that {@link LineDialect.careful} is for. */
  readonly textQuote: string;
  /** Whether a text with this byte, of UTF-8, may have to be written otherwise than as it is. */
  needsCare(byte: number): boolean;
  /** The same of a text that begins with it, where people chose it. */
  needsCareFirst(byte: number): boolean;
  /** Any text of a column as a field. */
  careful(text: string, column: ExportColumn): string;
}

/** How a field is read, by what the database has sent. */
const [TEXT, FREE_TEXT, UUID, INT32, INT64, COUNT, BOOLEAN, TIME, USD] = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;

function toCode({ name, type, free, uuid, summed, nullable }: ExportColumn): number {
  switch (type) {
    case 'text':
      if (uuid) return UUID;
      return free ? FREE_TEXT : TEXT;
    case 'int32':
      return INT32;
    case 'int64':
      return summed && !nullable ? COUNT : INT64;
    case 'boolean':
      return BOOLEAN;
    case 'timestamp':
      return TIME;
    case 'usd':
      return USD;
    case 'decimal':
      throw new Error(`the database does not send the decimals of ${name}`);
  }
}

/** Of what the database sends, no byte becomes more: an escaped one of JSON. */
const GROWTH_MAX = 6;
const CARE = 1;
const CARE_FIRST = 2;
const [TRUE, FALSE] = ['true', 'false'].map((text) => Buffer.from(text));
const ZERO = 48;

/** Writes rows as the database has sent them as lines, byte by byte: no field becomes a text of JavaScript. */
export class TupleLines {
  readonly #columns: readonly ExportColumn[];
  readonly #dialect: LineDialect;
  readonly #codes: Uint8Array;
  readonly #before: readonly Uint8Array[];
  readonly #end: Uint8Array;
  readonly #none: Uint8Array;
  readonly #quote: Uint8Array;
  readonly #textQuote: Uint8Array;
  /** By byte. */
  readonly #care: Uint8Array;
  /** What a row takes besides its fields. */
  readonly #fixed: number;
  #bytes = Buffer.alloc(0);
  #at = 0;

  constructor(columns: readonly ExportColumn[], dialect: LineDialect) {
    this.#columns = columns;
    this.#dialect = dialect;
    this.#codes = Uint8Array.from(columns.map(toCode));
    this.#before = dialect.before.map((text) => Buffer.from(text));
    this.#end = Buffer.from(dialect.end);
    this.#none = Buffer.from(dialect.none);
    this.#quote = Buffer.from(dialect.quote);
    this.#textQuote = Buffer.from(dialect.textQuote);
    this.#care = Uint8Array.from({ length: 256 }, (_, byte) => {
      const anywhere = dialect.needsCare(byte) ? CARE : 0;
      return anywhere | (dialect.needsCareFirst(byte) ? CARE_FIRST : 0);
    });
    const perField = dialect.none.length + 2 * dialect.quote.length + 2 * dialect.textQuote.length;
    this.#fixed = this.#before.reduce((sum, each) => sum + each.length + perField, this.#end.length);
  }

  /** The lines of a page, until the next one is written. */
  write(tuples: Tuples): Uint8Array {
    const { bytes, rows, columns } = tuples;
    // A buffer of its own for each page would cost half a microsecond a row, as the kernel gives memory page by page.
    this.#at = 0;
    this.#makeRoom(bytes.length + rows * this.#fixed);
    for (let row = 0; row < rows; row += 1) {
      this.#makeRoom(GROWTH_MAX * tuples.bytesOf(row) + this.#fixed);
      for (let column = 0; column < columns; column += 1) {
        this.#append(this.#before[column]);
        this.#field(bytes, tuples.startOf(row, column), column);
      }
      this.#append(this.#end);
    }
    return this.#bytes.subarray(0, this.#at);
  }

  #makeRoom(length: number): void {
    if (this.#at + length <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * this.#bytes.length + length);
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
  }

  #append(bytes: Uint8Array | undefined): void {
    if (bytes === undefined) return;
    for (let index = 0; index < bytes.length; index += 1) {
      this.#bytes[this.#at] = bytes[index] ?? 0;
      this.#at += 1;
    }
  }

  #field(from: Buffer, start: number, column: number): void {
    const code = this.#codes[column];
    if (start < 0) {
      if (code === COUNT) {
        this.#bytes[this.#at] = ZERO;
        this.#at += 1;
      } else if (this.#columns[column]?.nullable) this.#append(this.#none);
      else throw new Error('a column that has no nulls was given one');
      return;
    }
    switch (code) {
      case TEXT:
      case FREE_TEXT:
        this.#text(from, start, column, code === FREE_TEXT ? CARE_FIRST : CARE);
        break;
      case INT32:
        this.#at = writeInt32(from, start, this.#bytes, this.#at);
        break;
      case INT64:
      case COUNT:
        this.#at = writeInt64(from, start, this.#bytes, this.#at);
        break;
      case BOOLEAN:
        this.#append(from[start] === 1 ? TRUE : FALSE);
        break;
      case UUID:
        this.#append(this.#textQuote);
        this.#at = writeUuid(from, start, this.#bytes, this.#at);
        this.#append(this.#textQuote);
        break;
      default:
        this.#append(this.#quote);
        this.#at = (code === TIME ? writeTime : writeUsd)(from, start, this.#bytes, this.#at);
        this.#append(this.#quote);
    }
  }

  #text(from: Buffer, start: number, column: number, first: number): void {
    const length = lengthAt(from, start);
    const [bytes, care, begin] = [this.#bytes, this.#care, this.#at];
    this.#append(this.#textQuote);
    let at = this.#at;
    let found = length === 0 ? CARE : (care[from[start] ?? 0] ?? 0) & first;
    for (let index = start; index < start + length; index += 1) {
      const byte = from[index] ?? 0;
      found |= (care[byte] ?? 0) & CARE;
      bytes[at] = byte;
      at += 1;
    }
    this.#at = at;
    this.#append(this.#textQuote);
    const definition = this.#columns[column];
    if (found === 0 || !definition) return;
    const text = this.#dialect.careful(from.toString('utf8', start, start + length), definition);
    this.#at = begin + bytes.write(text, begin);
  }
}
