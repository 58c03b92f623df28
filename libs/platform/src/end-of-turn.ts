let works: (() => void)[] = [];

/** One that throws is told as any error that nobody catches, and those behind it run in the next turn. */
function runAll(): void {
  const all = works;
  works = [];
  let begun = 0;
  try {
    for (const work of all) {
      begun += 1;
      work();
    }
  } finally {
    if (begun < all.length) {
      if (works.length === 0) setImmediate(runAll);
      works.unshift(...all.slice(begun));
    }
  }
}

/**
 * Runs a work once all that came in this turn of the event loop is read, right after those of others. What many requests do
 * one after the other costs each of them less: a step's code is more than the caches of a core keep while sockets are read and
 * written between two of them. Where nobody else is, the turn ends at once.
 */
export function atEndOfTurn(work: () => void): void {
  if (works.push(work) === 1) setImmediate(runAll);
}

/** Resolves at the end of this turn of the event loop: see {@link atEndOfTurn}. */
export const endOfTurn = (): Promise<void> => new Promise(atEndOfTurn);
