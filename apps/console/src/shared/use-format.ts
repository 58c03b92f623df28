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

/** Every formatter in the language of the page. */
export function useFormat() {
  const { i18n } = useTranslation();
  const locale = i18n.language;
  return useMemo(
    () => ({
      exactMoney: (amount: string) => exactMoney(amount, locale),
      shortMoney: (amount: string) => shortMoney(amount, locale),
      count: (value: number) => count(value, locale),
      shortCount: (value: number) => shortCount(value, locale),
      moment: (iso: string) => moment(iso, locale),
      shortMoment: (iso: string) => shortMoment(iso, locale),
      month: (text: string) => month(text, locale),
      day: (iso: string) => day(iso, locale),
      fromNow: (iso: string) => fromNow(iso, locale),
    }),
    [locale],
  );
}
