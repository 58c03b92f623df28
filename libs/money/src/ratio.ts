/** An exact decimal: `numerator / 10^scale`. */
export interface Ratio {
  readonly numerator: bigint;
  readonly scale: number;
}

/** Reads a decimal such as "0.85", exactly, of at most nine places. @throws RangeError for anything else. */
export function parseRatio(text: string): Ratio {
  const match = /^(\d{1,12})(?:\.(\d{1,9}))?$/.exec(text);
  if (!match) throw new RangeError(`not a ratio: "${text}"; write a decimal such as "1" or "0.85"`);
  const places = match[2] ?? '';
  return { numerator: BigInt(`${match[1]}${places}`), scale: places.length };
}

/** The exact product. */
export const multiplyRatios = (a: Ratio, b: Ratio): Ratio => ({
  numerator: a.numerator * b.numerator,
  scale: a.scale + b.scale,
});

/** `numerator / denominator`, rounded half to even. @throws RangeError for a denominator below one. */
export function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  if (denominator <= 0n) throw new RangeError('the denominator must be positive');
  const sign = numerator < 0n ? -1n : 1n;
  const whole = (numerator * sign) / denominator;
  const twice = ((numerator * sign) % denominator) * 2n;
  const up = twice > denominator || (twice === denominator && whole % 2n === 1n);
  return sign * (up ? whole + 1n : whole);
}

/** `a / b` as a decimal of at most `places` places, half-even, without trailing zeros: for ratios that are shown. */
export function ratioText(a: bigint, b: bigint, places = 9): string {
  const text = decimalText(divideHalfEven(a * 10n ** BigInt(places), b), places);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** `value / 10^places` with all its places. */
export function decimalText(value: bigint, places: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, '0');
  const sign = value < 0n ? '-' : '';
  return places === 0 ? sign + digits : `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
