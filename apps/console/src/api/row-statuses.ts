/** How a row of a comparison stands. */
export const ROW_STATUSES = ['ok', 'differs', 'only_ours', 'only_theirs'] as const;
export type RowStatus = (typeof ROW_STATUSES)[number];
