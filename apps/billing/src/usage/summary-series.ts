import { UNIT_KINDS, type UnitKind } from '@tollgate/vocabulary';

type Units = Readonly<Partial<Record<UnitKind, number>>>;

/** Counts and the cost of some requests. */
export interface Sums {
  readonly requests: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Kinds that were used. */
  readonly units: Units;
  readonly costPico: bigint;
}

/** What one key of a group (a model, say) has in one bucket. */
export interface SummaryRow {
  readonly startsAt: string;
  /** Null for all that are told together. */
  readonly key: string | null;
  readonly label: string | null;
  readonly sums: Sums;
}

interface Series {
  /** Null for all that have no series of their own. */
  readonly key: string | null;
  readonly label: string | null;
  readonly total: Sums;
  /** One for each bucket. */
  readonly each: readonly Sums[];
}

const NONE: Sums = { requests: 0, tokensIn: 0, tokensOut: 0, units: {}, costPico: 0n };

/** Most rows have no units at all. */
function joinUnits(a: Units, b: Units, sign: 1 | -1): Units {
  if (Object.keys(b).length === 0) return a;
  const joined: Partial<Record<UnitKind, number>> = {};
  for (const kind of UNIT_KINDS) {
    const count = (a[kind] ?? 0) + sign * (b[kind] ?? 0);
    if (count !== 0) joined[kind] = count;
  }
  return joined;
}

const plus = (a: Sums, b: Sums): Sums => ({
  requests: a.requests + b.requests,
  tokensIn: a.tokensIn + b.tokensIn,
  tokensOut: a.tokensOut + b.tokensOut,
  units: joinUnits(a.units, b.units, 1),
  costPico: a.costPico + b.costPico,
});

const minus = (a: Sums, b: Sums): Sums => ({
  requests: a.requests - b.requests,
  tokensIn: a.tokensIn - b.tokensIn,
  tokensOut: a.tokensOut - b.tokensOut,
  units: joinUnits(a.units, b.units, -1),
  costPico: a.costPico - b.costPico,
});

/** What the rows of a whole account have beyond `parts` of it. */
export function computeLeft(whole: readonly SummaryRow[], parts: readonly SummaryRow[]): SummaryRow[] {
  const byBucket = Map.groupBy(parts, ({ startsAt }) => startsAt);
  return whole.map((row) => ({
    ...row,
    sums: (byBucket.get(row.startsAt) ?? []).reduce((left, { sums }) => minus(left, sums), row.sums),
  }));
}

export const addUp = (amounts: readonly bigint[]): bigint =>
  amounts.reduce((sum, amount) => sum + amount, 0n);

/**
 * The rows as series over the buckets, the most expensive first. Where there are more than `max`, those that cost least are
 * one series without a key, and rows without one belong to it.
 */
export function toSeries(
  rows: readonly SummaryRow[],
  buckets: readonly string[],
  max: number,
): { readonly series: readonly Series[]; readonly total: Sums } {
  const byKey = Map.groupBy(rows, ({ key }) => key);
  const together = byKey.get(null) ?? [];
  const named = [...byKey].flatMap(([key, own]) => (key === null ? [] : [[key, own] as const]));
  const totals = named.map(([key, own]) => ({ key, own, total: computeTotal(own) }));
  totals.sort((a, b) => compare(b.total, a.total) || (a.key < b.key ? -1 : 1));
  const shown = totals.length > max ? totals.slice(0, max - 1) : totals;
  const rest = [...totals.slice(shown.length).flatMap(({ own }) => own), ...together];
  const series: Series[] = shown.map(({ key, own, total }) => ({
    key,
    label: own[0]?.label ?? null,
    total,
    each: spread(own, buckets),
  }));
  if (rest.length > 0)
    series.push({ key: null, label: null, total: computeTotal(rest), each: spread(rest, buckets) });
  return { series, total: computeTotal(rows) };
}

const computeTotal = (rows: readonly SummaryRow[]): Sums =>
  rows.reduce((sum, { sums }) => plus(sum, sums), NONE);

/** Of two that cost the same the one with more requests stands first. */
function compare(a: Sums, b: Sums): number {
  if (a.costPico !== b.costPico) return a.costPico < b.costPico ? -1 : 1;
  return a.requests - b.requests;
}

function spread(rows: readonly SummaryRow[], buckets: readonly string[]): Sums[] {
  const byBucket = new Map<string, Sums>();
  for (const { startsAt, sums } of rows) byBucket.set(startsAt, plus(byBucket.get(startsAt) ?? NONE, sums));
  return buckets.map((start) => byBucket.get(start) ?? NONE);
}
