export type RetryAfterHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

const DECIMAL = /^\d+(\.\d+)?$/;
/** All three forms of an HTTP date begin with the day of the week. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/** Nobody is told to come back later than this. */
const RETRY_AFTER_MAX_MS = 3_600_000;

/**
 * Milliseconds that an upstream asks to wait, at most an hour: `retry-after-ms`, else `retry-after` in seconds or as an HTTP
 * date (a past one is 0). Undefined when there is none that can be read.
 */
export function readRetryAfterMs(headers: RetryAfterHeaders, now: number): number | undefined {
  const ms = readUncapped(headers, now);
  return ms === undefined ? undefined : Math.min(ms, RETRY_AFTER_MAX_MS);
}

function readUncapped(headers: RetryAfterHeaders, now: number): number | undefined {
  const exact = firstText(headers['retry-after-ms']);
  if (DECIMAL.test(exact)) return Number(exact);
  const text = firstText(headers['retry-after']);
  if (DECIMAL.test(text)) return Number(text) * 1_000;
  const date = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

const firstText = (value: string | readonly string[] | undefined): string =>
  (typeof value === 'string' ? value : (value?.[0] ?? '')).trim();
