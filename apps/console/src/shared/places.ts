/** How many places are told of an amount. */
export const countPlaces = (shown: string): number => /\.(\d+)/.exec(shown)?.[1]?.length ?? 0;

/** What stands unseen behind an amount, so that its point is where that of one with so many places is. */
export const padPlaces = (shown: string, places: number): string =>
  '0'.repeat(Math.max(0, places - countPlaces(shown)));
