import type { ExportFilters } from '../export-job.ts';

interface Condition {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The filters as a condition on booked rows; its values are numbered from `$first` on. */
export function toCondition(filters: ExportFilters, watermark: number, first: number): Condition {
  const given: readonly (readonly [condition: string, value: unknown])[] = [
    ['number <= ', watermark],
    ['booked_at >= ', filters.from],
    ['booked_at < ', filters.to],
    ['account_id = ', filters.accountId],
    ['model = ', filters.model],
    ['key_id = ', filters.keyId],
  ];
  const set = given.filter(([, value]) => value !== null);
  return {
    text: set.map(([condition], index) => `${condition}$${first + index}`).join(' AND '),
    values: set.map(([, value]) => value),
  };
}
