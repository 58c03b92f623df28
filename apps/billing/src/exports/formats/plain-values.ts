// Values as Parquet's PLAIN encoding has them. Functions that write give the place behind what they wrote.
import { type ColumnType, type ExportColumn, toMicros } from '../columns.ts';
import {
  lengthAt,
  NUMERIC_HEAD_BYTES,
  readInt16,
  readInt32,
  readPico,
  readWhole,
  writeMicros,
  writeWord,
} from '../tuples.ts';
import { UUID_LENGTH, writeUuid } from './digits.ts';

/** How the values of a column are written and compared. */
export interface PlainType {
  /** Whether bytes are compared from the last one on, and whether the most significant one has a sign. */
  readonly order: 'text' | 'little-endian' | 'big-endian' | 'unsigned';
  /** How many bytes a field takes at most. */
  sizeOf(from: Buffer, start: number): number;
  /** A field as the database has sent it. */
  writeField(from: Buffer, start: number, to: Buffer, at: number): number;
  writeText(text: string, to: Buffer, at: number): number;
  read(from: Buffer, start: number, end: number): string | number | bigint | boolean;
}

const TEXT_PREFIX = 4;
const DECIMAL_BYTES = 16;

const copyShort = (from: Buffer, start: number, length: number, to: Buffer, at: number): void => {
  for (let index = 0; index < length; index += 1) to[at + index] = from[start + index] ?? 0;
};
const COPIED_BY_HAND = 48;

const text: PlainType = {
  order: 'text',
  sizeOf: (from, start) => TEXT_PREFIX + lengthAt(from, start),
  writeField(from, start, to, at) {
    const length = lengthAt(from, start);
    writeWord(length, to, at);
    if (length <= COPIED_BY_HAND) copyShort(from, start, length, to, at + TEXT_PREFIX);
    else from.copy(to, at + TEXT_PREFIX, start, start + length);
    return at + TEXT_PREFIX + length;
  },
  writeText(value, to, at) {
    const length = to.write(value, at + TEXT_PREFIX);
    writeWord(length, to, at);
    return at + TEXT_PREFIX + length;
  },
  read: (from, start, end) => from.toString('utf8', start + TEXT_PREFIX, end),
};

const uuid: PlainType = {
  ...text,
  sizeOf: () => TEXT_PREFIX + UUID_LENGTH,
  writeField(from, start, to, at) {
    writeWord(UUID_LENGTH, to, at);
    return writeUuid(from, start, to, at + TEXT_PREFIX);
  },
};

const boolean: PlainType = {
  order: 'unsigned',
  sizeOf: () => 1,
  writeField(from, start, to, at) {
    to[at] = from[start] ?? 0;
    return at + 1;
  },
  writeText(value, to, at) {
    to[at] = value === 't' ? 1 : 0;
    return at + 1;
  },
  read: (from, start) => from[start] === 1,
};

const int32: PlainType = {
  order: 'little-endian',
  sizeOf: () => 4,
  writeField: (from, start, to, at) => writeWord(readInt32(from, start), to, at),
  writeText: (value, to, at) => to.writeInt32LE(Number(value), at),
  read: (from, start) => from.readInt32LE(start),
};

const int64: PlainType = {
  order: 'little-endian',
  sizeOf: () => 8,
  writeField(from, start, to, at) {
    writeWord(readInt32(from, start + 4), to, at);
    return writeWord(readInt32(from, start), to, at + 4);
  },
  writeText: (value, to, at) => to.writeBigInt64LE(BigInt(value), at),
  read: (from, start) => from.readBigInt64LE(start),
};

const WORD = 2 ** 32;
const timestamp: PlainType = {
  ...int64,
  writeField: writeMicros,
  writeText: (value, to, at) => to.writeBigInt64LE(toMicros(value), at),
};

const decimal: PlainType = {
  order: 'big-endian',
  sizeOf: () => DECIMAL_BYTES,
  writeField(from, start, to, at) {
    const small = readSmall(from, start);
    if (small === undefined) return writeDecimal(readPico(from, start), to, at);
    to.fill(0, at, at + 8);
    writeBigEndian(Math.floor(small / WORD), to, at + 8);
    return writeBigEndian(small | 0, to, at + 12);
  },
  writeText: (value, to, at) => writeDecimal(BigInt(value), to, at),
  read: (from, start) => (from.readBigInt64BE(start) << 64n) | from.readBigUInt64BE(start + 8),
};

const TYPES: Readonly<Record<ColumnType, PlainType>> = {
  text,
  int32,
  int64,
  boolean,
  timestamp,
  usd: decimal,
  decimal,
};
export const toPlainType = (column: ExportColumn): PlainType => (column.uuid ? uuid : TYPES[column.type]);

/** Bytes that a text takes at most, and any other value. */
export const sizeOfText = (value: string): number => TEXT_PREFIX + Math.max(DECIMAL_BYTES, 3 * value.length);

function writeBigEndian(value: number, to: Uint8Array, at: number): number {
  to[at] = value >>> 24;
  to[at + 1] = value >>> 16;
  to[at + 2] = value >>> 8;
  to[at + 3] = value;
  return at + 4;
}

/** A numeric of three groups of digits, which is below 10^12 and so a whole number that JavaScript has exactly. */
function readSmall(from: Buffer, start: number): number | undefined {
  const { digits, weight, isNegative } = readWhole(from, start);
  if (isNegative || weight > 2) return undefined;
  let value = 0;
  for (let place = 0; place <= weight; place += 1)
    value = value * 10_000 + (place < digits ? readInt16(from, start + NUMERIC_HEAD_BYTES + 2 * place) : 0);
  return value;
}

function writeDecimal(value: bigint, to: Buffer, at: number): number {
  to.writeBigInt64BE(value >> 64n, at);
  return to.writeBigUInt64BE(BigInt.asUintN(64, value), at + 8);
}

const SIGN = 0x80;

/** Whether a value comes before another one. Texts are in the order of their bytes, as files are ordered by UTF-8. */
export function isBefore(
  order: PlainType['order'],
  bytes: Buffer,
  one: number,
  oneEnd: number,
  other: number,
  otherEnd: number,
): boolean {
  if (order === 'little-endian') {
    let sign = SIGN;
    for (let place = oneEnd - one - 1; place >= 0; place -= 1) {
      const difference = ((bytes[one + place] ?? 0) ^ sign) - ((bytes[other + place] ?? 0) ^ sign);
      if (difference !== 0) return difference < 0;
      sign = 0;
    }
    return false;
  }
  let sign = order === 'big-endian' ? SIGN : 0;
  const length = Math.min(oneEnd - one, otherEnd - other);
  for (let place = order === 'text' ? TEXT_PREFIX : 0; place < length; place += 1) {
    const difference = ((bytes[one + place] ?? 0) ^ sign) - ((bytes[other + place] ?? 0) ^ sign);
    if (difference !== 0) return difference < 0;
    sign = 0;
  }
  return oneEnd - one < otherEnd - other;
}
