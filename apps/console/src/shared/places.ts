/** How many places are told of an amount. */
export const countPlaces = (shown: string): number => /\.(\d+)/.exec(shown)?.[1]?.length ?? 0;

/** What stands unseen behind an amount, so that its point is where that of one with so many places is. */
export const padPlaces = (shown: string, places: number): string =>
  '0'.repeat(Math.max(0, places - countPlaces(shown)));

/** The most places that one of these amounts has. */
export const findPlaces = (shown: readonly string[]): number => Math.max(0, ...shown.map(countPlaces));

/** What an element with an amount has, so that its point stands under those of a column with so many places. */
export const pointAt = (shown: string, places: number) => ({
  className: 'tg-places',
  'data-places': padPlaces(shown, places),
});
