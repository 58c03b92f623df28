/** What of a month is shown of all accounts. */
export const MEASURES = ['usage', 'credit', 'requests'] as const;

/** A month so many before or after another. */
export function moveMonth(month: string, by: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + by)).toISOString().slice(0, 7);
}

/** In whole cents, half to even, as a sum is rounded that is to be paid. */
export const roundedMoney = (amount: string, locale: string): string =>
  new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    maximumFractionDigits: 2,
    roundingMode: 'halfEven',
  }).format(amount as `${number}`);

/** "2026-11" as "Nov 2026". */
export const shortMonth = (text: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${text}-01T00:00:00Z`),
  );
