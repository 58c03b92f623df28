import { numberFormat, timeFormat } from '../../shared/intl.ts';

/** What of a month is shown of all accounts. */
export const MEASURES = ['usage', 'credit', 'requests'] as const;

type Measure = (typeof MEASURES)[number];

/** What an address asks of all accounts; what means nothing there is as usual. */
export function readAsked({ find, measure, to, page }: Readonly<Partial<Record<string, string>>>) {
  const number = Number(page);
  return {
    ...(find === undefined ? {} : { find }),
    ...(to !== undefined && /^\d{4}-(?:0[1-9]|1[0-2])$/.test(to) ? { to } : {}),
    measure: MEASURES.find((each) => each === measure) ?? ('usage' as Measure),
    page: Number.isInteger(number) && number > 1 ? number : 1,
  };
}

/** A month so many before or after another. */
export function moveMonth(month: string, by: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + by)).toISOString().slice(0, 7);
}

/** In whole cents, half to even, as a sum is rounded that is to be paid. */
export const roundedMoney = (amount: string, locale: string): string =>
  numberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    maximumFractionDigits: 2,
    roundingMode: 'halfEven',
  }).format(amount as `${number}`);

/** "2026-11" as "Nov 2026". */
export const shortMonth = (text: string, locale: string): string =>
  timeFormat(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${text}-01T00:00:00Z`),
  );
