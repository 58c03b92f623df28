import type { Tier } from '../extras.ts';
import type { Billed } from './billed.ts';
import type { VendorPrices } from './prices.ts';

interface BillLine {
  readonly model: string;
  readonly kind: string;
  readonly tier: Tier;
  readonly region: string | null;
  readonly count: number;
  /** Pico-USD as decimal text. */
  readonly amount_pico: string;
}

interface BilledRequest {
  /** What the user asked last. */
  readonly asked: string;
  readonly amount_pico: string;
  readonly lines: readonly BillLine[];
}

/** What a credential owes its vendor. */
export interface CredentialBill {
  readonly credential: string;
  readonly requests: number;
  readonly amount_pico: string;
  /** The last so many. */
  readonly latest: readonly BilledRequest[];
  /** What it was served and no price was found for. */
  readonly unpriced: readonly string[];
}

/** Keeps what each credential owes, by the vendor's own rules and prices; without prices it keeps nothing. */
export interface VendorBill {
  setPrices(prices: VendorPrices): void;
  add(credential: string, asked: string, billed: readonly Billed[]): void;
  list(): CredentialBill[];
  clear(): void;
}

const MAX_REQUESTS = 5_000;
/** Ratios of a tier and of a region, each in thousandths. */
const PER_PICO = 1_000_000n;
const ONE = 1_000n;

export function createVendorBill(): VendorBill {
  interface Owed {
    requests: number;
    amount: bigint;
    latest: BilledRequest[];
    readonly unpriced: Set<string>;
  }
  const owedBy = new Map<string, Owed>();
  let prices: VendorPrices | undefined;
  return {
    setPrices: (set) => void (prices = set),
    add(credential, asked, billed) {
      if (prices === undefined) return;
      const owed = owedBy.get(credential) ?? { requests: 0, amount: 0n, latest: [], unpriced: new Set() };
      owedBy.set(credential, owed);
      const lines: BillLine[] = [];
      let sum = 0n;
      for (const line of priceLines(billed, prices, owed.unpriced)) {
        const { amount, ...rest } = line;
        sum += amount;
        lines.push({ ...rest, amount_pico: picoText(amount) });
      }
      owed.requests += 1;
      owed.amount += sum;
      owed.latest.push({ asked, amount_pico: picoText(sum), lines });
      if (owed.latest.length > MAX_REQUESTS) owed.latest = owed.latest.slice(-MAX_REQUESTS / 2);
    },
    list: () =>
      [...owedBy].map(([credential, { requests, amount, latest, unpriced }]) => ({
        credential,
        requests,
        amount_pico: picoText(amount),
        latest,
        unpriced: [...unpriced],
      })),
    clear: () => owedBy.clear(),
  };
}

/** Each kind that was used, with its amount in millionths of a pico-USD: two ratios leave no more places than that. */
function* priceLines(
  billed: readonly Billed[],
  prices: VendorPrices,
  unpriced: Set<string>,
): Generator<Omit<BillLine, 'amount_pico'> & { amount: bigint }> {
  const found = (price: bigint | undefined, what: string): bigint => {
    if (price === undefined) unpriced.add(what);
    return price ?? 0n;
  };
  for (const { model, tier, region, tokens, tools } of billed) {
    const of = prices[model];
    const ofTier = tier === 'standard' ? ONE : found(of?.tiers[tier], `${model}: the tier ${tier}`);
    const ofRegion =
      region === undefined ? ONE : found(of?.regions[region], `${model}: the region ${region}`);
    const at = { model, tier, region: region ?? null };
    for (const [kind, count] of usedOf(tokens)) {
      // Most vendors have one price for all that is written.
      const ofWritten = kind === 'reasoning_output' ? of?.per_million.output : undefined;
      const price = found(of?.per_million[kind] ?? ofWritten, `${model}: ${kind}`);
      yield { ...at, kind, count, amount: BigInt(count) * price * ofTier * ofRegion };
    }
    for (const [kind, count] of usedOf(tools)) {
      const price = found(of?.per_thousand[kind], `${model}: ${kind}`);
      yield { ...at, kind, count, amount: BigInt(count) * price * PER_PICO };
    }
  }
}

const usedOf = <K extends string>(counts: Partial<Record<K, number>>): (readonly [K, number])[] =>
  (Object.entries(counts) as [K, number][]).filter(([, count]) => count > 0);

function picoText(amount: bigint): string {
  const rest = (amount % PER_PICO).toString().padStart(6, '0').replace(/0+$/, '');
  return `${amount / PER_PICO}${rest === '' ? '' : `.${rest}`}`;
}
