let last: Promise<void> = Promise.resolve();

/**
 * A turn of the event loop of its own: large bodies that are here at the same moment are worked on in as many turns, so
 * that whoever else waits is served between them.
 */
export function ownTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
