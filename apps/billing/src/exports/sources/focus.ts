import { type PriceSnapshot, toPriceTerms } from '@tollgate/catalogue';
import { column, readRows } from '@tollgate/platform/sql';
import { INPUT_TOKEN_KINDS, METER_KINDS, type MeterKind, type ServiceTier } from '@tollgate/vocabulary';
import type { Client } from 'pg';
import QueryStream from 'pg-query-stream';
import { z } from 'zod';
import type { Row } from '../columns.ts';
import type { ExportPlan } from '../export-job.ts';
import { selectLines } from '../../usage/line-rows.ts';
import { findMeterColumn, METER_COLUMNS } from '../../usage/meter-columns.ts';
import { focusRows, type FocusPrices, type UsageGroup } from '../focus/focus-rows.ts';
import { FocusSpans } from '../focus/focus-spans.ts';
import { toPages } from '../pages.ts';
import { toCondition, RAW } from './filter.ts';
import type { Batch, ExportSource } from './source.ts';

/** The prices of a version that usage was posted under. */
export type SnapshotOf = (version: number) => Promise<PriceSnapshot>;

const GROUPS_AT_ONCE = 1_000;

type Group = Readonly<Record<string, string | null>>;

/**
 * The usage of an account, key, group, model, service tier and region on a day, as charges of FOCUS; the key of a row is its group's place.
 *
 * @param reader is busy until the last of them is read: nothing else can be asked of it meanwhile.
 * @param database answers when days and months begin.
 */
export async function focusSource(
  reader: Client,
  database: Client,
  plan: ExportPlan,
  snapshotOf: SnapshotOf,
): Promise<ExportSource> {
  const lists = await priceLists(reader, plan, snapshotOf);
  const spans = new FocusSpans(database);
  async function* read(afterKey: number): AsyncGenerator<Batch> {
    const inAll = toCondition(plan.filters, plan.watermark, 4);
    const values = [tiersOf(lists), plan.id, afterKey, ...inAll.values];
    const groups: AsyncIterable<Group> = reader.query(
      new QueryStream(groupQuery(inAll.text), values, { batchSize: GROUPS_AT_ONCE, types: RAW }),
    );
    let key = afterKey;
    for await (const some of inBatches(groups, GROUPS_AT_ONCE)) {
      await spans.load(some.flatMap((group) => [monthOf(group), dayOf(group)]));
      const batch: { rows: Row[]; keys: number[] } = { rows: [], keys: [] };
      for (const group of some) {
        key += 1;
        const rows = focusRows(groupOf(group, spans), listOf(lists, group), plan.providerName);
        batch.rows.push(...rows);
        batch.keys.push(...rows.map(() => key));
      }
      yield batch;
    }
  }
  return { total: null, pages: (start) => toPages(read(start.afterKey), start) };
}

async function* inBatches<T>(items: AsyncIterable<T>, count: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < count) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

type PriceLists = ReadonlyMap<string, FocusPrices>;
const listKey = (version: string | number | null | undefined, model: string | null | undefined): string =>
  `${version} ${model}`;

const usedPricesRow = z.object({ snapshot_version: column.int, model: column.text });

/** The price list of each version and model that was used. */
async function priceLists(client: Client, plan: ExportPlan, snapshotOf: SnapshotOf): Promise<PriceLists> {
  const inAll = toCondition(plan.filters, plan.watermark, 1);
  const rows = await readRows(
    client,
    usedPricesRow,
    `SELECT snapshot_version, model FROM (${selectLines('billing.usage', ['snapshot_version'], inAll.text)}) AS used
     GROUP BY 1, 2 ORDER BY 1, 2`,
    inAll.values,
  );
  const lists = new Map<string, FocusPrices>();
  let snapshot: PriceSnapshot | undefined;
  for (const { snapshot_version: version, model } of rows) {
    if (snapshot?.version !== version) snapshot = await snapshotOf(version);
    const list = snapshot.catalogue.models.find(({ name }) => name === model);
    if (!list) throw new Error(`version ${version} has no model "${model}"`);
    const { vendor, prices, tiers, request_price, unit_prices, service_tiers, regions } = toPriceTerms(list);
    lists.set(listKey(version, model), {
      vendor,
      prices,
      tiers,
      request_price,
      unit_prices,
      service_tiers,
      regions,
    });
  }
  return lists;
}

function listOf(lists: PriceLists, group: Group): FocusPrices {
  const list = lists.get(listKey(group['price_version'], group['model']));
  if (!list) throw new Error(`there are no prices of "${group['model']}"`);
  return list;
}

/** Where the tiers of a price list begin, for the database, which finds the tier of each request. */
const tiersOf = (lists: PriceLists): string =>
  JSON.stringify(
    [...lists]
      .filter(([, { tiers }]) => tiers.length > 0)
      .map(([key, { tiers }]) => ({
        list: key,
        // A tier holds above its length: from the next whole number on.
        starts: tiers.map(({ above_input_tokens }) => above_input_tokens + 1),
      })),
  );

const GROUPED_BY = [
  'charge_day',
  'account_id',
  'key_id',
  'group_name COLLATE "C"',
  'model COLLATE "C"',
  'service_tier COLLATE "C"',
  'region COLLATE "C"',
  'snapshot_version',
  'group_ratio COLLATE "C"',
  'discount_ratio COLLATE "C"',
  'tier',
].join(', ');

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

const groupQuery = (condition: string): string => `
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
  SELECT billing_month, charge_day, zone, account_id, account_name, key_id, group_name, model, service_tier, region, snapshot_version AS price_version,
    group_ratio, discount_ratio, tier, count(*) AS charges,
    count(*) FILTER (WHERE is_request) AS requests, sum(cost_pico) AS cost_pico,
    ${METER_COLUMNS.map((name) => `sum(${name}) AS ${name}`).join(', ')}
  FROM charged
  GROUP BY billing_month, zone, account_name, ${GROUPED_BY.replaceAll(' COLLATE "C"', '')}
  ORDER BY billing_month, ${GROUPED_BY}
  OFFSET $3`;

const monthOf = ({ zone, billing_month: first }: Group) =>
  ({ step: 'month', zone: zone ?? '', first: first ?? '' }) as const;
const dayOf = ({ zone, charge_day: first }: Group) =>
  ({ step: 'day', zone: zone ?? '', first: first ?? '' }) as const;

function groupOf(row: Group, spans: FocusSpans): UsageGroup {
  const text = (name: string): string => row[name] ?? '';
  return {
    billingPeriod: spans.find(monthOf(row)),
    chargePeriod: spans.find(dayOf(row)),
    accountId: text('account_id'),
    accountName: row['account_name'] ?? null,
    keyId: text('key_id'),
    groupName: text('group_name'),
    model: text('model'),
    serviceTier: text('service_tier') as ServiceTier,
    region: row['region'] ?? null,
    priceVersion: Number(text('price_version')),
    groupRatio: text('group_ratio'),
    discountRatio: text('discount_ratio'),
    tier: Number(text('tier')),
    charges: BigInt(text('charges')),
    requests: BigInt(text('requests')),
    costPico: BigInt(text('cost_pico')),
    counts: Object.fromEntries(
      METER_KINDS.map((kind) => [kind, BigInt(text(findMeterColumn(kind)))]),
    ) as Record<MeterKind, bigint>,
  };
}
