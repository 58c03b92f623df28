import { BUDGET_WINDOWS, type BudgetWindow, type KeyRecord } from '@tollgate/contracts';
import type { AccountEntity } from '../accounts/account.entity.ts';
import type { ApiKeyEntity } from './api-key.entity.ts';

/** Pico-USD that a key may spend in a window; null is no limit of its own. */
export const budgetOf = (key: ApiKeyEntity, window: BudgetWindow): string | null =>
  ({ total: key.budgetPico, daily: key.budgetDailyPico, monthly: key.budgetMonthlyPico })[window];

/** What gateways know of a key. */
export const keyRecordOf = (key: ApiKeyEntity, account: AccountEntity): KeyRecord => ({
  key_id: key.id,
  key_hash: key.keyHash,
  account_id: key.accountId,
  name: key.name,
  group: key.group,
  status: key.status,
  account_status: account.status,
  expires_at: key.expiresAt?.toISOString() ?? null,
  credit_limited: account.mode === 'prepaid' || account.creditLimitPico !== null,
  budgets: BUDGET_WINDOWS.filter((window) => budgetOf(key, window) !== null),
  time_zone: account.timeZone,
  limits: { requests_per_minute: key.requestsPerMinute, tokens_per_minute: key.tokensPerMinute },
  strict: key.strict,
  revision: key.revision,
});
