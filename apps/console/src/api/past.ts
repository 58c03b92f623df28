const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

/**
 * The span of so many hours that ends now, in buckets; its first bucket is whole. The one before it has a bucket for each
 * of these, and may have a piece of one more.
 */
export function toPast(hours: number, bucket: 'hour' | 'day' = 'hour', isBefore = false) {
  const start = Date.now() - (hours - 1) * HOUR_MS;
  if (!isBefore) return { from: new Date(start).toISOString() };
  const length = bucket === 'hour' ? hours : Math.ceil(hours / DAY_HOURS) * DAY_HOURS;
  return { from: new Date(start - length * HOUR_MS).toISOString(), to: new Date(start).toISOString() };
}
