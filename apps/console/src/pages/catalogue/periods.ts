import { momentIn } from '../../shared/clock.ts';
import { findMonth } from '../../shared/spans.ts';

export const PERIODS = ['lastMonth', 'thisMonth', 'days7', 'days30'] as const;
export type Period = (typeof PERIODS)[number];

const DAY_MS = 86_400_000;

/** From its first moment to the one after its last; months are those of the time zone. */
export function toRange(
  period: Period,
  zone: string,
  now = new Date(),
): { readonly from: string; readonly to: string } {
  const month = (before: number) => momentIn(zone, `${findMonth(before, zone, now)}-01T00:00`);
  const range = (from: Date, to: Date) => ({ from: from.toISOString(), to: to.toISOString() });
  switch (period) {
    case 'lastMonth':
      return range(month(1), month(0));
    case 'thisMonth':
      return range(month(0), now.getTime() > month(0).getTime() ? now : month(-1));
    default:
      return range(new Date(now.getTime() - (period === 'days7' ? 7 : 30) * DAY_MS), now);
  }
}
