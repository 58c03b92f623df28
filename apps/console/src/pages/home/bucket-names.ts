import type { UsageSummary } from '../../api/summary.ts';
import { timeFormat } from '../../shared/intl.ts';

type Buckets = Pick<UsageSummary, 'bucket' | 'time_zone'>;

/** A bucket as it stands below an axis, by the account's clock: "14:00", "Nov 21". */
export const bucketTick = (iso: string, { bucket, time_zone: timeZone }: Buckets, locale: string): string =>
  timeFormat(
    locale,
    bucket === 'hour'
      ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone }
      : { month: 'short', day: 'numeric', timeZone },
  ).format(new Date(iso));

/** A bucket in full: "Sat, Nov 21, 14:00". */
export const bucketName = (iso: string, { bucket, time_zone: timeZone }: Buckets, locale: string): string =>
  timeFormat(locale, {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    ...(bucket === 'hour' ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' as const } : {}),
    timeZone,
  }).format(new Date(iso));
