import { numberFormat } from '../../shared/intl.ts';

/** What a column of an export adds up to. */
interface Sum {
  readonly name: string;
  readonly value: string;
  readonly isMoney: boolean;
}

const PICO = /_pico$/;
/** Of a kind of token or unit. */
const COUNT = /^(tokens|units)_/;

/**
 * The sums of a manifest without those in pico-USD, which say the same as the amounts beside them, and without kinds of token
 * and unit that nobody used.
 */
export function listSums(sums: Readonly<Record<string, string>>): Sum[] {
  const amounts = new Set(
    Object.keys(sums)
      .filter((name) => PICO.test(name))
      .map((name) => name.replace(PICO, '')),
  );
  return Object.entries(sums)
    .filter(([name, value]) => !PICO.test(name) && !(COUNT.test(name) && value === '0'))
    .map(([name, value]) => ({ name, value, isMoney: amounts.has(name.replace(/_usd$/, '')) }));
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** 1536 as "1.5 KB". */
export function byteSize(bytes: number, locale: string): string {
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  const value = numberFormat(locale, { maximumFractionDigits: step === 0 ? 0 : 1 });
  return `${value.format(bytes / 1_000 ** step)} ${UNITS[step]}`;
}
