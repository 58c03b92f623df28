/** Days of a calendar such as "2026-11-21", in the time zone of the browser. */
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

/** The moments that services take: the end is exclusive. */
export const toSpan = ({ from, to }: Days): Days => ({
  ...(from === undefined ? {} : { from: toStartOfDay(from).toISOString() }),
  ...(to === undefined ? {} : { to: dayAfter(toStartOfDay(to)).toISOString() }),
});

/** From `days` ago to today. */
export function lastDays(days: number, today = new Date()): [string, string] {
  return [dayText(on(today, 1 - days)), dayText(today)];
}

/** The whole month that lies `before` months back; 0 is the one that runs. */
export function monthDays(before: number, today = new Date()): [string, string] {
  const first = new Date(today.getFullYear(), today.getMonth() - before, 1);
  return [dayText(first), dayText(new Date(first.getFullYear(), first.getMonth() + 1, 0))];
}

const isDay = (text: string | undefined): text is string =>
  text !== undefined &&
  DAY.test(text) &&
  toStartOfDay(text).toString() !== 'Invalid Date' &&
  dayText(toStartOfDay(text)) === text;

const toStartOfDay = (text: string): Date => new Date(`${text}T00:00:00`);
/** By the calendar: a day may have 23 or 25 hours. */
const on = (date: Date, days: number): Date =>
  new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
const dayAfter = (date: Date): Date => on(date, 1);

/** The day of a moment, where the browser is. */
export function dayText(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
