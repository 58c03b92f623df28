import type { KeyRecord } from '@tollgate/contracts';
import type { AccountEntity } from '../accounts/account.entity.ts';
import type { ApiKeyEntity } from './api-key.entity.ts';

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
  quota_exhausted: key.budgetPico !== null && BigInt(key.spentPico) >= BigInt(key.budgetPico),
  limits: { requests_per_minute: key.requestsPerMinute, tokens_per_minute: key.tokensPerMinute },
  strict: key.strict,
  revision: key.revision,
});
