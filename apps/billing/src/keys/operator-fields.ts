import { HOLDABLE_FIELDS, type HoldableField } from '@tollgate/api';
import { httpError, isRangeWithin } from '@tollgate/platform';
import type { ApiKeyEntity, FieldValue, OperatorFields } from './api-key.entity.ts';
import type { UnitLimits } from './limits.ts';

type Holdable = Omit<ApiKeyEntity, 'operatorFields'>;

/** What each field is of a key; null restricts nothing. */
const VALUE_OF: Readonly<Record<HoldableField, (key: Holdable) => FieldValue | null>> = {
  group: ({ group }) => group,
  models: ({ models }) => models,
  allowed_addresses: ({ allowedAddresses }) => allowedAddresses,
  expires_at: ({ expiresAt }) => expiresAt?.toISOString() ?? null,
  status: ({ status }) => (status === 'disabled' ? status : null),
  'budgets.total_usd': ({ budgetPico }) => budgetPico,
  'budgets.daily_usd': ({ budgetDailyPico }) => budgetDailyPico,
  'budgets.monthly_usd': ({ budgetMonthlyPico }) => budgetMonthlyPico,
  'limits.requests_per_minute': ({ requestsPerMinute }) => requestsPerMinute,
  'limits.tokens_per_minute': ({ tokensPerMinute }) => tokensPerMinute,
  'limits.concurrent_requests': ({ concurrentRequests }) => concurrentRequests,
  'limits.units_per_minute': ({ unitsPerMinute }) => unitsPerMinute,
};

const isList = (value: readonly string[] | UnitLimits): value is readonly string[] => Array.isArray(value);

/** Whether a value allows no more than the bound does. */
function isWithin(field: HoldableField, value: FieldValue | null, bound: FieldValue): boolean {
  if (value === null) return false;
  if (typeof value === 'number') return value <= Number(bound);
  if (typeof value === 'string') {
    if (field === 'expires_at') return Date.parse(value) <= Date.parse(String(bound));
    return field.startsWith('budgets.') ? BigInt(value) <= BigInt(String(bound)) : value === bound;
  }
  if (!isList(value)) {
    const ofKinds = Object.entries(bound) as [keyof UnitLimits, number][];
    return ofKinds.every(([kind, perMinute]) => (value[kind] ?? Infinity) <= perMinute);
  }
  const bounds = typeof bound === 'object' && isList(bound) ? bound : [String(bound)];
  const isIn = (each: string) =>
    field === 'models' ? bounds.includes(each) : bounds.some((range) => isRangeWithin(each, range));
  return value.every(isIn);
}

/**
 * @throws HttpException 403 where a key that somebody other than an operator has changed goes beyond what an operator set.
 */
export function requireWithinOperatorFields(key: Holdable, held: OperatorFields): void {
  for (const field of HOLDABLE_FIELDS) {
    const bound = held[field];
    if (bound === undefined || isWithin(field, VALUE_OF[field](key), bound.value)) continue;
    throw httpError(
      403,
      `${field}: an operator of this service set this. You may restrict it further, but not go beyond it.`,
      field,
      'held_by_operator',
    );
  }
}

/** What operators hold after one of them has set some fields: a field without a restriction is nobody's. */
export function holdFields(
  key: Holdable,
  held: OperatorFields,
  fields: readonly HoldableField[],
  by: string,
): OperatorFields {
  const at = new Date().toISOString();
  const set = fields.map((field) => [field, VALUE_OF[field](key)] as const);
  const kept = Object.entries(held).filter(([name]) => !fields.some((field) => field === name));
  const added = set.flatMap(([field, value]) =>
    value === null ? [] : [[field, { value, by, at }] as const],
  );
  return Object.fromEntries([...kept, ...added]) as OperatorFields;
}

interface Stated {
  readonly group?: unknown;
  readonly models?: unknown;
  readonly allowed_addresses?: unknown;
  readonly expires_at?: unknown;
  readonly status?: unknown;
  readonly budgets?: object | undefined;
  readonly limits?: object | undefined;
}

/** The fields that a body states. Limits are stated as a whole: what they leave out is no limit. */
export function explicitFields(body: Stated): HoldableField[] {
  const budgets = body.budgets ?? {};
  return HOLDABLE_FIELDS.filter((field) => {
    const [section, name = ''] = field.split('.');
    if (section === 'limits') return body.limits !== undefined;
    if (section === 'budgets') return budgets[name as keyof typeof budgets] !== undefined;
    return body[field as keyof Stated] !== undefined;
  });
}
