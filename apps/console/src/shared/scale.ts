const TEN = 10n;

/** An axis is parted into so many steps at most. */
const MAX_STEPS = 5n;

/**
 * Where the numbers of an axis stand: from zero on, by the least of 1, 2, 2.5 and 5 times a power of ten by which few
 * reach what is greatest. Less than a step is empty.
 */
export function axisSteps(greatest: bigint): readonly bigint[] {
  const top = greatest < 1n ? 1n : greatest;
  let power = 1n;
  while (power * TEN * MAX_STEPS < top) power *= TEN;
  const sizes = [power, power * 2n, (power * 5n) / 2n, power * 5n, power * TEN];
  const size = sizes.find((each) => each * MAX_STEPS >= top && (each * 2n) % power === 0n) ?? power * TEN;
  const count = (top + size - 1n) / size;
  return Array.from({ length: Number(count) + 1 }, (_, index) => size * BigInt(index));
}

/** A part of a whole in percent, to a hundredth: enough for where a pixel is, whatever size amounts have. */
export const computePercent = (part: bigint, whole: bigint): number =>
  whole <= 0n ? 0 : Number((part * 10_000n) / whole) / 100;

/** The places of at most `max` labels among `count` buckets, evenly apart, the last one always among them. */
export function labelPlaces(count: number, max: number): readonly number[] {
  if (count === 0) return [];
  const step = Math.max(1, Math.ceil(count / max));
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => count - 1 - index * step).reverse();
}
