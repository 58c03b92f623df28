import { INPUT_TOKEN_KINDS, METER_KINDS, type MeterKind, type ServiceTier } from '@tollgate/vocabulary';
import { selectLines } from '../../usage/line-rows.ts';
import { findMeterColumn } from '../../usage/meter-columns.ts';
import type { UsageGroup } from '../focus/focus-rows.ts';
import type { FocusSpans } from '../focus/focus-spans.ts';
import { readTexts, Tuples } from '../tuples.ts';
import type { Copied } from './copy-out.ts';

/** What groups are told apart by, and in this order. */
const GROUPED_BY = {
  billing_month: 'billing_month',
  charge_day: 'charge_day',
  account_id: 'account_id',
  key_id: 'key_id',
  group_name: 'group_name COLLATE "C"',
  model: 'model COLLATE "C"',
  service_tier: 'service_tier COLLATE "C"',
  region: 'region COLLATE "C"',
  price_version: 'snapshot_version',
  group_ratio: 'group_ratio COLLATE "C"',
  discount_ratio: 'discount_ratio COLLATE "C"',
  tier: 'tier',
  // An account has one of each.
  zone: 'zone COLLATE "C"',
  account_name: 'account_name COLLATE "C"',
} as const;

const SUMMED = {
  charges: 'count(*)',
  requests: 'count(*) FILTER (WHERE is_request)',
  cost_pico: 'sum(cost_pico)',
} as const;

/** Most counts are zero, and a null is added up and sent faster. */
const COUNTS = METER_KINDS.map((kind) => `sum(nullif(${findMeterColumn(kind)}, 0))`);

type GroupColumn = keyof typeof GROUPED_BY | keyof typeof SUMMED;
const COLUMNS = { ...GROUPED_BY, ...SUMMED };
const PLACES = Object.fromEntries(Object.keys(COLUMNS).map((name, place) => [name, place])) as Record<
  GroupColumn,
  number
>;
const FIRST_COUNT = Object.keys(COLUMNS).length;
const SELECTED = [...Object.values(COLUMNS), ...COUNTS];

const ROW_COLUMNS = [
  'account_id',
  'key_id',
  'group_name',
  'occurred_at',
  'booked_at',
  'snapshot_version',
  'group_ratio',
  'discount_ratio',
];

/** Its columns have names of their own, lest the order be that of their texts. @param condition with values from `$4` on. */
export const groupQuery = (condition: string): string => `COPY (
  WITH tiers AS (SELECT list, starts FROM jsonb_to_recordset($1::jsonb) AS t (list text, starts bigint[])),
  used AS (${selectLines('billing.usage', ROW_COLUMNS, condition)}),
  charged AS (
    SELECT used.*, accounts.name AS account_name, zone,
      date_trunc('month', booked_at AT TIME ZONE zone)::date AS billing_month,
      (occurred_at AT TIME ZONE zone)::date AS charge_day,
      coalesce(width_bucket(${INPUT_TOKEN_KINDS.map((kind) => `tokens_${kind}`).join(' + ')}, tiers.starts), 0) AS tier
    FROM used
    LEFT JOIN billing.export_account accounts ON accounts.job_id = $2 AND accounts.account_id = used.account_id
    LEFT JOIN tiers ON tiers.list = used.snapshot_version || ' ' || used.model
    CROSS JOIN LATERAL (SELECT coalesce(accounts.time_zone, 'UTC') AS zone) AS place
  )
  SELECT ${SELECTED.map((sql, place) => `(${sql})::text AS c${place}`).join(', ')} FROM charged
  GROUP BY ${Object.values(GROUPED_BY).join(', ')}
  ORDER BY ${Object.values(GROUPED_BY).join(', ')}
  OFFSET $3) TO STDOUT (FORMAT binary)`;

/** A group as the database has sent it. */
type SentGroup = readonly (string | null)[];

export const readGroups = (copied: Copied): SentGroup[] => readTexts(new Tuples(copied, SELECTED.length));

const textOf = (group: SentGroup, name: GroupColumn): string => group[PLACES[name]] ?? '';

const monthOf = (group: SentGroup) =>
  ({ step: 'month', zone: textOf(group, 'zone'), first: textOf(group, 'billing_month') }) as const;
const dayOf = (group: SentGroup) =>
  ({ step: 'day', zone: textOf(group, 'zone'), first: textOf(group, 'charge_day') }) as const;

/** The day and the month that a group is of. */
export const listPlaces = (group: SentGroup) => [monthOf(group), dayOf(group)];

/** @param spans knows the places of the group. */
export const toUsageGroup = (group: SentGroup, spans: FocusSpans): UsageGroup => ({
  billingPeriod: spans.find(monthOf(group)),
  chargePeriod: spans.find(dayOf(group)),
  accountId: textOf(group, 'account_id'),
  accountName: group[PLACES.account_name] ?? null,
  keyId: textOf(group, 'key_id'),
  groupName: textOf(group, 'group_name'),
  model: textOf(group, 'model'),
  serviceTier: textOf(group, 'service_tier') as ServiceTier,
  region: group[PLACES.region] ?? null,
  priceVersion: Number(textOf(group, 'price_version')),
  groupRatio: textOf(group, 'group_ratio'),
  discountRatio: textOf(group, 'discount_ratio'),
  tier: Number(textOf(group, 'tier')),
  requests: BigInt(textOf(group, 'requests')),
  costPico: BigInt(textOf(group, 'cost_pico')),
  charges: BigInt(textOf(group, 'charges')),
  counts: readCounts(group),
});

function readCounts(group: SentGroup): Partial<Record<MeterKind, bigint>> {
  const counts: Partial<Record<MeterKind, bigint>> = {};
  for (const [place, kind] of METER_KINDS.entries()) {
    const count = group[FIRST_COUNT + place];
    if (count !== null && count !== undefined) counts[kind] = BigInt(count);
  }
  return counts;
}
