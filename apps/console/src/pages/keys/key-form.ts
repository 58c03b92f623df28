import type { ApiKey, ChangeKey, CreateKey } from '../../api/keys.ts';
import { dayIn } from '../../shared/clock.ts';
import { toSpan } from '../../shared/spans.ts';
import { isAmount } from '../../shared/format.ts';
import { type LimitForm, toLimit, toLimitForm } from '../limits/limit-form.ts';

/** What the dialog asks for, as people type it; empty means no limit. */
export interface KeyForm {
  readonly name: string;
  readonly group: string;
  readonly total: string;
  readonly daily: string;
  readonly monthly: string;
  readonly limits: LimitForm;
  /** Of the group's models; none means every one. */
  readonly models: readonly string[];
  /** IP addresses and ranges; none means everywhere. */
  readonly addresses: readonly string[];
  /** The last day on which the key works, such as "2027-01-31". */
  readonly lastDay: string | null;
  readonly strict: boolean;
}

export const emptyForm: KeyForm = {
  name: '',
  group: 'default',
  total: '',
  daily: '',
  monthly: '',
  limits: toLimitForm(),
  models: [],
  addresses: [],
  lastDay: null,
  strict: false,
};

export const isBudget = (text: string): boolean => text.trim() === '' || isAmount(text.trim());

const amount = (text: string): string | null => (text.trim() === '' ? null : text.trim());
const some = (list: readonly string[]): string[] | null => (list.length === 0 ? null : [...list]);

/** The body that makes such a key; it works until its last day ends in the time zone. */
export const toBody = (form: KeyForm, zone: string): CreateKey => ({
  name: form.name.trim(),
  group: form.group,
  budgets: {
    total_usd: amount(form.total),
    daily_usd: amount(form.daily),
    monthly_usd: amount(form.monthly),
  },
  limits: toLimit(form.limits),
  models: some(form.models),
  allowed_addresses: some(form.addresses),
  expires_at: form.lastDay === null ? null : (toSpan({ to: form.lastDay }, zone).to ?? null),
  strict: form.strict,
});

/** A key as the dialog shows it. */
export const toForm = (key: ApiKey, zone: string): KeyForm => ({
  name: key.name,
  group: key.group,
  total: key.budgets.total_usd ?? '',
  daily: key.budgets.daily_usd ?? '',
  monthly: key.budgets.monthly_usd ?? '',
  limits: toLimitForm(key.limits),
  models: key.models ?? [],
  addresses: key.allowed_addresses ?? [],
  // A key that ends at midnight worked last on the day before.
  lastDay: key.expires_at === null ? null : dayIn(zone, Date.parse(key.expires_at) - 1),
  strict: key.strict,
});

/**
 * What of a key was changed in the dialog, and nothing else: what others have changed meanwhile stays, and so does the
 * very moment at which the key ends unless another day was chosen.
 */
export function findChanges(key: ApiKey, form: KeyForm, zone: string): ChangeKey {
  const before = toBody(toForm(key, zone), zone);
  const isChanged = ([name, value]: [string, unknown]): boolean =>
    JSON.stringify(value) !== JSON.stringify(before[name as keyof CreateKey]);
  return Object.fromEntries(Object.entries(toBody(form, zone)).filter(isChanged));
}
