import { useTranslation } from 'react-i18next';
import { useZone } from '../../shared/use-zone.ts';

/** Says from when to when something is: whole days where it begins and ends at midnight. */
export function useSpan(): (from: string, to: string) => string {
  const { i18n } = useTranslation();
  const timeZone = useZone();
  return (from, to) => {
    const [first, last] = [new Date(from), new Date(Date.parse(to) - 1)];
    return new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeZone }).formatRange(first, last);
  };
}
