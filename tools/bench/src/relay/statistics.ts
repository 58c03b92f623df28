/** So many of a hundred intervals hold the value. */
const CONFIDENCE = 0.95;
const DRAWS = 2_000;

/** The value at a share of the way from the least to the greatest, between two of them where it falls there. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [below = Number.NaN, above = below] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return below + (above - below) * (at - Math.floor(at));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** What a round takes that nothing disturbs: a slow moment of the machine only ever adds. */
export const lowerQuartile = (values: readonly number[]): number => quantile(values, 0.25);

interface Ratio {
  readonly ratio: number;
  /** Where the ratio lies at a confidence of 95 %. */
  readonly from: number;
  readonly to: number;
}

/**
 * The ratio of two lower quartiles, with its interval by drawing rounds again and again. A round of one goes with the round
 * of the other that was next to it in time, so that what met both is in neither.
 */
export function computeRatio(values: readonly number[], base: readonly number[]): Ratio {
  const rounds = Math.min(values.length, base.length);
  const random = randomOf(rounds);
  const draws = Array.from({ length: DRAWS }, () => {
    const drawn = Array.from({ length: rounds }, () => Math.floor(random() * rounds));
    const of = (list: readonly number[]) => lowerQuartile(drawn.map((index) => list[index] ?? Number.NaN));
    return of(values) / of(base);
  });
  const beside = (1 - CONFIDENCE) / 2;
  return {
    ratio: lowerQuartile(values) / lowerQuartile(base),
    from: quantile(draws, beside),
    to: quantile(draws, 1 - beside),
  };
}

/** The same numbers for the same rounds: a report that is made again says the same. Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
