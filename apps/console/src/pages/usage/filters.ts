import type { UsageFilter } from '../../api/usage.ts';
import { textOf } from '../../shared/search-params.ts';

/** What the address of the usage log says. */
export interface UsageSearch {
  readonly key?: string;
  readonly model?: string;
  /** The first and the last day that are shown, in the time zone of the browser. */
  readonly from?: string;
  readonly to?: string;
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const isDay = (text: string | undefined): text is string =>
  text !== undefined &&
  DAY.test(text) &&
  startOf(text).toString() !== 'Invalid Date' &&
  dayText(startOf(text)) === text;

/** Takes what it understands of an address and leaves the rest. */
export function readFilters(search: Readonly<Record<string, unknown>>): UsageSearch {
  const { key, model, from, to } = textOf(search, ['key', 'model', 'from', 'to']);
  const [first, last] = [isDay(from) ? from : undefined, isDay(to) ? to : undefined];
  const inOrder = first === undefined || last === undefined || first <= last;
  return {
    ...(key !== undefined && UUID.test(key) ? { key } : {}),
    ...(model === undefined ? {} : { model }),
    ...(first !== undefined && inOrder ? { from: first } : {}),
    ...(last !== undefined && inOrder ? { to: last } : {}),
  };
}

/** The filter that the service takes: moments instead of days, the end exclusive. */
export const filterOf = ({ key, model, from, to }: UsageSearch): UsageFilter => ({
  ...(key === undefined ? {} : { key_id: key }),
  ...(model === undefined ? {} : { model }),
  ...(from === undefined ? {} : { from: startOf(from).toISOString() }),
  ...(to === undefined ? {} : { to: dayAfter(startOf(to)).toISOString() }),
});

/** The days from `days` ago to today. */
export function lastDays(days: number, today = new Date()): [string, string] {
  const first = new Date(today.getFullYear(), today.getMonth(), today.getDate() - days + 1);
  return [dayText(first), dayText(today)];
}

const startOf = (text: string): Date => new Date(`${text}T00:00:00`);
/** By the calendar: a day may have 23 or 25 hours. */
const dayAfter = (date: Date): Date => new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1);

function dayText(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
