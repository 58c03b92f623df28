import { formatUsd, inputTokens, parseRatio, pricesFor } from '@tollgate/money';
import type { UsageEntry } from '../../api/usage.ts';
import type { PricedModel } from '../../api/pricing.ts';

const PICO_PER_MICRO = 1_000_000n;

interface ChargeLine {
  /** A kind of token, or `request` for the price of the request itself. */
  readonly kind: string;
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
export function chargeOf(entry: UsageEntry, model: PricedModel): Charge {
  const prices = pricesFor(model, inputTokens(entry.tokens));
  const tokenLines = Object.entries(entry.tokens).map(([kind, tokens]) => {
    const price = BigInt(prices[kind] ?? 0);
    return { kind, tokens, price: price * PICO_PER_MICRO, amount: BigInt(tokens) * price };
  });
  const request = BigInt(model.request_price) * PICO_PER_MICRO;
  const lines =
    request === 0n
      ? tokenLines
      : [...tokenLines, { kind: 'request', tokens: null, price: request, amount: request }];
  const listed = lines.reduce((sum, { amount }) => sum + amount, 0n);
  const discount = parseRatio(entry.discount_ratio);
  return {
    lines: lines.map(({ price, amount, ...line }) => ({
      ...line,
      price: formatUsd(price),
      amount: formatUsd(amount),
    })),
    listed: formatUsd(listed),
    groupRatio: entry.group_ratio,
    discountRatio: discount.numerator === 10n ** BigInt(discount.scale) ? null : entry.discount_ratio,
    isTiered: prices !== model.prices,
  };
}
