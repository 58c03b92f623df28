import { column, httpError, readRows } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';

const MAX_BUCKETS = 800;
const LENGTH_MS = { hour: 3_600_000, day: 86_400_000 };

/** The buckets of a chart, each by where it begins. */
export interface Buckets {
  /** Where the first one begins. */
  readonly from: string;
  /** As it was asked for. */
  readonly to: string;
  readonly starts: readonly string[];
}

const bucketRow = z.object({ starts_at: column.timestamp });

/**
 * The hours or days of a time zone that a time touches. A day has 23 to 25 hours; an hour that comes twice is two.
 *
 * @throws HttpException 400 where there would be too many, or none.
 */
export async function readBuckets(
  database: Pick<DataSource, 'query'>,
  request: {
    readonly from: string;
    readonly to: string;
    readonly bucket: 'hour' | 'day';
    readonly zone: string;
  },
): Promise<Buckets> {
  const length = Date.parse(request.to) - Date.parse(request.from);
  if (length <= 0) throw httpError(400, 'to: must be later than from.', 'to', 'ends_before_it_begins');
  if (length / LENGTH_MS[request.bucket] > MAX_BUCKETS) {
    const message = `bucket: the time has more than ${MAX_BUCKETS} ${request.bucket}s. Ask for a shorter one or for longer buckets.`;
    throw httpError(400, message, 'bucket', 'too_many_buckets', { max: MAX_BUCKETS });
  }
  const rows = await readRows(
    database,
    bucketRow,
    `SELECT DISTINCT date_trunc($3, at, $4) AS starts_at
     FROM (SELECT generate_series(date_trunc($3, $1::timestamptz, $4), $2::timestamptz - interval '1 microsecond',
         interval '30 minutes') AS at
       UNION ALL SELECT $2::timestamptz - interval '1 microsecond') AS moments
     ORDER BY 1`,
    [request.from, request.to, request.bucket, request.zone],
  );
  const starts = rows.map(({ starts_at }) => starts_at.toISOString());
  return { from: starts[0] ?? request.from, to: new Date(request.to).toISOString(), starts };
}
