import type { Account, ChangeAccount, CreateAccount } from '../../api/accounts.ts';
import { type LimitForm, toLimit, toLimitForm } from '../limits/limit-form.ts';

/** What the dialog asks for, as people type it; empty means no limit. */
export interface AccountForm {
  readonly name: string;
  readonly mode: 'prepaid' | 'postpaid';
  readonly creditLimit: string;
  readonly timeZone: string;
  readonly limits: LimitForm;
  /** None means those that the deployment allows. */
  readonly groups: readonly string[];
  readonly maxKeys: number | string;
}

export const emptyForm: AccountForm = {
  name: '',
  mode: 'prepaid',
  creditLimit: '',
  timeZone: 'UTC',
  limits: toLimitForm(),
  groups: [],
  maxKeys: '',
};

export const toForm = (account: Account): AccountForm => ({
  name: account.name,
  mode: account.mode,
  creditLimit: account.credit_limit_usd ?? '',
  timeZone: account.time_zone,
  limits: toLimitForm(account.limits),
  groups: account.allowed_groups ?? [],
  maxKeys: account.max_keys ?? '',
});

/** The body that makes or changes an account to be so. A prepaid one owes nothing, so that it has no credit limit. */
export const toBody = (form: AccountForm) =>
  ({
    name: form.name.trim(),
    mode: form.mode,
    credit_limit_usd:
      form.mode === 'prepaid' || form.creditLimit.trim() === '' ? null : form.creditLimit.trim(),
    time_zone: form.timeZone,
    limits: toLimit(form.limits),
    allowed_groups: form.groups.length === 0 ? null : [...form.groups],
    max_keys: form.maxKeys === '' ? null : Number(form.maxKeys),
  }) satisfies CreateAccount;

/** What of an account was changed in the dialog, and nothing else: what others have changed meanwhile stays. */
export function findChanges(before: AccountForm, form: AccountForm): ChangeAccount {
  const stated = toBody(before);
  const isChanged = ([name, value]: [string, unknown]): boolean =>
    JSON.stringify(value) !== JSON.stringify(stated[name as keyof CreateAccount]);
  return Object.fromEntries(Object.entries(toBody(form)).filter(isChanged));
}
