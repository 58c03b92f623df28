import type { Copied } from './sources/copy-out.ts';

/** `PGCOPY\n\xff\r\n\0`, no flags, nothing more. */
const HEADER_BYTES = 19;
const TRAILER = -1;
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
    let [at, field] = [HEADER_BYTES, 0];
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
    if (bytes.readInt16BE(at) !== TRAILER || bytes.length !== at + 2)
      throw new Error(`the database sent no ${rows} rows`);
  }

  /** How many bytes a row has, with the lengths of its fields. */
  bytesOf(row: number): number {
    return (this.#rowEnds[row] ?? 0) - (this.#rowEnds[row - 1] ?? HEADER_BYTES);
  }

  /** Where a field's bytes begin; -1 where it is null. */
  startOf(row: number, column: number): number {
    return this.starts[row * this.columns + column] ?? NULL;
  }
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

/** Microseconds since 1970 at 2000-01-01, which PostgreSQL counts from. */
const EPOCH_MICROS = 946_684_800_000_000;

/** Microseconds since 1970, of a time. @throws RangeError where JavaScript does not count so far exactly: from the year 2255 on. */
export function readMicros(bytes: Uint8Array, start: number): number {
  const micros = readInt32(bytes, start) * 2 ** 32 + (readInt32(bytes, start + 4) >>> 0) + EPOCH_MICROS;
  if (!Number.isSafeInteger(micros)) throw new RangeError('a time is too far from today');
  return micros;
}
