import { formatUsd } from '@tollgate/money';
import { toLimits } from '../keys/limits.ts';
import type { AccountEntity } from './account.entity.ts';

/** What can be changed of an account. */
export const describeAccount = (account: AccountEntity) => ({
  name: account.name,
  status: account.status,
  mode: account.mode,
  credit_limit_usd: account.creditLimitPico === null ? null : formatUsd(BigInt(account.creditLimitPico)),
  limits: toLimits(account),
  time_zone: account.timeZone,
  allowed_groups: account.allowedGroups ?? null,
  max_keys: account.maxKeys ?? null,
});
