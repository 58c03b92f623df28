import { formatUsd, parseUsd } from '@tollgate/money';
import type { CreateBatch, NewBatch } from '../../api/redemption.ts';
import { toSpan } from '../../shared/spans.ts';

/** What the dialog asks for, as people type it. */
export interface BatchForm {
  readonly amount: string;
  readonly count: number | string;
  /** The last day on which the codes are good, such as "2027-01-31"; null is for ever. */
  readonly lastDay: string | null;
  readonly note: string;
}

/** The codes of a new batch, which are shown once, under the note that it was given. */
export type MadeBatch = NewBatch & { readonly note: string };

export const emptyForm: BatchForm = { amount: '', count: 10, lastDay: null, note: '' };

export const isCodeAmount = (text: string): boolean => {
  try {
    return parseUsd(text.trim()) > 0n;
  } catch {
    return false;
  }
};

/** What all the codes give away, in decimal USD; null until both figures stand. */
export const computeTotal = ({ amount, count }: BatchForm): string | null =>
  isCodeAmount(amount) && Number.isInteger(count) && Number(count) > 0
    ? formatUsd(parseUsd(amount.trim()) * BigInt(count))
    : null;

/** The body that makes such codes; they are good until their last day ends in the time zone. */
export const toBody = (form: BatchForm, zone: string): CreateBatch => ({
  amount_usd: form.amount.trim(),
  count: Number(form.count),
  expires_at: form.lastDay === null ? null : (toSpan({ to: form.lastDay }, zone).to ?? null),
  note: form.note.trim(),
});
