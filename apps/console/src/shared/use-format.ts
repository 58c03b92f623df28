import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import {
  count,
  day,
  exactMoney,
  fromNow,
  moment,
  month,
  shortCount,
  shortMoment,
  shortMoney,
} from './format.ts';
import { useZone } from './use-zone.ts';
import { browserZone } from './zone-name.ts';

/** Every formatter in the language of the page and the time zone of the account. */
export function useFormat() {
  const { t, i18n } = useTranslation();
  const locale = i18n.language;
  const zone = useZone();
  return useMemo(
    () => ({
      exactMoney: (amount: string) => exactMoney(amount, locale),
      shortMoney: (amount: string) => shortMoney(amount, locale),
      count: (value: number) => count(value, locale),
      shortCount: (value: number) => shortCount(value, locale),
      moment: (iso: string) => moment(iso, locale, zone),
      /** By the clock of the account, and by the browser's where that is another. */
      bothClocks: (iso: string) => {
        const here = browserZone();
        const own = `${moment(iso, locale, zone)} (${zone})`;
        return zone === here
          ? own
          : `${own}\n${t('clock.browser', { time: moment(iso, locale, here), zone: here })}`;
      },
      shortMoment: (iso: string) => shortMoment(iso, locale, zone),
      month: (text: string) => month(text, locale),
      day: (iso: string) => day(iso, locale, zone),
      /** A day of a calendar, such as "2026-11-21". */
      calendarDay: (text: string) => day(text, locale, 'UTC'),
      fromNow: (iso: string) => fromNow(iso, locale),
    }),
    [t, locale, zone],
  );
}
