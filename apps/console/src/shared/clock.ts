import { timeFormat } from './intl.ts';

/** Everything that a page shows of time goes by one time zone: the account's. This is the arithmetic of it. */

const DAY_MS = 86_400_000;

/** What the clocks of a time zone show at a moment, as if they were UTC's; in milliseconds. */
function shownAt(at: number, zone: string): number {
  const format = timeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

/** The day of a moment, such as "2026-11-21". */
export const dayIn = (zone: string, at: number | Date): string =>
  new Date(shownAt(Number(at), zone)).toISOString().slice(0, 10);

/** The time of day of a moment, such as "08:30". */
export const timeIn = (zone: string, at: number | Date): string =>
  new Date(shownAt(Number(at), zone)).toISOString().slice(11, 16);

/**
 * The moment at which the clocks of a time zone show "2026-11-21T08:30": the first one of two, and the one after the
 * change where they skip it.
 */
export function momentIn(zone: string, shown: string): Date {
  const asShown = Date.parse(`${shown}Z`);
  const offsets = [asShown - DAY_MS, asShown + DAY_MS].map((at) => shownAt(at, zone) - at);
  const moments = offsets.map((offset) => asShown - offset).sort((a, b) => a - b);
  return new Date(moments.find((at) => shownAt(at, zone) >= asShown) ?? asShown);
}

/** Days later by the calendar. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
