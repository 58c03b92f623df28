import { divideHalfEven, formatUsd, parseRatio, parseUsd } from '@tollgate/money';
import type { UnitKind } from '@tollgate/vocabulary';

/** Of how many units a price is told, as vendors do: a thousand searches, a minute of sound. */
const PRICED_TOGETHER: Readonly<Record<UnitKind, bigint>> = {
  images: 1n,
  characters: 1_000_000n,
  audio_milliseconds: 60_000n,
  video_milliseconds: 1_000n,
  searches: 1_000n,
  fetches: 1_000n,
  file_searches: 1_000n,
  container_sessions: 1n,
  rerank_units: 1_000n,
  pages: 1_000n,
};

/** The price of as many units as are told together, in decimal USD; the catalogue has micro-USD for a million of them. */
export function toUnitPrice(kind: UnitKind, microPerMillion: number, ratio = '1'): string {
  const { numerator, scale } = parseRatio(ratio);
  // Micro-USD for a million is pico-USD for one.
  const pico = BigInt(microPerMillion) * PRICED_TOGETHER[kind] * numerator;
  return formatUsd(divideHalfEven(pico, 10n ** BigInt(scale)));
}

const MAX_PRICE = BigInt(Number.MAX_SAFE_INTEGER);

/** The same back again; undefined for what is no price, or none that the catalogue can hold exactly. */
export function parseUnitPrice(kind: UnitKind, text: string): number | undefined {
  const typed = text.trim();
  if (!/^\d{1,10}(\.\d{1,12})?$/.test(typed)) return undefined;
  const [pico, together] = [parseUsd(typed), PRICED_TOGETHER[kind]];
  if (pico % together !== 0n || pico / together > MAX_PRICE) return undefined;
  return Number(pico / together);
}
