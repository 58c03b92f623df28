import { INVOICE_COLUMNS, type InvoiceColumn } from '@tollgate/vocabulary';
import type { ReconciliationParams } from '../../api/reconciliation.ts';

/** What the dialog asks for, as people type it. */
export interface CompareForm {
  readonly upstream: string;
  readonly timeZone: string;
  readonly tolerance: string;
  readonly includesCached: boolean;
  /** What columns are called in the file, where that is something else. */
  readonly columns: Readonly<Record<InvoiceColumn, string>>;
}

export const emptyCompareForm: CompareForm = {
  upstream: '',
  timeZone: 'UTC',
  tolerance: '0.5',
  includesCached: false,
  columns: Object.fromEntries(INVOICE_COLUMNS.map((column) => [column, ''])) as CompareForm['columns'],
};

export const isTolerance = (text: string): boolean => /^\d{1,3}(\.\d{1,9})?$/.test(text.trim());

export function toParams(form: CompareForm): ReconciliationParams {
  const named = INVOICE_COLUMNS.filter((column) => form.columns[column].trim() !== '');
  return {
    upstream: form.upstream.trim(),
    time_zone: form.timeZone,
    tolerance_percent: form.tolerance.trim(),
    input_includes_cached: form.includesCached ? 'true' : 'false',
    ...Object.fromEntries(named.map((column) => [`column.${column}`, form.columns[column].trim()])),
  };
}
