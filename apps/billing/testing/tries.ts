/** Of one person or one client in a minute. */
const TRIES = 10;
const MS_PER_TRY = 60_000 / TRIES;
const MAX_ROUNDS = 5;

/**
 * Guesses until no try is left, and expects that there were as many as a minute has. The guesses come all at once, as a
 * try comes back every six seconds, and hashing passwords on a busy machine may take longer than that.
 *
 * @param right what is refused then as well, though it would be right
 * @param used the tries that were used up before
 * @returns the refusal
 */
export async function useUpTries<T extends { readonly status: number }>(
  guess: () => Promise<T>,
  { right = guess, used = 0 }: { readonly right?: () => Promise<T>; readonly used?: number } = {},
): Promise<T> {
  const started = performance.now();
  let taken = 0;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const guesses = await Promise.all(Array.from({ length: 2 * TRIES }, guess));
    const last = await right();
    taken += [...guesses, last].filter(({ status }) => status !== 429).length;
    if (last.status !== 429) continue;
    expect(taken).toBeGreaterThanOrEqual(TRIES - used);
    expect(taken).toBeLessThanOrEqual(TRIES + Math.floor((performance.now() - started) / MS_PER_TRY));
    return last;
  }
  throw new Error(`${taken} tries were taken, and none was refused.`);
}
