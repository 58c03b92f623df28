import { randomFillSync } from 'node:crypto';
import { API_ANSWER } from '@tollgate/platform';

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

/** What names a request in its answer: clients of OpenAI read the one, those of Anthropic the other. */
export const requestIdHeaders = (id: string) => ({ 'x-request-id': id, 'request-id': id });

/** What every answer of an API says, whoever asked. */
export const apiAnswerHeaders = (id: string) => ({ ...API_ANSWER, ...requestIdHeaders(id) });
