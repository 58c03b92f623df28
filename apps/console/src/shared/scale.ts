const TEN = 10n;

/** The least of 1, 2, 2.5 and 5 times a power of ten that nothing reaches over: where an axis ends. */
export function axisEnd(greatest: bigint): bigint {
  if (greatest <= 1n) return 1n;
  let power = 1n;
  while (power * TEN < greatest) power *= TEN;
  const steps = [power, power * 2n, (power * 5n) / 2n, power * 5n, power * TEN];
  return steps.find((step) => step >= greatest) ?? power * TEN;
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
