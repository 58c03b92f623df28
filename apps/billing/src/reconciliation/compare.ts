import type { Ratio } from '@tollgate/money';
import { type ComparisonStatus, INVOICE_COUNTS } from '@tollgate/vocabulary';

/** What one side says of a model on a day, or in all. Null is not said. */
export interface Figures extends Readonly<Record<(typeof INVOICE_COUNTS)[number], bigint | null>> {
  readonly amount_pico: bigint;
}

export interface SideRow extends Figures {
  /** Such as `2026-11-21`. */
  readonly day: string;
  /** The upstream's name of it. */
  readonly model: string;
}

export interface OurRow extends SideRow {
  readonly requests_of_unknown_cost: bigint;
}

/** Ours less theirs. */
export type Differences = { readonly [F in keyof Figures]: bigint | null };

export interface Compared {
  readonly ours: Figures | null;
  readonly theirs: Figures | null;
  readonly difference: Differences;
  readonly requests_of_unknown_cost: bigint;
}

export interface ComparedRow extends Compared {
  readonly day: string;
  readonly model: string;
  readonly status: ComparisonStatus;
}

export const FIGURES = [...INVOICE_COUNTS, 'amount_pico'] as const;
const NOTHING: Figures = {
  requests: 0n,
  input_tokens: 0n,
  cached_tokens: 0n,
  output_tokens: 0n,
  amount_pico: 0n,
};

/**
 * Compares two sides model by model and day by day. A row is ok where each figure that both sides state is off by no
 * more than `tolerancePercent` of theirs.
 */
export function compare(
  ours: readonly OurRow[],
  theirs: readonly SideRow[],
  tolerancePercent: Ratio,
): { readonly rows: ComparedRow[]; readonly totals: Compared } {
  const keyOf = ({ day, model }: SideRow) => JSON.stringify([day, model]);
  const our = new Map(ours.map((row) => [keyOf(row), row]));
  const their = new Map(theirs.map((row) => [keyOf(row), row]));
  const rows = [...new Set([...our.keys(), ...their.keys()])]
    .sort()
    .map((key) => comparedRow(our.get(key), their.get(key), tolerancePercent));
  return { rows, totals: compared(sumOf(ours), sumOf(theirs), unknownOf(ours)) };
}

function comparedRow(our: OurRow | undefined, their: SideRow | undefined, tolerance: Ratio): ComparedRow {
  const { day = '', model = '' } = our ?? their ?? {};
  const { difference, ...sides } = compared(
    our && figuresOf(our),
    their && figuresOf(their),
    our?.requests_of_unknown_cost ?? 0n,
  );
  const near = FIGURES.every((figure) =>
    within(difference[figure], sides.theirs?.[figure] ?? null, tolerance),
  );
  const status = !our ? 'only_theirs' : !their ? 'only_ours' : near ? 'ok' : 'differs';
  return { day, model, status, ...sides, difference };
}

const compared = (
  ours: Figures | undefined,
  theirs: Figures | undefined,
  requests_of_unknown_cost: bigint,
): Compared => ({
  ours: ours ?? null,
  theirs: theirs ?? null,
  difference: mapFigures((figure) => minus((ours ?? NOTHING)[figure], (theirs ?? NOTHING)[figure])),
  requests_of_unknown_cost,
});

const figuresOf = (row: SideRow): Figures => ({
  ...mapFigures((figure) => row[figure]),
  amount_pico: row.amount_pico,
});

const mapFigures = (valueOf: (figure: keyof Figures) => bigint | null): Differences => ({
  requests: valueOf('requests'),
  input_tokens: valueOf('input_tokens'),
  cached_tokens: valueOf('cached_tokens'),
  output_tokens: valueOf('output_tokens'),
  amount_pico: valueOf('amount_pico'),
});

const minus = (a: bigint | null, b: bigint | null): bigint | null =>
  a === null || b === null ? null : a - b;

const within = (difference: bigint | null, base: bigint | null, { numerator, scale }: Ratio): boolean =>
  difference === null ||
  base === null ||
  size(difference) * 100n * 10n ** BigInt(scale) <= size(base) * numerator;

const size = (value: bigint): bigint => (value < 0n ? -value : value);

const unknownOf = (rows: readonly OurRow[]): bigint =>
  rows.reduce((sum, row) => sum + row.requests_of_unknown_cost, 0n);

/** A figure that a single row does not state is not stated of the sum. Undefined where there are no rows. */
function sumOf(rows: readonly SideRow[]): Figures | undefined {
  if (rows.length === 0) return undefined;
  const add = (figure: keyof Figures) =>
    rows.reduce<bigint | null>((sum, row) => {
      const value = row[figure];
      return sum === null || value === null ? null : sum + value;
    }, 0n);
  return { ...mapFigures(add), amount_pico: rows.reduce((sum, row) => sum + row.amount_pico, 0n) };
}
