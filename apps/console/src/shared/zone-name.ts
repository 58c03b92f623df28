import { timeFormat } from './intl.ts';

let zone: string | undefined;

/** Where the browser is. */
export const browserZone = (): string => (zone ??= Intl.DateTimeFormat().resolvedOptions().timeZone);

/** "Asia/Shanghai, GMT+8", as it is at a moment. */
export function zoneName(zone: string, locale: string, at: number | Date = Date.now()): string {
  const parts = timeFormat(locale, { timeZone: zone, timeZoneName: 'shortOffset' });
  const offset = parts.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
  return zone === 'UTC' || offset === undefined ? zone : `${zone}, ${offset}`;
}
