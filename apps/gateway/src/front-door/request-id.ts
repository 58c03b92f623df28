import { randomFillSync } from 'node:crypto';

const RANDOM_BYTES = 10;
/** Random bytes of many ids are drawn at once: one draw costs as much as hundreds of ids. */
const drawn = Buffer.alloc(RANDOM_BYTES * 512);
let at = drawn.length;

/** An id that sorts by time: `req_`, twelve hexadecimal digits of milliseconds, twenty random ones. */
export function newRequestId(now: number = Date.now()): string {
  if (at === drawn.length) {
    randomFillSync(drawn);
    at = 0;
  }
  const random = drawn.toString('hex', at, at + RANDOM_BYTES);
  at += RANDOM_BYTES;
  return `req_${now.toString(16).padStart(12, '0')}${random}`;
}
