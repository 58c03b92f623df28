import { randomBytes } from 'node:crypto';

/** An id that sorts by time: `req_`, twelve hexadecimal digits of milliseconds, twenty random ones. */
export function newRequestId(now: number = Date.now()): string {
  return `req_${now.toString(16).padStart(12, '0')}${randomBytes(10).toString('hex')}`;
}
