import { dayIn, timeIn } from '../../shared/clock.ts';
import type { UsageSearch } from './filters.ts';

const MINUTE_MS = 60_000;

/**
 * A stretch of time as the address says it: whole days, or hours of them. The end is exclusive; one within a minute is that of
 * the minute, for what came in it belongs to the stretch.
 */
export function toTimes(from: string, to: string, zone: string): Pick<UsageSearch, 'from' | 'to' | 'hours'> {
  const [start, end] = [Date.parse(from), Math.ceil(Date.parse(to) / MINUTE_MS) * MINUTE_MS];
  const [first, last] = [timeIn(zone, start), timeIn(zone, end)];
  if (first === '00:00' && last === '00:00') return { from: dayIn(zone, start), to: dayIn(zone, end - 1) };
  return { from: dayIn(zone, start), to: dayIn(zone, end), hours: `${first}-${last}` };
}
