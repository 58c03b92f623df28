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

/** What the rounds took, by the process that ran them: each start of a program is one. */
export type Starts = readonly (readonly number[])[];

/**
 * How much one takes for what another takes: the ratio of their lower quartiles, and of several starts the median of these. Its
 * interval is found by drawing starts, and rounds of each, again and again. A round of one goes with the round of the other that
 * was next to it in time, so that what met both is in neither.
 */
export function computeRatio(values: Starts, base: Starts): Ratio {
  const pairs = values.slice(0, base.length).map((rounds, start) => [rounds, base[start] ?? []] as const);
  const random = randomOf(values.flat().length);
  const draw = (below: number) => Math.floor(random() * below);
  const draws = Array.from({ length: DRAWS }, () =>
    median(
      pairs.map(() => {
        const [rounds = [], baseRounds = []] = pairs[draw(pairs.length)] ?? [];
        const length = Math.min(rounds.length, baseRounds.length);
        const drawn = Array.from({ length }, () => draw(length));
        const of = (list: readonly number[]) =>
          lowerQuartile(drawn.map((index) => list[index] ?? Number.NaN));
        return of(rounds) / of(baseRounds);
      }),
    ),
  );
  const beside = (1 - CONFIDENCE) / 2;
  return {
    ratio: ratioOf(values, base),
    from: quantile(draws, beside),
    to: quantile(draws, 1 - beside),
  };
}

const ratioOf = (values: Starts, base: Starts): number =>
  median(
    values
      .slice(0, base.length)
      .map((rounds, start) => lowerQuartile(rounds) / lowerQuartile(base[start] ?? [])),
  );

/** Two runs whose ratios lie no further apart than this have measured the same. */
const MAX_APART = 0.05;

interface Agreement {
  readonly first: number;
  readonly second: number;
  readonly agree: boolean;
}

/** The ratios of the first half of the starts and of the second. */
export function compareHalves(values: Starts, base: Starts): Agreement {
  const middle = Math.floor(Math.min(values.length, base.length) / 2);
  const first = ratioOf(values.slice(0, middle), base.slice(0, middle));
  const second = ratioOf(values.slice(middle), base.slice(middle));
  return { first, second, agree: Math.abs(first - second) <= MAX_APART * Math.min(first, second) };
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
