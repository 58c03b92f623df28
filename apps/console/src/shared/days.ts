/** Days of a calendar such as "2026-11-21", in the time zone of the account. */
export interface Days {
  /** The first one. */
  readonly from?: string;
  /** The last one, which counts whole. */
  readonly to?: string;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Days of an address: what is none is left out, and so are both where they are not in order. */
export function readDays(from: string | undefined, to: string | undefined): Days {
  const [first, last] = [isDay(from) ? from : undefined, isDay(to) ? to : undefined];
  if (first !== undefined && last !== undefined && first > last) return {};
  return { ...(first === undefined ? {} : { from: first }), ...(last === undefined ? {} : { to: last }) };
}

const isDay = (text: string | undefined): text is string => {
  if (text === undefined || !DAY.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
};
