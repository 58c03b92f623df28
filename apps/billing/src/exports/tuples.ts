import type { Copied } from './sources/copy-out.ts';

/** `PGCOPY\n\xff\r\n\0`, no flags, nothing more. */
export const COPY_HEADER_BYTES = 19;
/** In place of how many fields another row has: -1. */
export const COPY_TRAILER = Buffer.from([0xff, 0xff]);
const NULL = -1;

/**
 * Rows as `COPY … TO STDOUT (FORMAT binary)` gives them: every field as its length and its bytes, whole numbers in the order of
 * the network.
 */
export class Tuples {
  readonly bytes: Buffer;
  readonly rows: number;
  readonly columns: number;
  /** Where each field begins, row by row; -1 where it is null. */
  readonly starts: Int32Array;
  readonly #rowEnds: Int32Array;

  /** @throws where the bytes are not so many rows of so many columns. */
  constructor({ bytes, rows }: Copied, columns: number) {
    this.bytes = bytes;
    this.rows = rows;
    this.columns = columns;
    this.starts = new Int32Array(rows * columns);
    this.#rowEnds = new Int32Array(rows);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let [at, field] = [COPY_HEADER_BYTES, 0];
    for (let row = 0; row < rows; row += 1) {
      if (view.getInt16(at) !== columns) throw new Error('the database sent a row of other columns');
      at += 2;
      for (let column = 0; column < columns; column += 1) {
        const length = view.getInt32(at);
        at += 4;
        this.starts[field] = length < 0 ? NULL : at;
        field += 1;
        if (length > 0) at += length;
      }
      this.#rowEnds[row] = at;
    }
    if (!COPY_TRAILER.equals(bytes.subarray(at))) throw new Error(`the database sent no ${rows} rows`);
  }

  /** How many bytes a row has, with the lengths of its fields. */
  bytesOf(row: number): number {
    return (this.#rowEnds[row] ?? 0) - (this.#rowEnds[row - 1] ?? COPY_HEADER_BYTES);
  }

  /** Where a field's bytes begin; -1 where it is null. */
  startOf(row: number, column: number): number {
    return this.starts[row * this.columns + column] ?? NULL;
  }
}

/** A field as a text. */
type FieldReader = (bytes: Buffer, start: number) => string;

export const readText: FieldReader = (bytes, start) =>
  bytes.toString('utf8', start, start + lengthAt(bytes, start));
export const readInt: FieldReader = (bytes, start) => String(bytes.readInt32BE(start));
export const readUuid: FieldReader = (bytes, start) =>
  bytes.toString('hex', start, start + 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
/** A date as `YYYY-MM-DD`, of the years 1 to 9999. */
export const readDate: FieldReader = (bytes, start) =>
  new Date((bytes.readInt32BE(start) + DAY_OF_2000) * DAY_MS).toISOString().slice(0, 10);

/**
 * Rows of texts. What the row before has too is that very string, which is made and compared faster.
 *
 * @param readers of the columns.
 */
export function readTexts(
  { bytes, rows, columns, starts }: Tuples,
  readers: readonly FieldReader[],
): (string | null)[][] {
  const texts: (string | null)[][] = [];
  for (let row = 0; row < rows; row += 1) {
    const before = texts[row - 1];
    const fields: (string | null)[] = [];
    for (let column = 0; column < columns; column += 1) {
      const field = row * columns + column;
      const start = starts[field] ?? NULL;
      if (start < 0) fields.push(null);
      else if (before && isSame(bytes, starts[field - columns] ?? NULL, start))
        fields.push(before[column] ?? null);
      else fields.push(readers[column]?.(bytes, start) ?? null);
    }
    texts.push(fields);
  }
  return texts;
}

function isSame(bytes: Uint8Array, one: number, other: number): boolean {
  if (one < 0) return false;
  const length = lengthAt(bytes, one);
  if (length !== lengthAt(bytes, other)) return false;
  for (let at = 0; at < length; at += 1) if (bytes[one + at] !== bytes[other + at]) return false;
  return true;
}

/** Faster than that of Buffer, which looks whether it may. */
export const readInt32 = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] ?? 0) << 24) |
  ((bytes[at + 1] ?? 0) << 16) |
  ((bytes[at + 2] ?? 0) << 8) |
  (bytes[at + 3] ?? 0);

export const readInt16 = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);

/** How many bytes a field has that begins there. */
export const lengthAt = (bytes: Uint8Array, start: number): number => readInt32(bytes, start - 4);

const NUMERIC_NEGATIVE = 0x4000;
/** Behind its head, a numeric is digits of base 10,000. */
export const NUMERIC_HEAD_BYTES = 8;

/** A numeric's head. @throws where it is no whole number. */
export function readWhole(
  bytes: Uint8Array,
  start: number,
): { digits: number; weight: number; isNegative: boolean } {
  const digits = readInt16(bytes, start);
  const weight = (readInt16(bytes, start + 2) << 16) >> 16;
  const sign = readInt16(bytes, start + 4);
  if ((sign !== 0 && sign !== NUMERIC_NEGATIVE) || (digits > 0 && weight < digits - 1))
    throw new Error('an amount is no whole number of pico-USD');
  return { digits, weight, isNegative: sign === NUMERIC_NEGATIVE };
}

/** A numeric that is a whole number. */
export function readPico(bytes: Uint8Array, start: number): bigint {
  const { digits, weight, isNegative } = readWhole(bytes, start);
  let value = 0n;
  for (let power = weight; power >= 0; power -= 1) {
    const place = weight - power;
    const digit = place < digits ? readInt16(bytes, start + NUMERIC_HEAD_BYTES + 2 * place) : 0;
    value = value * 10_000n + BigInt(digit);
  }
  return isNegative ? -value : value;
}

const WORD = 2 ** 32;
/** Microseconds since 2000-01-01, which PostgreSQL counts from, as 32 bits and 32 bits: when the years 1 and 10000 begin. */
const YEAR_1 = { high: -14687489, low: 3315359744 } as const;
const YEAR_10000 = { high: 58_779_403, low: 2_436_595_712 } as const;

/** The lower 32 bits of what eight bytes count. */
const readLow = (bytes: Uint8Array, start: number): number => readInt32(bytes, start + 4) >>> 0;

/** The upper 32 bits of a time. @throws RangeError where it is not of the years 1 to 9999: `infinity` is not. */
function readHigh(bytes: Uint8Array, start: number): number {
  const high = readInt32(bytes, start);
  if (high > YEAR_1.high && high < YEAR_10000.high) return high;
  const low = readLow(bytes, start);
  if ((high === YEAR_1.high && low >= YEAR_1.low) || (high === YEAR_10000.high && low < YEAR_10000.low))
    return high;
  throw new RangeError('a time of a row is not of the years 1 to 9999');
}

export const DAY_MICROS = 86_400_000_000;
const DAY_MS = 86_400_000;
const DAY_OF_2000 = 10_957;
/** Both are multiples of 2^10: divided by it, products of all times stay whole numbers that JavaScript has exactly. */
const [WORD_PART, DAY_PART, PART] = [2 ** 22, DAY_MICROS / 2 ** 10, 2 ** 10] as const;

/** Microseconds of a time since its day began. All of them since 1970 are more than JavaScript counts exactly, from the year 2255 on. */
export function readMicrosOfDay(bytes: Uint8Array, start: number): number {
  const micros = ((readHigh(bytes, start) * WORD_PART) % DAY_PART) * PART + readLow(bytes, start);
  if (micros < 0) return micros + DAY_MICROS;
  return micros < DAY_MICROS ? micros : micros - DAY_MICROS;
}

/** Days since 1970 of a time. @param ofDay what {@link readMicrosOfDay} says of it. */
export const readDay = (bytes: Uint8Array, start: number, ofDay: number): number =>
  Math.round((readInt32(bytes, start) * WORD + readLow(bytes, start) - ofDay) / DAY_MICROS) + DAY_OF_2000;

const EPOCH = { high: 220_417, low: 993_517_568 } as const;

/** Microseconds since 1970, of a time, as 64 bits with the least first. @returns the place behind them. */
export function writeMicros(from: Uint8Array, start: number, to: Uint8Array, at: number): number {
  const low = readLow(from, start) + EPOCH.low;
  writeWord(low, to, at);
  return writeWord(readHigh(from, start) + EPOCH.high + (low >= WORD ? 1 : 0), to, at + 4);
}

/** The last 32 bits of a whole number, the least first. @returns the place behind them. */
export function writeWord(value: number, to: Uint8Array, at: number): number {
  to[at] = value;
  to[at + 1] = value >>> 8;
  to[at + 2] = value >>> 16;
  to[at + 3] = value >>> 24;
  return at + 4;
}
