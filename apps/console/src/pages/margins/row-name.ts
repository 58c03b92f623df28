import type { MarginGroup } from '@tollgate/vocabulary';
import type { MarginRow } from '../../api/margins.ts';

/** What a row of the margins is about; null where the usage log does not say. */
export const findName = (row: MarginRow, by: MarginGroup): string | null =>
  (by === 'customer' ? row.customer_name : undefined) ?? row[by] ?? null;
