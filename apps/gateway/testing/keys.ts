import type { KeyRecord } from '@tollgate/contracts';

/** An active key of the group `g` that nothing limits but the credit of its account. */
export const keyRecord = (of: Partial<KeyRecord> = {}): KeyRecord => ({
  key_id: '0198f1c2-7d1e-7000-8000-000000000002',
  key_hash: '0'.repeat(64),
  account_id: '0198f1c2-7d1e-7000-8000-000000000001',
  name: 'k',
  group: 'g',
  status: 'active',
  account_status: 'active',
  expires_at: null,
  credit_limited: true,
  budgets: [],
  time_zone: 'UTC',
  limits: {},
  account_limits: {},
  models: null,
  allowed_addresses: null,
  strict: false,
  revision: 1,
  ...of,
});
