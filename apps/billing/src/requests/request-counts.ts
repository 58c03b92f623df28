import type { AnswerOf, requests } from '@tollgate/api';
import { CLIENT_LEFT } from '@tollgate/contracts';
import { column, httpError, readRow, readRows } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { readBuckets } from '../usage/summary-buckets.ts';

type Runs = Pick<DataSource, 'query'>;
type RequestCounts = AnswerOf<typeof requests.countRequests>;

interface CountsRequest {
  /** Undefined for all accounts. */
  readonly accountId: string | undefined;
  /** Whose clock cuts days and hours. */
  readonly zoneOf: string;
  readonly from: string;
  readonly to: string;
  readonly bucket: 'hour' | 'day';
}

const zoneRow = z.object({ time_zone: column.text });
const countRow = z.object({
  starts_at: column.timestamp,
  http_status: column.int,
  error_code: column.text,
  requests: column.bigint,
  recorded: column.bigint,
});
type CountRow = z.infer<typeof countRow>;

/**
 * Requests by how they ended: those without a charge as gateways count them, the others as the usage log sums them.
 *
 * @throws HttpException 404 for an account that is not there, 400 for more buckets than a chart can hold.
 */
export async function countRequests(
  database: Runs,
  { accountId, zoneOf, from, to, bucket }: CountsRequest,
): Promise<RequestCounts> {
  const account = await readRow(database, zoneRow, 'SELECT time_zone FROM billing.account WHERE id = $1', [
    zoneOf,
  ]);
  if (!account) throw httpError(404, 'There is no such account.', 'account_id', 'not_found');
  const { time_zone } = account;
  const span = await readBuckets(database, { from, to, bucket, zone: time_zone });
  const ofAccount = accountId === undefined ? 'true' : 'account_id = $5';
  const values = [bucket, time_zone, span.from, span.to, ...(accountId === undefined ? [] : [accountId])];
  const rows = await readRows(
    database,
    countRow,
    `SELECT date_trunc($1, minute, $2) AS starts_at, http_status, error_code, sum(requests)::text AS requests,
       sum(recorded)::text AS recorded
     FROM billing.request_minute WHERE minute >= $3 AND minute < $4 AND ${ofAccount} GROUP BY 1, 2, 3
     UNION ALL
     SELECT date_trunc($1, hour, $2), CASE outcome WHEN 'client_aborted' THEN ${CLIENT_LEFT.status} ELSE 200 END,
       CASE outcome WHEN 'completed' THEN '' WHEN 'client_aborted' THEN '${CLIENT_LEFT.code}' ELSE outcome END,
       sum(requests)::text, sum(requests)::text
     FROM billing.account_hour WHERE hour >= $3 AND hour < $4 AND ${ofAccount} GROUP BY 1, 2, 3`,
    values,
  );
  return {
    from: span.from,
    to: span.to,
    bucket,
    time_zone,
    buckets: span.starts,
    requests: sum(rows),
    failed: sum(rows.filter(isFailed)),
    series: toSeries(rows, span.starts),
  };
}

/** A stream that its upstream cut was answered with 200. */
const isFailed = ({ http_status, error_code }: CountRow): boolean =>
  (http_status >= 400 && http_status !== CLIENT_LEFT.status) || error_code === 'upstream_cut';

const sum = (rows: readonly CountRow[], of: 'requests' | 'recorded' = 'requests'): number =>
  rows.reduce((total, row) => total + Number(row[of]), 0);

/** By status and code, the most frequent first. */
function toSeries(rows: readonly CountRow[], starts: readonly string[]): RequestCounts['series'] {
  const groups = Map.groupBy(rows, ({ http_status, error_code }) => `${http_status} ${error_code}`);
  const series = [...groups.values()].flatMap((own) => {
    const [first] = own;
    if (!first) return [];
    const byStart = Map.groupBy(own, ({ starts_at }) => starts_at.toISOString());
    return {
      http_status: first.http_status,
      error_code: first.error_code === '' ? null : first.error_code,
      requests: sum(own),
      recorded: sum(own, 'recorded'),
      each: starts.map((start) => sum(byStart.get(start) ?? [])),
    };
  });
  const name = ({ http_status, error_code }: (typeof series)[number]) => `${http_status} ${error_code ?? ''}`;
  return series.sort((a, b) => b.requests - a.requests || (name(a) < name(b) ? -1 : 1));
}
