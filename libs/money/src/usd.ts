import { decimalText, divideHalfEven, type Ratio } from './ratio.ts';

const PLACES = 12;

/** Pico-USD in one USD. */
export const PICO_PER_USD = 10n ** BigInt(PLACES);

/** Pico-USD in one micro-USD. */
export const PICO_PER_MICRO_USD = 1_000_000n;

/** An amount of pico-USD as exact decimal USD: two places at least, no zeros beyond them. */
export function formatUsd(pico: bigint): string {
  return decimalText(pico, PLACES).replace(/0{1,10}$/, '');
}

/** The same of what is no whole number of pico-USD, with all its places. */
export const formatFraction = ({ numerator, scale }: Ratio): string =>
  decimalText(numerator, PLACES + scale).replace(/(\.\d{2}\d*?)0+$/, '$1');

/** Reads decimal USD of at most twelve places into pico-USD. @throws RangeError for anything else. */
export function parseUsd(text: string): bigint {
  const match = /^(-?)(\d{1,15})(?:\.(\d{1,12}))?$/.exec(text);
  if (!match)
    throw new RangeError(
      `not an amount of USD: "${text}"; write a decimal of at most 12 places, such as "12.50"`,
    );
  const pico = BigInt(match[2] ?? '0') * PICO_PER_USD + BigInt((match[3] ?? '').padEnd(PLACES, '0'));
  return match[1] === '-' ? -pico : pico;
}

const PICO_PER_CENT = PICO_PER_USD / 100n;

/** An amount in whole cents, half to even, as decimal USD: what is asked for or paid. A sum is rounded, never its parts. */
export const formatCents = (pico: bigint): string =>
  formatUsd(divideHalfEven(pico, PICO_PER_CENT) * PICO_PER_CENT);
