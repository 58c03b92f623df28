import { useFormat } from './use-format.ts';

interface MomentProps {
  /** ISO 8601. */
  readonly at: string;
  /** In full; day and time without the year; the day alone; or how long ago it was. */
  readonly as?: 'full' | 'short' | 'day' | 'ago';
  readonly className?: string;
}

/** When something was, by the clock of the account. Who points at it is told it in full, and by the browser's clock. */
export function Moment({ at, as = 'full', className }: MomentProps) {
  const format = useFormat();
  const texts = { full: format.moment, short: format.shortMoment, day: format.day, ago: format.fromNow };
  return (
    <time dateTime={at} title={format.bothClocks(at)} className={className}>
      {texts[as](at)}
    </time>
  );
}
