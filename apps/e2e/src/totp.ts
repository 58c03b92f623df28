import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const STEP_MS = 30_000;
/** What a busy machine takes from a code to the answer to it. */
const USE_MS = 10_000;

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * What an authenticator app shows (RFC 6238: SHA-1, six digits, thirty seconds), by no library that the services use.
 *
 * @param steps from now: a code is good once, so that tests take the one before, of now and the next in turn.
 */
export function totpCode(secret: string, steps = 0): string {
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / STEP_MS) + steps));
  const mac = createHmac('sha1', key).update(counter).digest();
  const from = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(from) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** The code before that of now, which is refused once that of now has passed: where that is soon, the next is waited for. */
export async function previousTotpCode(secret: string): Promise<string> {
  const leftMs = STEP_MS - (Date.now() % STEP_MS);
  if (leftMs < USE_MS) await sleep(leftMs);
  return totpCode(secret, -1);
}
