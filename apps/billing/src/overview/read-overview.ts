import type { AnswerOf, overview } from '@tollgate/api';
import { formatUsd } from '@tollgate/money';
import { column, readRow, readRows, requireRow } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { IS_FAILED } from '../requests/uncharged.ts';
import { type Buckets, readBuckets } from '../usage/summary-buckets.ts';
import { SERVED_SUMS } from '../usage/served-hours.ts';

type Runs = Pick<DataSource, 'query'>;
type Overview = AnswerOf<typeof overview.showOverview>;

interface OverviewRequest {
  /** Whose clock cuts days. */
  readonly zoneOf: string;
  readonly from: string;
  /** Exclusive; an hour that it falls into is counted whole. */
  readonly to: string;
  readonly bucket: 'hour' | 'day';
}

/** A list shows no more than so many. */
const MAX_LISTED = 8;

const zoneRow = z.object({ time_zone: column.text });

/** How all accounts together fare: from sums that posting keeps by upstream, and from the counts of requests without a charge. */
export async function readOverview(
  database: Runs,
  { zoneOf, bucket, from, to }: OverviewRequest,
): Promise<Overview> {
  const account = await readRow(database, zoneRow, 'SELECT time_zone FROM billing.account WHERE id = $1', [
    zoneOf,
  ]);
  const zone = account?.time_zone ?? 'UTC';
  const buckets = await readBuckets(database, { from, to, bucket, zone });
  const [served, uncharged, customers, runningDry, latency] = await Promise.all([
    readServed(database, buckets, bucket, zone),
    readUncharged(database, buckets, bucket, zone),
    readCustomers(database, buckets),
    readRunningDry(database),
    readLatency(database, buckets),
  ]);
  const requests = served.filter(({ outcome }) => outcome !== 'lost');
  const count = (of: readonly { readonly requests: string }[]) =>
    of.reduce((sum, row) => sum + Number(row.requests), 0);
  // A stream that its upstream cut has a charge, and failed.
  const cut = requests.filter(({ outcome }) => outcome === 'upstream_cut');
  const failed = [...uncharged.filter(({ is_failed }) => is_failed), ...cut];
  const all = [...requests, ...uncharged];
  const inEach = <T extends { readonly starts_at: Date }, V>(
    rows: readonly T[],
    toValue: (own: readonly T[]) => V,
  ): V[] => {
    const byStart = Map.groupBy(rows, ({ starts_at }) => starts_at.toISOString());
    return buckets.starts.map((start) => toValue(byStart.get(start) ?? []));
  };
  const figures = inEach(served, toFigures);
  return {
    from: buckets.from,
    to: buckets.to,
    bucket,
    time_zone: zone,
    buckets: [...buckets.starts],
    requests: count(all),
    failed: count(failed),
    total: toFigures(served),
    latency,
    each: {
      requests: inEach(all, count),
      failed: inEach(failed, count),
      revenue_usd: figures.map(({ revenue_usd }) => revenue_usd),
      upstream_cost_usd: figures.map(({ upstream_cost_usd }) => upstream_cost_usd),
      margin_usd: figures.map(({ margin_usd }) => margin_usd),
      first_byte_ms: figures.map(({ first_byte_ms }) => first_byte_ms),
    },
    customers,
    models: rank(served, 'model', ({ cost_pico }) => cost_pico).map(([model, own]) => ({
      model,
      ...toFigures(own),
    })),
    upstreams: rank(served, 'upstream', (row) => row.requests).map(([upstream, own]) => ({
      upstream,
      ...toFigures(own),
    })),
    running_dry: runningDry,
  };
}

const servedRow = z.object({
  starts_at: column.timestamp,
  upstream: column.text,
  model: column.text,
  outcome: column.text,
  requests: column.bigint,
  latency_ms: column.bigint,
  first_byte_ms: column.bigint,
  cost_pico: column.bigint,
  upstream_cost_pico: column.bigint,
  unknown_cost_requests: column.bigint,
  unknown_cost_pico: column.bigint,
});
type ServedRow = z.infer<typeof servedRow>;

const readServed = (database: Runs, { from, to }: Buckets, bucket: string, zone: string) =>
  readRows(
    database,
    servedRow,
    `SELECT date_trunc($3, greatest(hour, $1::timestamptz), $4) AS starts_at, upstream, model, outcome,
       ${SERVED_SUMS.map((name) => `sum(${name})::text AS ${name}`).join(', ')}
     FROM billing.served_hour WHERE hour >= date_trunc('hour', $1::timestamptz, 'UTC') AND hour < $2 GROUP BY 1, 2, 3, 4`,
    [from, to, bucket, zone],
  );

const unchargedRow = z.object({
  starts_at: column.timestamp,
  is_failed: column.boolean,
  requests: column.bigint,
});

const readUncharged = (database: Runs, { from, to }: Buckets, bucket: string, zone: string) =>
  readRows(
    database,
    unchargedRow,
    `SELECT date_trunc($3, minute, $4) AS starts_at, ${IS_FAILED} AS is_failed,
       sum(requests)::text AS requests
     FROM billing.request_minute WHERE minute >= $1 AND minute < $2 GROUP BY 1, 2`,
    [from, to, bucket, zone],
  );

const customerRow = z.object({
  account_id: column.text,
  account_name: column.text.nullable(),
  requests: column.bigint,
  cost_pico: column.bigint,
});

/** Of each account the hours of the time alone are read, by its key. */
async function readCustomers(database: Runs, { from, to }: Buckets): Promise<Overview['customers']> {
  const rows = await readRows(
    database,
    customerRow,
    `SELECT a.id AS account_id, a.name AS account_name, s.requests::text AS requests, s.cost_pico::text AS cost_pico
     FROM billing.account a CROSS JOIN LATERAL (
       SELECT sum(h.requests) AS requests, sum(h.cost_pico) AS cost_pico FROM billing.account_hour h
       WHERE h.account_id = a.id AND h.hour >= $1 AND h.hour < $2) AS s
     WHERE s.requests > 0 ORDER BY s.cost_pico DESC, s.requests DESC, a.id LIMIT ${MAX_LISTED}`,
    [from, to],
  );
  return rows.map(({ account_id, account_name, requests, cost_pico }) => ({
    account_id,
    account_name,
    requests: Number(requests),
    revenue_usd: formatUsd(BigInt(cost_pico)),
  }));
}

const DRY_WITHIN_DAYS = 3;
const dryRow = z.object({
  account_id: column.text,
  account_name: column.text.nullable(),
  left_pico: column.bigint,
  spent_pico: column.bigint,
});

/** Accounts with a limit that may spend no more than in the last days; who spends nothing does not run dry. */
async function readRunningDry(database: Runs): Promise<Overview['running_dry']> {
  const rows = await readRows(
    database,
    dryRow,
    `SELECT a.id AS account_id, a.name AS account_name, l.left_pico::text AS left_pico, s.spent_pico::text AS spent_pico
     FROM billing.account a LEFT JOIN billing.account_balance b ON b.account_id = a.id
     CROSS JOIN LATERAL (
       SELECT coalesce(b.balance_pico, 0) + coalesce(a.credit_limit_pico, 0) AS left_pico) AS l
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(h.cost_pico), 0) AS spent_pico FROM billing.account_hour h
       WHERE h.account_id = a.id AND h.hour >= now() - interval '${DRY_WITHIN_DAYS} days') AS s
     WHERE a.status = 'active' AND (a.mode = 'prepaid' OR a.credit_limit_pico IS NOT NULL)
       AND s.spent_pico > 0 AND l.left_pico < s.spent_pico
     ORDER BY l.left_pico / s.spent_pico, a.id LIMIT ${MAX_LISTED}`,
  );
  return rows.map(({ account_id, account_name, left_pico, spent_pico }) => ({
    account_id,
    account_name,
    left_usd: formatUsd(BigInt(left_pico)),
    spent_a_day_usd: formatUsd(BigInt(spent_pico) / BigInt(DRY_WITHIN_DAYS)),
  }));
}

/** So many are looked at, however long the span: their times are kept in the log alone. */
const LATENCY_SAMPLE = 5_000;

const millis = column.int.nullable();
const latencyRow = z.object({
  requests: column.int,
  first_byte_p50: millis,
  first_byte_p95: millis,
  first_byte_p99: millis,
  whole_p50: millis,
  whole_p95: millis,
  whole_p99: millis,
});

async function readLatency(database: Runs, { from, to }: Buckets): Promise<Overview['latency']> {
  const share = (percent: number, name: string) =>
    `percentile_disc(${percent / 100}) WITHIN GROUP (ORDER BY ${name}_ms)`;
  const shares = [50, 95, 99].flatMap((percent) => [
    `${share(percent, 'first_byte')} AS first_byte_p${percent}`,
    `${share(percent, 'latency')} AS whole_p${percent}`,
  ]);
  const row = await requireRow(
    database,
    latencyRow,
    `SELECT count(*)::int AS requests, ${shares.join(', ')}
     FROM (SELECT occurred_at, first_byte_ms, latency_ms FROM billing.usage
       ORDER BY number DESC LIMIT ${LATENCY_SAMPLE}) AS newest
     WHERE occurred_at >= $1 AND occurred_at < $2`,
    [from, to],
  );
  return {
    requests: row.requests,
    first_byte: { p50_ms: row.first_byte_p50, p95_ms: row.first_byte_p95, p99_ms: row.first_byte_p99 },
    whole: { p50_ms: row.whole_p50, p95_ms: row.whole_p95, p99_ms: row.whole_p99 },
  };
}

/** The rows of those that have the most of something, the first ones. */
function rank(
  rows: readonly ServedRow[],
  by: 'model' | 'upstream',
  toWorth: (row: ServedRow) => string,
): [string, ServedRow[]][] {
  const worth = (own: readonly ServedRow[]) => own.reduce((sum, row) => sum + BigInt(toWorth(row)), 0n);
  return [...Map.groupBy(rows, (row) => row[by])]
    .map(([name, own]) => ({ name, own, worth: worth(own) }))
    .sort((a, b) => (a.worth === b.worth ? a.name.localeCompare(b.name) : a.worth < b.worth ? 1 : -1))
    .slice(0, MAX_LISTED)
    .map(({ name, own }) => [name, own]);
}

/** What lost attempts may cost is a part of the cost; they are no requests, and took nobody's time. */
function toFigures(rows: readonly ServedRow[]): Overview['total'] {
  const requests = rows.filter(({ outcome }) => outcome !== 'lost');
  const sum = (of: readonly ServedRow[], name: (typeof SERVED_SUMS)[number]) =>
    of.reduce((total, row) => total + BigInt(row[name]), 0n);
  const [revenue, unknown] = [sum(requests, 'cost_pico'), sum(requests, 'unknown_cost_pico')];
  const cost = sum(rows, 'upstream_cost_pico');
  const count = sum(requests, 'requests');
  const toMean = (name: 'first_byte_ms' | 'latency_ms') =>
    count === 0n ? null : Number(sum(requests, name) / count);
  return {
    requests: Number(count),
    revenue_usd: formatUsd(revenue),
    upstream_cost_usd: formatUsd(cost),
    margin_usd: formatUsd(revenue - unknown - cost),
    requests_of_unknown_cost: Number(sum(requests, 'unknown_cost_requests')),
    first_byte_ms: toMean('first_byte_ms'),
    latency_ms: toMean('latency_ms'),
  };
}
