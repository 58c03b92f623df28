import { useTranslation } from 'react-i18next';
import { browserZone } from './zone-name.ts';
import { useFormat } from './use-format.ts';
import { useZone } from './use-zone.ts';

interface MomentProps {
  /** ISO 8601. */
  readonly at: string;
  /** In full; day and time without the year; the day alone; or how long ago it was. */
  readonly as?: 'full' | 'short' | 'day' | 'ago';
  readonly className?: string;
}

/** When something was, by the clock of the account. Who points at it is told it in full, and by the browser's clock. */
export function Moment({ at, as = 'full', className }: MomentProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [zone, here] = [useZone(), browserZone()];
  const texts = { full: format.moment, short: format.shortMoment, day: format.day, ago: format.fromNow };
  const own = zone === here ? [] : [t('clock.browser', { time: format.momentIn(at, here), zone: here })];
  return (
    <time dateTime={at} title={[`${format.moment(at)} (${zone})`, ...own].join('\n')} className={className}>
      {texts[as](at)}
    </time>
  );
}
