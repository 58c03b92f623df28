import { divideHalfEven } from './ratio.ts';

/** An exact decimal: `digits / 10^places`. */
export interface Decimal {
  readonly digits: bigint;
  readonly places: number;
}

/**
 * A number as it was written in JSON: the text that stood there, or of a number its shortest decimal, which is that.
 *
 * @throws RangeError below zero, and for what is no number.
 */
export function decimal(value: number | string): Decimal {
  const match = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(String(value));
  if (!match) throw new RangeError(`not a number above zero: ${value}`);
  const places = (match[2] ?? '').length - Number(match[3] ?? 0);
  const digits = BigInt(`${match[1]}${match[2] ?? ''}`);
  return places < 0 ? { digits: digits * 10n ** BigInt(-places), places: 0 } : { digits, places };
}

/** The exact product. */
export const times = (a: Decimal, b: Decimal): Decimal => ({
  digits: a.digits * b.digits,
  places: a.places + b.places,
});

/** The nearest whole number, and whether it is that very number. */
export function whole({ digits, places }: Decimal): { readonly value: number; readonly isExact: boolean } {
  const scale = 10n ** BigInt(places);
  return { value: Number(divideHalfEven(digits, scale)), isExact: digits % scale === 0n };
}
