// Values as the database sends them (tuples.ts), written as text into bytes. Each function gives the place behind what it wrote.
import { USD_PLACES_MIN, USD_SCALE } from '../columns.ts';
import {
  DAY_MICROS,
  NUMERIC_HEAD_BYTES,
  readDay,
  readInt16,
  readInt32,
  readMicrosOfDay,
  readWhole,
} from '../tuples.ts';

const [ZERO, MINUS, POINT, COLON, T, Z] = [48, 45, 46, 58, 84, 90] as const;

/** A whole number below 2^31. */
function writeSmall(value: number, to: Uint8Array, at: number): number {
  if (value < 10) {
    to[at] = ZERO + value;
    return at + 1;
  }
  let length = 2;
  for (let limit = 100; limit <= value; limit *= 10) length += 1;
  return writePadded(value, length, to, at);
}

/** With zeros before it. */
function writePadded(value: number, length: number, to: Uint8Array, at: number): number {
  let left = value;
  for (let place = at + length - 1; place >= at; place -= 1) {
    const tens = (left / 10) | 0;
    to[place] = ZERO + left - tens * 10;
    left = tens;
  }
  return at + length;
}

function writeAscii(text: string, to: Uint8Array, at: number): number {
  for (let index = 0; index < text.length; index += 1) to[at + index] = text.charCodeAt(index);
  return at + text.length;
}

export function writeInt32(from: Buffer, start: number, to: Uint8Array, at: number): number {
  const value = readInt32(from, start);
  return value >= 0 ? writeSmall(value, to, at) : writeAscii(String(value), to, at);
}

export function writeInt64(from: Buffer, start: number, to: Uint8Array, at: number): number {
  const low = readInt32(from, start + 4);
  if (low >= 0 && readInt32(from, start) === 0) return writeSmall(low, to, at);
  return writeAscii(String(from.readBigInt64BE(start)), to, at);
}

const HEX = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
export const UUID_LENGTH = 36;
/** Behind which bytes of a UUID there is a hyphen. */
const isHyphenBehind = (index: number): boolean => index === 3 || index === 5 || index === 7 || index === 9;

export function writeUuid(from: Buffer, start: number, to: Uint8Array, at: number): number {
  let place = at;
  for (let index = 0; index < 16; index += 1) {
    const byte = from[start + index] ?? 0;
    to[place] = HEX[byte >> 4] ?? 0;
    to[place + 1] = HEX[byte & 15] ?? 0;
    place += 2;
    if (isHyphenBehind(index)) {
      to[place] = MINUS;
      place += 1;
    }
  }
  return place;
}

const DAY_MS = DAY_MICROS / 1_000;
const SECOND_MICROS = 1_000_000;

/** The last day that was written; most rows are of the same day as the row before. */
let lastDay = { day: 0, text: '1970-01-01' };
function toDayText(day: number): string {
  if (day !== lastDay.day) lastDay = { day, text: new Date(day * DAY_MS).toISOString().slice(0, 10) };
  return lastDay.text;
}

/** ISO 8601 in UTC, with a fraction where there is one, without zeros at its end. */
export function writeTime(from: Buffer, start: number, to: Uint8Array, at: number): number {
  const ofDay = readMicrosOfDay(from, start);
  let place = writeAscii(toDayText(readDay(from, start, ofDay)), to, at);
  const fraction = ofDay % SECOND_MICROS;
  const seconds = (ofDay - fraction) / SECOND_MICROS;
  to[place] = T;
  place = writePadded((seconds / 3_600) | 0, 2, to, place + 1);
  to[place] = COLON;
  place = writePadded(((seconds / 60) | 0) % 60, 2, to, place + 1);
  to[place] = COLON;
  place = writePadded(seconds % 60, 2, to, place + 1);
  if (fraction > 0) {
    to[place] = POINT;
    place = withoutZeros(to, writePadded(fraction, 6, to, place + 1), place + 2);
  }
  to[place] = Z;
  return place + 1;
}

/** Leaves zeros at the end out, but for what stands before `least`. */
function withoutZeros(to: Uint8Array, end: number, least: number): number {
  let place = end;
  while (place > least && to[place - 1] === ZERO) place -= 1;
  return place;
}

const GROUP_DIGITS = 4;
const GROUPS_BEHIND_POINT = USD_SCALE / GROUP_DIGITS;

/** Pico-USD as USD, exactly: the digits of the database are groups of four, of which three stand behind the point. */
export function writeUsd(from: Buffer, start: number, to: Uint8Array, at: number): number {
  const { digits, weight, isNegative } = readWhole(from, start);
  const groupOf = (power: number): number => {
    const index = weight - power;
    return index >= 0 && index < digits ? readInt16(from, start + NUMERIC_HEAD_BYTES + 2 * index) : 0;
  };
  let place = at;
  if (isNegative) {
    to[place] = MINUS;
    place += 1;
  }
  place = writeSmall(weight < GROUPS_BEHIND_POINT ? 0 : groupOf(weight), to, place);
  for (let power = weight - 1; power >= GROUPS_BEHIND_POINT; power -= 1)
    place = writePadded(groupOf(power), GROUP_DIGITS, to, place);
  to[place] = POINT;
  place += 1;
  const least = place + USD_PLACES_MIN;
  for (let power = GROUPS_BEHIND_POINT - 1; power >= 0; power -= 1)
    place = writePadded(groupOf(power), GROUP_DIGITS, to, place);
  return withoutZeros(to, place, least);
}
