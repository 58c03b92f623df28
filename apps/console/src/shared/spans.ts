import { addDays, dayIn, momentIn } from './clock.ts';
import type { Days } from './days.ts';

/** The moments that services take: the end is exclusive. */
export const toSpan = ({ from, to }: Days, zone: string): Days => ({
  ...(from === undefined ? {} : { from: startOf(from, zone) }),
  ...(to === undefined ? {} : { to: startOf(addDays(to, 1), zone) }),
});

const startOf = (day: string, zone: string): string => momentIn(zone, `${day}T00:00`).toISOString();

/** From `days` ago to today. */
export function lastDays(days: number, zone: string, now = new Date()): [string, string] {
  const today = dayIn(zone, now);
  return [addDays(today, 1 - days), today];
}

/** The month that lies `before` months back, such as "2026-10"; 0 is the one that runs. */
export function findMonth(before: number, zone: string, now = new Date()): string {
  const [year = 0, month = 1] = dayIn(zone, now).split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 - before)).toISOString().slice(0, 7);
}

/** The first and the last day of that month. */
export const monthDays = (before: number, zone: string, now = new Date()): [string, string] => [
  `${findMonth(before, zone, now)}-01`,
  addDays(`${findMonth(before - 1, zone, now)}-01`, -1),
];
