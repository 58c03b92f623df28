import { INPUT_TOKEN_KINDS, METER_KINDS, type MeterKind, type ServiceTier } from '@tollgate/vocabulary';
import { selectLines } from '../../usage/line-rows.ts';
import { findMeterColumn } from '../../usage/meter-columns.ts';
import type { UsageGroup } from '../focus/focus-rows.ts';
import type { FocusSpans } from '../focus/focus-spans.ts';
import { readDate, readInt, readText, readTexts, readUuid, Tuples } from '../tuples.ts';
import type { Copied } from './copy-out.ts';

const BY_BYTES = 'COLLATE "C"';

/** What groups are told apart by, and in this order: how it is read, and what it is of a line of the usage log. */
const GROUPED_BY = {
  billing_month: [readDate, "date_trunc('month', booked_at AT TIME ZONE zone)::date"],
  charge_day: [readDate, '(occurred_at AT TIME ZONE zone)::date'],
  account_id: [readUuid, 'used.account_id'],
  key_id: [readUuid, 'key_id'],
  group_name: [readText, `group_name ${BY_BYTES}`],
  model: [readText, `model ${BY_BYTES}`],
  service_tier: [readText, `service_tier ${BY_BYTES}`],
  region: [readText, `region ${BY_BYTES}`],
  price_version: [readInt, 'snapshot_version'],
  group_ratio: [readText, `group_ratio ${BY_BYTES}`],
  discount_ratio: [readText, `discount_ratio ${BY_BYTES}`],
  tier: [
    readInt,
    `coalesce(width_bucket(${INPUT_TOKEN_KINDS.map((kind) => `tokens_${kind}`).join(' + ')}, starts), 0)`,
  ],
  // An account has one of each.
  zone: [readText, `zone ${BY_BYTES}`],
  account_name: [readText, `accounts.name ${BY_BYTES}`],
} as const;

const SUMMED = {
  charges: 'count(*)',
  requests: 'count(*) FILTER (WHERE is_request)',
  cost_pico: 'sum(cost_pico)',
} as const;

const COUNTS = METER_KINDS.map(findMeterColumn);

const KEYS = Object.keys(GROUPED_BY);
const SUMS = [...Object.values(SUMMED), ...COUNTS.map((name) => `sum(${name})`)];
const READERS = [...Object.values(GROUPED_BY).map(([read]) => read), ...SUMS.map(() => readText)];

type GroupColumn = keyof typeof GROUPED_BY | keyof typeof SUMMED;
const PLACES = Object.fromEntries(
  [...KEYS, ...Object.keys(SUMMED)].map((name, place) => [name, place]),
) as Record<GroupColumn, number>;
const FIRST_COUNT = Object.keys(PLACES).length;

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

/**
 * Keys are sent as the database has them: making texts of them took it half a microsecond each. Most counts are zero, and nulls are
 * put in order, added up and sent faster. What is put in order is worked out before (`OFFSET 0`), not carried along.
 *
 * @param condition with values from `$4` on.
 */
export const groupQuery = (condition: string): string => `COPY (
  WITH tiers AS (SELECT list, starts FROM jsonb_to_recordset($1::jsonb) AS t (list text, starts bigint[])),
  used AS (${selectLines('billing.usage', ROW_COLUMNS, condition)}),
  charged AS (
    SELECT ${Object.entries(GROUPED_BY).map(([name, [, sql]]) => `${sql} AS ${name}`)},
      is_request, cost_pico, ${COUNTS.map((name) => `nullif(${name}, 0) AS ${name}`)}
    FROM used
    LEFT JOIN billing.export_account accounts ON accounts.job_id = $2 AND accounts.account_id = used.account_id
    LEFT JOIN tiers ON tiers.list = used.snapshot_version || ' ' || used.model
    CROSS JOIN LATERAL (SELECT coalesce(accounts.time_zone, 'UTC') AS zone) AS place
    OFFSET 0
  )
  SELECT ${KEYS}, ${SUMS.map((sql) => `(${sql})::text`)} FROM charged GROUP BY ${KEYS} ORDER BY ${KEYS}
  OFFSET $3) TO STDOUT (FORMAT binary)`;

/** A group as the database has sent it. */
type SentGroup = readonly (string | null)[];

export const readGroups = (copied: Copied): SentGroup[] =>
  readTexts(new Tuples(copied, READERS.length), READERS);

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
