import { COMPARISON_STATUSES, type ComparisonStatus } from '@tollgate/vocabulary';
import { readTexts } from '../../shared/search-params.ts';

export interface ReconciliationSearch {
  /** The comparison whose rows are shown. */
  readonly id?: string;
  /** Which of its rows; without it those that are not ok. */
  readonly rows?: ComparisonStatus | 'all';
  /** The dialog that compares an invoice is open. */
  readonly create?: true;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function readReconciliationSearch(search: Readonly<Record<string, unknown>>): ReconciliationSearch {
  const { id, rows } = readTexts(search, ['id', 'rows']);
  const shown = ([...COMPARISON_STATUSES, 'all'] as const).find((each) => each === rows);
  return {
    ...(id !== undefined && UUID.test(id) ? { id } : {}),
    ...(shown === undefined ? {} : { rows: shown }),
    ...(search['create'] === true ? { create: true } : {}),
  };
}
