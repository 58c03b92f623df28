import { explainCharge } from '@tollgate/catalogue/price';
import { toPriceTerms } from '@tollgate/catalogue/unit-prices';
import { formatFraction, formatUsd, parseRatio, parseUsd, PICO_PER_MICRO_USD } from '@tollgate/money';
import { findOwn, isUnitKind, type MeterKind } from '@tollgate/vocabulary';
import type { PricedModel } from '../../api/pricing.ts';
import type { UsageEntry } from '../../api/usage.ts';

export type UsageLine = UsageEntry['lines'][number];

interface ChargeRow {
  /** A kind of token or unit, or `request` for the price of the request itself. */
  readonly kind: MeterKind | 'request';
  readonly quantity: number | null;
  /** Micro-USD for a million, or for the request. */
  readonly price: number;
  readonly amount: string;
  /** The upstream reported no number of it. */
  readonly isCounted: boolean;
}

/** What tokens cost more or less where a vendor served them otherwise than by its standard. */
interface TokenRatio {
  readonly of: 'serviceTier' | 'region';
  readonly name: string;
  readonly ratio: string;
}

interface Charge {
  readonly tokens: readonly ChargeRow[];
  readonly tokenRatios: readonly TokenRatio[];
  /** Units, and the request itself. */
  readonly others: readonly ChargeRow[];
  readonly listed: string;
  readonly groupRatio: string;
  /** What the account pays of the group's price; null where it pays all of it. */
  readonly discountRatio: string | null;
  /** Whether a tier for long inputs held. */
  readonly isTiered: boolean;
  /** What the prices give, where that is not what was charged. */
  readonly computed: string | null;
}

/**
 * How the charge of a line came about: every kind of token times its price, those times the ratios of the service tier and the
 * region, every unit times its price, then the other ratios. Undefined where these prices have none for something.
 */
export function describeCharge(entry: UsageEntry, line: UsageLine, model: PricedModel): Charge | undefined {
  const discount = parseRatio(entry.discount_ratio);
  const terms = toPriceTerms(model);
  const used = {
    counts: line.counts,
    serviceTier: line.service_tier,
    region: line.region ?? undefined,
    isRequest: line === entry.lines[0],
  };
  const explained = orUndefined(() => explainCharge(used, terms, [parseRatio(entry.group_ratio), discount]));
  if (!explained) return undefined;
  const rows = explained.lines.map(({ kind, quantity, price, amountPico }): ChargeRow => ({
    kind,
    quantity: kind === 'request' ? null : Number(quantity),
    // Pico-USD for one is micro-USD for a million; the price of a request is for one.
    price: Number(kind === 'request' ? price / PICO_PER_MICRO_USD : price),
    amount: formatUsd(amountPico),
    isCounted: kind !== 'request' && line.counted.some((each) => each === kind),
  }));
  const isToken = ({ kind }: ChargeRow) => kind !== 'request' && !isUnitKind(kind);
  return {
    tokens: rows.filter(isToken),
    tokenRatios: listTokenRatios(line, model),
    others: rows.filter((row) => !isToken(row)),
    listed: formatFraction(explained.listed),
    groupRatio: entry.group_ratio,
    discountRatio: discount.numerator === 10n ** BigInt(discount.scale) ? null : entry.discount_ratio,
    isTiered: explained.tier > 0,
    computed: explained.chargedPico === parseUsd(line.cost_usd) ? null : formatUsd(explained.chargedPico),
  };
}

/** Those that change anything. */
function listTokenRatios(
  { service_tier: tier, region }: UsageLine,
  { service_tiers, regions }: Pick<PricedModel, 'service_tiers' | 'regions'>,
): TokenRatio[] {
  const ratios: TokenRatio[] = [];
  const [ofTier, ofRegion] = [service_tiers[tier], region === null ? undefined : findOwn(regions, region)];
  if (ofTier !== undefined) ratios.push({ of: 'serviceTier', name: tier, ratio: ofTier });
  if (region !== null && ofRegion !== undefined) ratios.push({ of: 'region', name: region, ratio: ofRegion });
  return ratios;
}

function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** What an upstream reported beyond what is charged. */
interface Dispute {
  readonly kinds: readonly {
    readonly kind: MeterKind;
    readonly reported: number;
    readonly charged: number;
  }[];
  readonly serviceTiers: readonly UsageLine['service_tier'][];
  readonly regions: readonly string[];
  /** Of models whose work is not charged. */
  readonly models: readonly string[];
}

export function describeDispute({ lines, disputed }: Pick<UsageEntry, 'lines' | 'disputed'>): Dispute {
  const reported = disputed?.lines ?? [];
  const sums = (of: readonly Pick<UsageLine, 'counts'>[]) => {
    const all = new Map<string, number>();
    for (const { counts } of of)
      for (const [kind, count] of Object.entries(counts)) all.set(kind, (all.get(kind) ?? 0) + count);
    return all;
  };
  const charged = sums(lines);
  const isNew = <T>(value: T | undefined, known: readonly T[]): value is T =>
    value !== undefined && !known.includes(value);
  return {
    kinds: [...sums(reported)]
      .map(([kind, count]) => ({
        kind: kind as MeterKind,
        reported: count,
        charged: charged.get(kind) ?? 0,
      }))
      .filter((each) => each.reported > each.charged),
    serviceTiers: reported
      .map(({ service_tier }) => service_tier)
      .filter((tier) => isNew(tier, ['standard', ...lines.map(({ service_tier }) => service_tier)])),
    regions: reported
      .map(({ region }) => region)
      .filter((region) =>
        isNew(
          region,
          lines.flatMap((line) => line.region ?? []),
        ),
      ),
    models: reported
      .map(({ model }) => model)
      .filter((model) =>
        isNew(
          model,
          lines.map((line) => line.model),
        ),
      ),
  };
}
