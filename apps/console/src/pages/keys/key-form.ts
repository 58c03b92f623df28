import type { CreateKey } from '../../api/keys.ts';
import { isAmount } from '../../shared/format.ts';

/** What the dialog asks for, as people type it; empty means no limit. */
export interface KeyForm {
  readonly name: string;
  readonly group: string;
  readonly total: string;
  readonly daily: string;
  readonly monthly: string;
  readonly requests: number | string;
  readonly tokens: number | string;
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
  requests: '',
  tokens: '',
  lastDay: null,
  strict: false,
};

export const isBudget = (text: string): boolean => text.trim() === '' || isAmount(text.trim());

const amount = (text: string): string | null => (text.trim() === '' ? null : text.trim());
const perMinute = (value: number | string): number | null => (value === '' ? null : Number(value));

/** The body that makes such a key; it works until its last day ends where the browser is. */
export const bodyOf = (form: KeyForm): CreateKey => ({
  name: form.name.trim(),
  group: form.group,
  budgets: {
    total_usd: amount(form.total),
    daily_usd: amount(form.daily),
    monthly_usd: amount(form.monthly),
  },
  limits: { requests_per_minute: perMinute(form.requests), tokens_per_minute: perMinute(form.tokens) },
  expires_at: form.lastDay === null ? null : endOf(form.lastDay),
  strict: form.strict,
});

function endOf(day: string): string {
  const start = new Date(`${day}T00:00:00`);
  return new Date(start.getFullYear(), start.getMonth(), start.getDate() + 1).toISOString();
}
