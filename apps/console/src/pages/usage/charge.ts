import { explainCharge } from '@tollgate/catalogue/price';
import { formatUsd, parseRatio, PICO_PER_MICRO_USD } from '@tollgate/money';
import type { MeterKind } from '@tollgate/vocabulary';
import type { PricedModel } from '../../api/pricing.ts';
import type { UsageEntry } from '../../api/usage.ts';

interface ChargeLine {
  /** A kind of token or unit, or `request` for the price of the request itself. */
  readonly kind: MeterKind | 'request';
  readonly tokens: number | null;
  /** Decimal USD per million tokens, or per request. */
  readonly price: string;
  readonly amount: string;
}

interface Charge {
  readonly lines: readonly ChargeLine[];
  readonly listed: string;
  readonly groupRatio: string;
  /** What the account pays of the group's price; null where it pays all of it. */
  readonly discountRatio: string | null;
  /** Whether a tier for long inputs held. */
  readonly isTiered: boolean;
}

/** How a charge came about: every kind of token times its price, then the ratios. */
export function describeCharge(entry: UsageEntry, model: PricedModel): Charge {
  const discount = parseRatio(entry.discount_ratio);
  const { lines, listedPico, tier } = explainCharge({ counts: entry.tokens }, model, [
    parseRatio(entry.group_ratio),
    discount,
  ]);
  return {
    lines: lines.map(({ kind, quantity, price, amountPico }) => ({
      kind,
      tokens: kind === 'request' ? null : Number(quantity),
      // Pico-USD a token is micro-USD a million of them; the price of a request is for one.
      price: formatUsd(kind === 'request' ? price : price * PICO_PER_MICRO_USD),
      amount: formatUsd(amountPico),
    })),
    listed: formatUsd(listedPico),
    groupRatio: entry.group_ratio,
    discountRatio: discount.numerator === 10n ** BigInt(discount.scale) ? null : entry.discount_ratio,
    isTiered: tier > 0,
  };
}
