import type { CreateExport, CreateSchedule, ExportFormat, ExportKind } from '../../api/exports.ts';
import { toSpan } from '../../shared/spans.ts';

export const KINDS: readonly ExportKind[] = ['usage', 'ledger', 'focus'];
export const FORMATS: readonly ExportFormat[] = ['csv', 'parquet', 'jsonl'];

/** What both dialogs ask for, as people choose it. */
export interface WhatForm {
  readonly kind: ExportKind;
  readonly format: ExportFormat;
  readonly account: string | undefined;
}

export interface ExportForm extends WhatForm {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly model: string;
  readonly key: string;
}

export interface ScheduleForm extends WhatForm {
  readonly name: string;
  readonly every: 'day' | 'month';
  readonly day: number | string;
  readonly hour: number | string;
  readonly timeZone: string;
  readonly afterClose: boolean;
}

/** The body that asks for such an export; null without days. The ledger knows no models and no keys. */
export function toExportBody(form: ExportForm, zone: string): CreateExport | null {
  if (form.from === undefined || form.to === undefined) return null;
  const { from, to } = toSpan({ from: form.from, to: form.to }, zone);
  if (from === undefined || to === undefined) return null;
  const [model, key] = form.kind === 'ledger' ? ['', ''] : [form.model.trim(), form.key.trim()];
  return {
    kind: form.kind,
    format: form.format,
    from,
    to,
    ...(form.account === undefined ? {} : { account_id: form.account }),
    ...(model === '' ? {} : { model }),
    ...(key === '' ? {} : { key_id: key }),
  };
}

/** The body that makes such a schedule; only months are closed. */
export const toScheduleBody = (form: ScheduleForm): CreateSchedule => ({
  name: form.name.trim(),
  kind: form.kind,
  format: form.format,
  account_id: form.account ?? null,
  every: form.every,
  day: form.every === 'month' ? Number(form.day) : 1,
  hour: Number(form.hour),
  time_zone: form.timeZone,
  after_close: form.every === 'month' && form.afterClose,
});
