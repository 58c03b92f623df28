/**
 * Logs that have no end are ordered by their time. By anything else, such as what requests cost, the newest of what fits
 * are ordered, so many of them: an index for each column would be written with every request.
 */
export const SORT_WINDOW = 10_000;
