import { divideHalfEven, formatUsd, parseRatio, parseUsd, PICO_PER_MICRO_USD } from '@tollgate/money';
import { agoFormat, numberFormat, timeFormat } from './intl.ts';

/** Exact decimal text, as the relay sends amounts; Intl formats it digit by digit. */
type Decimal = `${number}`;

const usd = (locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat =>
  numberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    ...options,
  });

/** Every digit of an amount: "$0.0000375". Before it is rounded a charge has up to 18 places. */
export const exactMoney = (amount: string, locale: string): string =>
  usd(locale, { minimumFractionDigits: 2, maximumFractionDigits: 18 }).format(amount as Decimal);

const SMALLEST_SHOWN = parseUsd('0.0001');
const ONE_USD = parseUsd('1');

/** An amount to be read at a glance: cents from a dollar on, four places below, and never zero for what is more. */
export function shortMoney(amount: string, locale: string): string {
  const pico = parseUsd(amount);
  const size = pico < 0n ? -pico : pico;
  if (size > 0n && size < SMALLEST_SHOWN) {
    const least = usd(locale, { maximumFractionDigits: 4 }).format('0.0001');
    return pico < 0n ? `>-${least}` : `<${least}`;
  }
  const places = size === 0n || size >= ONE_USD ? 2 : 4;
  return usd(locale, {
    minimumFractionDigits: 2,
    maximumFractionDigits: places,
    roundingMode: 'halfEven',
  }).format(amount as Decimal);
}

/** A price of whole micro-USD times a ratio such as "0.85", as decimal USD. */
export function priceTimes(microUsd: number, ratio: string): string {
  const { numerator, scale } = parseRatio(ratio);
  return formatUsd(divideHalfEven(BigInt(microUsd) * PICO_PER_MICRO_USD * numerator, 10n ** BigInt(scale)));
}

/** A ratio that came as a JSON number; ratios have at most nine places, which a double holds. */
export const toRatio = (value: number): string => value.toFixed(9).replace(/\.?0+$/, '');

/** How full a budget is, from 0 to 100. */
export function percentSpent(spent: string, budget: string): number {
  const [part, whole] = [parseUsd(spent), parseUsd(budget)];
  if (whole <= 0n) return 100;
  const percent = (part * 100n) / whole;
  return Number(percent > 100n ? 100n : percent);
}

/** Whether a person's text is an amount of USD that the relay takes. */
export function isAmount(text: string): boolean {
  try {
    return parseUsd(text) >= 0n;
  } catch {
    return false;
  }
}

export const count = (value: number, locale: string): string => numberFormat(locale, {}).format(value);

/** 200000 as "200K". */
export const shortCount = (value: number, locale: string): string =>
  numberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }).format(value);

export const moment = (iso: string, locale: string, timeZone: string): string =>
  timeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone }).format(new Date(iso));

export const day = (iso: string, locale: string, timeZone: string): string =>
  timeFormat(locale, { dateStyle: 'medium', timeZone }).format(new Date(iso));

/** "2026-11" as "November 2026". */
export const month = (text: string, locale: string): string =>
  timeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${text}-01T00:00:00Z`),
  );

/** Day and time without the year, for dense lists. */
export const shortMoment = (iso: string, locale: string, timeZone: string): string =>
  timeFormat(locale, {
    timeZone,
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }).format(new Date(iso));

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** "3 minutes ago", "in 2 days". */
export function fromNow(iso: string, locale: string, now = Date.now()): string {
  const seconds = Math.round((Date.parse(iso) - now) / 1_000);
  const format = agoFormat(locale, { numeric: 'auto' });
  const [unit, size] = STEPS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return format.format(Math.trunc(seconds / size), unit);
}
