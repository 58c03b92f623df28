import { BUDGET_WINDOWS, type BudgetWindow, type KeyRecord } from '@tollgate/contracts';
import type { AccountEntity } from '../accounts/account.entity.ts';
import type { ApiKeyEntity } from './api-key.entity.ts';
import { toLimits } from './limits.ts';

/** Pico-USD that a key may spend in a window; null is no limit of its own. */
export const findBudget = (key: ApiKeyEntity, window: BudgetWindow): string | null =>
  ({ total: key.budgetPico, daily: key.budgetDailyPico, monthly: key.budgetMonthlyPico })[window];

/** What gateways know of a key by one of its secrets: the one it has, or one that it was rotated from. */
export const toKeyRecord = (
  key: ApiKeyEntity,
  account: AccountEntity,
  secret: { readonly keyHash: string; readonly worksUntil: Date | null } = { ...key, worksUntil: null },
): KeyRecord => ({
  key_id: key.id,
  key_hash: secret.keyHash,
  account_id: key.accountId,
  name: key.name,
  group: key.group,
  status: key.status,
  account_status: account.status,
  expires_at: earlier(key.expiresAt, secret.worksUntil)?.toISOString() ?? null,
  credit_limited: account.mode === 'prepaid' || account.creditLimitPico !== null,
  budgets: BUDGET_WINDOWS.filter((window) => findBudget(key, window) !== null),
  time_zone: account.timeZone,
  limits: toLimits(key),
  account_limits: toLimits(account),
  models: key.models,
  allowed_addresses: key.allowedAddresses,
  strict: key.strict,
  revision: key.revision,
});

const earlier = (a: Date | null, b: Date | null): Date | null => (a && b ? (a < b ? a : b) : (a ?? b));
