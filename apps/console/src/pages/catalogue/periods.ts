export const PERIODS = ['lastMonth', 'thisMonth', 'days7', 'days30'] as const;
export type Period = (typeof PERIODS)[number];

const DAY_MS = 86_400_000;

/** From its first moment to the one after its last, in UTC, as the books have their months. */
export function toRange(period: Period, now = new Date()): { readonly from: string; readonly to: string } {
  const month = (offset: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1));
  const range = (from: Date, to: Date) => ({ from: from.toISOString(), to: to.toISOString() });
  switch (period) {
    case 'lastMonth':
      return range(month(-1), month(0));
    case 'thisMonth':
      return range(month(0), now.getTime() > month(0).getTime() ? now : month(1));
    default:
      return range(new Date(now.getTime() - (period === 'days7' ? 7 : 30) * DAY_MS), now);
  }
}
