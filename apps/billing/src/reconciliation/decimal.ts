import { divideHalfEven } from '@tollgate/money';

/** Places that are summed exactly; invoices are known to print more than the twelve of a pico-USD. */
const PLACES = 30;
const PER_PICO = 10n ** BigInt(PLACES - 12);

/** Reads a decimal of at most thirty places, negative ones included. Undefined for anything else. */
export function parseExact(text: string): bigint | undefined {
  const match = /^(-?)(\d{1,15})(?:\.(\d{1,30}))?$/.exec(text);
  if (!match) return undefined;
  const value = BigInt(`${match[2]}${(match[3] ?? '').padEnd(PLACES, '0')}`);
  return match[1] === '-' ? -value : value;
}

/** Rounds a sum of {@link parseExact} to pico-USD, half to even. */
export const toPico = (exact: bigint): bigint => divideHalfEven(exact, PER_PICO);
