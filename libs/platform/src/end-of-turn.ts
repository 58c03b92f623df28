let works: (() => void)[] = [];

function runAll(): void {
  const all = works;
  works = [];
  for (const work of all) work();
}

/**
 * Runs a work once all that came in this turn of the event loop is read, right after those of others. What many requests do
 * one after the other costs each of them less: a step's code is more than the caches of a core keep while sockets are read and
 * written between two of them. Where nobody else is, the turn ends at once.
 *
 * @param work must not throw: whoever comes after it would be forgotten.
 */
export function atEndOfTurn(work: () => void): void {
  if (works.push(work) === 1) setImmediate(runAll);
}

/** Resolves at the end of this turn of the event loop: see {@link atEndOfTurn}. */
export const endOfTurn = (): Promise<void> => new Promise(atEndOfTurn);
