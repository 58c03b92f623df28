export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const DECIMAL = /^\d+(\.\d+)?$/;
/** All three forms of an HTTP date begin with the day of the week. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/**
 * Milliseconds that an upstream asks to wait: `retry-after-ms`, else `retry-after` in seconds or as an HTTP date (a
 * past one is 0). Undefined when there is none that can be read.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const exact = textOf(headers['retry-after-ms']);
  if (DECIMAL.test(exact)) return Number(exact);
  const text = textOf(headers['retry-after']);
  if (DECIMAL.test(text)) return Number(text) * 1_000;
  const date = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

const textOf = (value: string | readonly string[] | undefined): string =>
  (typeof value === 'string' ? value : (value?.[0] ?? '')).trim();
