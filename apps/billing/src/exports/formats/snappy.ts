/** Values of 4 bytes are looked for by their hash, in so many slots. */
const HASH_BITS = 14;
const HASH_FACTOR = 0x1e35a7bd;
/** How far back a copy goes at most, and how long one is. */
const OFFSET_MAX = 0xffff;
const COPY_MAX = 64;
/** After so many bytes without a match every second one is looked at, and so on: what cannot be compressed costs little. */
const SKIP_AFTER = 32;

/** Of each hash, one more than where it was last. */
const slots = new Int32Array(1 << HASH_BITS);

const read32 = (bytes: Uint8Array, at: number): number =>
  (bytes[at] ?? 0) |
  ((bytes[at + 1] ?? 0) << 8) |
  ((bytes[at + 2] ?? 0) << 16) |
  ((bytes[at + 3] ?? 0) << 24);

/**
 * Bytes in Snappy's raw format. That of hyparquet-writer asks for each byte that it writes whether
 * there is room: it took a third of what writing Parquet did.
 */
export function compress(bytes: Uint8Array): Uint8Array {
  const to = Buffer.allocUnsafe(bytes.length + (bytes.length >> 4) + 32);
  let at = writeLength(bytes.length, to);
  slots.fill(0);
  let [literal, here, tries] = [0, 0, SKIP_AFTER];
  const last = bytes.length - 4;
  while (here <= last) {
    const word = read32(bytes, here);
    const slot = Math.imul(word, HASH_FACTOR) >>> (32 - HASH_BITS);
    const before = (slots[slot] ?? 0) - 1;
    slots[slot] = here + 1;
    if (before < 0 || here - before > OFFSET_MAX || read32(bytes, before) !== word) {
      here += tries >> 5;
      tries += 1;
      continue;
    }
    let length = 4;
    while (here + length < bytes.length && bytes[before + length] === bytes[here + length]) length += 1;
    at = writeLiteral(bytes, literal, here, to, at);
    at = writeCopy(here - before, length, to, at);
    here += length;
    literal = here;
    tries = SKIP_AFTER;
    // What ends a match often begins the next one.
    slots[Math.imul(read32(bytes, here - 1), HASH_FACTOR) >>> (32 - HASH_BITS)] = here;
  }
  return to.subarray(0, writeLiteral(bytes, literal, bytes.length, to, at));
}

function writeLength(length: number, to: Uint8Array): number {
  let [left, at] = [length, 0];
  for (; left > 0x7f; left >>>= 7, at += 1) to[at] = (left & 0x7f) | 0x80;
  to[at] = left;
  return at + 1;
}

/** A literal's length stands in its first byte, or in 1 to 4 behind it. */
const SHORT_LITERAL = 60;

function writeLiteral(from: Uint8Array, begin: number, end: number, to: Buffer, start: number): number {
  if (begin === end) return start;
  const length = end - begin;
  let at = start;
  if (length <= SHORT_LITERAL) {
    to[at] = (length - 1) << 2;
    at += 1;
    for (let place = begin; place < end; place += 1, at += 1) to[at] = from[place] ?? 0;
    return at;
  }
  const bytes = 4 - (Math.clz32(length - 1) >> 3);
  to[at] = (SHORT_LITERAL - 1 + bytes) << 2;
  at = to.writeUIntLE(length - 1, at + 1, bytes);
  to.set(from.subarray(begin, end), at);
  return at + length;
}

/** A copy that is short and near takes two bytes, any other three. */
const [NEAR_LENGTH_MAX, NEAR_OFFSET_MAX] = [11, 2_047] as const;
const NEAR_LENGTH_MIN = 4;

function writeCopy(offset: number, length: number, to: Uint8Array, start: number): number {
  let [left, at] = [length, start];
  while (left > 0) {
    if (left >= NEAR_LENGTH_MIN && left <= NEAR_LENGTH_MAX && offset <= NEAR_OFFSET_MAX) {
      to[at] = 1 | ((left - NEAR_LENGTH_MIN) << 2) | ((offset >>> 8) << 5);
      to[at + 1] = offset;
      return at + 2;
    }
    const part = Math.min(left, COPY_MAX);
    to[at] = 2 | ((part - 1) << 2);
    to[at + 1] = offset;
    to[at + 2] = offset >>> 8;
    left -= part;
    at += 3;
  }
  return at;
}
