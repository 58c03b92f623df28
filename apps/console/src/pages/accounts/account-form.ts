import type { Account, CreateAccount } from '../../api/accounts.ts';

/** What the dialog asks for, as people type it; empty means no limit. */
export interface AccountForm {
  readonly name: string;
  readonly mode: 'prepaid' | 'postpaid';
  readonly creditLimit: string;
  readonly timeZone: string;
  readonly requests: number | string;
  readonly tokens: number | string;
  readonly concurrent: number | string;
  /** None means those that the deployment allows. */
  readonly groups: readonly string[];
  readonly maxKeys: number | string;
}

export const emptyForm: AccountForm = {
  name: '',
  mode: 'prepaid',
  creditLimit: '',
  timeZone: 'UTC',
  requests: '',
  tokens: '',
  concurrent: '',
  groups: [],
  maxKeys: '',
};

export const toForm = (account: Account): AccountForm => ({
  name: account.name,
  mode: account.mode,
  creditLimit: account.credit_limit_usd ?? '',
  timeZone: account.time_zone,
  requests: account.limits.requests_per_minute ?? '',
  tokens: account.limits.tokens_per_minute ?? '',
  concurrent: account.limits.concurrent_requests ?? '',
  groups: account.allowed_groups ?? [],
  maxKeys: account.max_keys ?? '',
});

const limit = (value: number | string): number | null => (value === '' ? null : Number(value));

/** The body that makes or changes an account to be so. A prepaid one owes nothing, so that it has no credit limit. */
export const toBody = (form: AccountForm) =>
  ({
    name: form.name.trim(),
    mode: form.mode,
    credit_limit_usd:
      form.mode === 'prepaid' || form.creditLimit.trim() === '' ? null : form.creditLimit.trim(),
    time_zone: form.timeZone,
    limits: {
      requests_per_minute: limit(form.requests),
      tokens_per_minute: limit(form.tokens),
      concurrent_requests: limit(form.concurrent),
    },
    allowed_groups: form.groups.length === 0 ? null : [...form.groups],
    max_keys: limit(form.maxKeys),
  }) satisfies CreateAccount;
