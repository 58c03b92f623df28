import type { BudgetWindow } from '@tollgate/contracts';
import { formatUsd } from '@tollgate/money';
import type { ApiKeyEntity } from './api-key.entity.ts';
import { findBudget } from './key-record.ts';
import { toLimits } from './limits.ts';

/** What a key is and may do: recognisable, not usable. */
export const describeKey = (key: ApiKeyEntity) => ({
  owner_id: key.ownerId,
  name: key.name,
  masked: key.masked,
  group: key.group,
  status: key.status,
  expires_at: key.expiresAt?.toISOString() ?? null,
  budgets: budgetsOf(key),
  limits: toLimits(key),
  models: key.models,
  allowed_addresses: key.allowedAddresses,
  strict: key.strict,
  temporary: key.temporary,
  operator_fields: heldOf(key),
});

/** The fields that an operator set, which others may restrict further but not lift. */
const heldOf = ({ operatorFields }: ApiKeyEntity) =>
  Object.fromEntries(Object.entries(operatorFields ?? {}).map(([field, { by, at }]) => [field, { by, at }]));

function budgetsOf(key: ApiKeyEntity) {
  const usd = (window: BudgetWindow) => {
    const budget = findBudget(key, window);
    return budget === null ? null : formatUsd(BigInt(budget));
  };
  return { total_usd: usd('total'), daily_usd: usd('daily'), monthly_usd: usd('monthly') };
}
