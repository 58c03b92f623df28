import type { AnswerOf, RequestOf, usage } from '@tollgate/api';
import { formatUsd } from '@tollgate/money';
import { column, httpError, readRow, readRows } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { addUp, computeLeft, type Sums, toSeries, type SummaryRow } from './summary-series.ts';
import { type Buckets, readBuckets } from './summary-buckets.ts';
import { toCountFields, UNIT_COLUMNS } from './meter-columns.ts';
import { HOUR_SUMS } from './usage-hours.ts';
import { readCounts } from './usage-lines.ts';

type UsageSummary = AnswerOf<typeof usage.summariseUsage>;
type SummaryQuery = RequestOf<typeof usage.summariseUsage>['query'];

interface SummaryRequest extends Pick<SummaryQuery, 'bucket' | 'by'> {
  readonly accountId: string;
  /** Rounded down to the beginning of its bucket. */
  readonly from: string;
  /** Exclusive; an hour that it falls into is counted whole. */
  readonly to: string;
}

/** Response times are those of so many requests, the newest ones. */
const LATENCY_SAMPLE = 2_000;
/** A chart shows no more than so many series; what is left is added up in one without a key. */
const MAX_SERIES = 8;
const COLUMN = { model: 'model', status: 'outcome' } as const satisfies Partial<
  Record<SummaryQuery['by'], string>
>;
const timeZoneRow = z.object({ time_zone: column.text });

/**
 * Sums of an account's usage in buckets of its own clock, by model, key or outcome; amounts in exact decimal USD. The
 * sums come from the hours that posting keeps, response times from the newest rows of the log.
 *
 * @throws HttpException 404 for an account that is not there, 400 for more buckets than a chart can hold.
 */
export async function usageSummary(
  database: Pick<DataSource, 'query'>,
  request: SummaryRequest,
): Promise<UsageSummary> {
  const account = await readRow(
    database,
    timeZoneRow,
    'SELECT time_zone FROM billing.account WHERE id = $1',
    [request.accountId],
  );
  if (!account) throw httpError(404, 'There is no such account.', 'account_id', 'not_found');
  const zone = account.time_zone;
  const buckets = await readBuckets(database, { ...request, zone });
  const [rows, outcomes, latency, spent] = await Promise.all([
    readSeriesRows(database, request, zone, buckets),
    readOutcomes(database, request, buckets),
    readLatency(database, request, buckets),
    readSpent(database, request.accountId, zone),
  ]);
  const { series, total } = toSeries(rows, buckets.starts, MAX_SERIES);
  return {
    account_id: request.accountId,
    from: buckets.from,
    to: buckets.to,
    bucket: request.bucket,
    by: request.by,
    time_zone: zone,
    spent,
    total: { ...showSums(total), outcomes },
    latency,
    buckets: buckets.starts,
    series: series.map(({ key, label, total: whole, each }) => ({
      key,
      label,
      total: showSums(whole),
      requests: each.map(({ requests }) => requests),
      tokens: each.map(({ tokensIn, tokensOut }) => tokensIn + tokensOut),
      cost_usd: each.map(({ costPico }) => formatUsd(costPico)),
    })),
  };
}

const showSums = ({ requests, tokensIn, tokensOut, units, costPico }: Sums) => ({
  requests,
  tokens_in: tokensIn,
  tokens_out: tokensOut,
  units,
  cost_usd: formatUsd(costPico),
});

type Span = readonly [accountId: string, from: string, to: string];
const IN_SPAN = 'account_id = $1 AND hour >= $2 AND hour < $3';
const SUMS = HOUR_SUMS.map((name) => `sum(${name})::text AS ${name}`).join(', ');

const seriesRow = z.object({
  starts_at: column.timestamp,
  key: column.text.nullable(),
  requests: column.bigint,
  tokens_in: column.bigint,
  tokens_out: column.bigint,
  cost_pico: column.bigint,
  ...toCountFields(UNIT_COLUMNS),
});

async function readSeriesRows(
  database: Pick<DataSource, 'query'>,
  { accountId, bucket, by }: SummaryRequest,
  zone: string,
  { from, to }: Buckets,
): Promise<SummaryRow[]> {
  const span: Span = [accountId, from, to];
  if (by === 'key') return readRowsByKey(database, span, [bucket, zone]);
  const rows = await readRows(
    database,
    seriesRow,
    `SELECT date_trunc($4, hour, $5) AS starts_at, ${COLUMN[by]} AS key, ${SUMS}
     FROM billing.account_hour WHERE ${IN_SPAN} GROUP BY 1, 2`,
    [...span, bucket, zone],
  );
  return rows.map((row) => rowOf(row));
}

const topKeyRow = z.object({ key: column.text, label: column.text.nullable() });

/** Those of the most expensive keys bucket by bucket; what is left of the whole account is a row without a key. */
async function readRowsByKey(
  database: Pick<DataSource, 'query'>,
  span: Span,
  buckets: readonly [bucket: string, zone: string],
): Promise<SummaryRow[]> {
  const byCost = await readRows(
    database,
    topKeyRow,
    `SELECT s.key_id::text AS key, k.name AS label FROM (
       SELECT key_id, sum(cost_pico) AS cost, sum(requests) AS requests
       FROM billing.usage_hour WHERE ${IN_SPAN} GROUP BY 1 ORDER BY 2 DESC, 3 DESC, 1 LIMIT ${MAX_SERIES + 1}
     ) s LEFT JOIN billing.api_key k ON k.id = s.key_id ORDER BY s.cost DESC, s.requests DESC, s.key_id`,
    [...span],
  );
  const shown = byCost.length > MAX_SERIES ? byCost.slice(0, MAX_SERIES - 1) : byCost;
  const labels = new Map(shown.map(({ key, label }) => [key, label]));
  const own = await readRows(
    database,
    seriesRow,
    `SELECT date_trunc($4, hour, $5) AS starts_at, key_id::text AS key, ${SUMS}
     FROM billing.usage_hour WHERE ${IN_SPAN} AND key_id = ANY($6::uuid[]) GROUP BY 1, 2`,
    [...span, ...buckets, [...labels.keys()]],
  );
  const rows = own.map((row) => rowOf(row, labels.get(row.key ?? '')));
  if (shown.length === byCost.length) return rows;
  // Asked after its parts: what is posted meanwhile makes it larger, never smaller than they are.
  const whole = await readRows(
    database,
    seriesRow,
    `SELECT date_trunc($4, hour, $5) AS starts_at, NULL AS key, ${SUMS}
     FROM billing.account_hour WHERE ${IN_SPAN} GROUP BY 1`,
    [...span, ...buckets],
  );
  return [
    ...rows,
    ...computeLeft(
      whole.map((row) => rowOf(row)),
      rows,
    ),
  ];
}

const rowOf = (row: z.infer<typeof seriesRow>, label: string | null = null): SummaryRow => ({
  startsAt: row.starts_at.toISOString(),
  key: row.key,
  label,
  sums: {
    requests: Number(row.requests),
    tokensIn: Number(row.tokens_in),
    tokensOut: Number(row.tokens_out),
    units: readCounts(row),
    costPico: BigInt(row.cost_pico),
  },
});

const outcomeRow = z.object({ outcome: column.text, requests: column.bigint });

async function readOutcomes(
  database: Pick<DataSource, 'query'>,
  { accountId }: SummaryRequest,
  { from, to }: Buckets,
): Promise<UsageSummary['total']['outcomes']> {
  const rows = await readRows(
    database,
    outcomeRow,
    `SELECT outcome, sum(requests)::text AS requests FROM billing.account_hour
     WHERE account_id = $1 AND hour >= $2 AND hour < $3 GROUP BY 1`,
    [accountId, from, to],
  );
  const found = Object.fromEntries(rows.map(({ outcome, requests }) => [outcome, Number(requests)]));
  return { completed: 0, client_aborted: 0, upstream_cut: 0, ...found };
}

const latencyRow = z.object({
  requests: column.int,
  p50_ms: column.int.nullable(),
  p95_ms: column.int.nullable(),
  first_byte_p50_ms: column.int.nullable(),
  first_byte_p95_ms: column.int.nullable(),
});

async function readLatency(
  database: Pick<DataSource, 'query'>,
  { accountId }: SummaryRequest,
  { from, to }: Buckets,
): Promise<UsageSummary['latency']> {
  const row = await readRow(
    database,
    latencyRow,
    `SELECT count(*)::int AS requests,
       percentile_disc(0.5) WITHIN GROUP (ORDER BY latency_ms) AS p50_ms,
       percentile_disc(0.95) WITHIN GROUP (ORDER BY latency_ms) AS p95_ms,
       percentile_disc(0.5) WITHIN GROUP (ORDER BY first_byte_ms) AS first_byte_p50_ms,
       percentile_disc(0.95) WITHIN GROUP (ORDER BY first_byte_ms) AS first_byte_p95_ms
     FROM (SELECT latency_ms, first_byte_ms FROM billing.usage
       WHERE account_id = $1 AND occurred_at >= $2 AND occurred_at < $3
       ORDER BY occurred_at DESC, request_id DESC LIMIT ${LATENCY_SAMPLE}) AS newest`,
    [accountId, from, to],
  );
  if (!row) throw new Error('a count over no rows is a row');
  return row;
}

const spentRow = z.object({ today: column.boolean, cost_pico: column.bigint });

/** What was spent since the last midnight and the first of the month, by the account's clock. */
async function readSpent(
  database: Pick<DataSource, 'query'>,
  accountId: string,
  zone: string,
): Promise<UsageSummary['spent']> {
  const rows = await readRows(
    database,
    spentRow,
    `SELECT hour >= date_trunc('day', now(), $2) AS today, sum(cost_pico)::text AS cost_pico
     FROM billing.account_hour WHERE account_id = $1 AND hour >= date_trunc('month', now(), $2) GROUP BY 1`,
    [accountId, zone],
  );
  const sum = (part: typeof rows) => formatUsd(addUp(part.map(({ cost_pico }) => BigInt(cost_pico))));
  return { today_usd: sum(rows.filter(({ today }) => today)), this_month_usd: sum(rows) };
}
