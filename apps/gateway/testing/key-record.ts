import type { KeyRecord } from '@tollgate/contracts';

/** A key of the group of {@link buildTable}. */
export const RECORD: KeyRecord = {
  key_id: '018f0000-0000-7000-8000-000000000001',
  key_hash: 'a'.repeat(64),
  account_id: '018f0000-0000-7000-8000-000000000002',
  name: 'key',
  group: 'g',
  status: 'active',
  account_status: 'active',
  expires_at: null,
  credit_limited: true,
  budgets: [],
  time_zone: 'UTC',
  limits: { concurrent_requests: 5 },
  account_limits: {},
  models: null,
  allowed_addresses: null,
  strict: false,
  revision: 1,
};
