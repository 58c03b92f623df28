import type { PeriodTotals, UsageTotal } from './totals.ts';

/** The totals of two stretches of time of which the second goes on where the first ends. */
export const addTotals = (a: PeriodTotals, b: PeriodTotals): PeriodTotals => ({
  opening_balance_pico: a.opening_balance_pico,
  closing_balance_pico: plus(
    a.closing_balance_pico,
    String(BigInt(b.closing_balance_pico) - BigInt(b.opening_balance_pico)),
  ),
  transactions: a.transactions + b.transactions,
  first_number: furthest(Math.min, a.first_number, b.first_number),
  last_number: furthest(Math.max, a.last_number, b.last_number),
  kinds: merge(
    [a.kinds, b.kinds],
    ({ kind }) => [kind],
    (x, y) => ({
      ...x,
      transactions: x.transactions + y.transactions,
      amount_pico: plus(x.amount_pico, y.amount_pico),
    }),
  ),
  ledger_accounts: merge(
    [a.ledger_accounts, b.ledger_accounts],
    ({ ledger_account }) => [ledger_account],
    (x, y) => ({ ...x, amount_pico: plus(x.amount_pico, y.amount_pico) }),
  ),
  requests: a.requests + b.requests,
  usage: merge([a.usage, b.usage], ({ vendor, model, upstream }) => [vendor, model, upstream], addUsage),
});

/** Totals as of a balance at their beginning. */
export const openedWith = (totals: PeriodTotals, openingPico: bigint): PeriodTotals => ({
  ...totals,
  opening_balance_pico: openingPico.toString(),
  closing_balance_pico: plus(
    openingPico.toString(),
    String(BigInt(totals.closing_balance_pico) - BigInt(totals.opening_balance_pico)),
  ),
});

const addUsage = (x: UsageTotal, y: UsageTotal): UsageTotal => {
  const units = addCounts(x.units ?? {}, y.units ?? {});
  return {
    ...x,
    requests: x.requests + y.requests,
    cost_pico: plus(x.cost_pico, y.cost_pico),
    upstream_cost_pico: plus(x.upstream_cost_pico, y.upstream_cost_pico),
    requests_of_unknown_cost: x.requests_of_unknown_cost + y.requests_of_unknown_cost,
    tokens: addCounts(x.tokens, y.tokens),
    ...(Object.keys(units).length === 0 ? {} : { units }),
  };
};

const plus = (a: string, b: string): string => String(BigInt(a) + BigInt(b));

const furthest = (of: (...values: number[]) => number, a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : of(a, b);

type Counts = Readonly<Partial<Record<string, number>>>;
const addCounts = (x: Counts, y: Counts): Counts =>
  Object.fromEntries(
    [...new Set([...Object.keys(x), ...Object.keys(y)])].map((kind) => [
      kind,
      (x[kind] ?? 0) + (y[kind] ?? 0),
    ]),
  );

/** Rows of both lists by what tells them apart, in the order of their bytes, as the database sorts them. */
function merge<T>(
  lists: readonly (readonly T[])[],
  keyOf: (row: T) => readonly string[],
  add: (x: T, y: T) => T,
): T[] {
  const rows = new Map<string, T>();
  for (const row of lists.flat()) {
    const key = JSON.stringify(keyOf(row));
    const known = rows.get(key);
    rows.set(key, known === undefined ? row : add(known, row));
  }
  return [...rows.values()].sort((x, y) => compareKeys(keyOf(x), keyOf(y)));
}

function compareKeys(x: readonly string[], y: readonly string[]): number {
  for (const [index, part] of x.entries()) {
    const order = Buffer.compare(Buffer.from(part), Buffer.from(y[index] ?? ''));
    if (order !== 0) return order;
  }
  return 0;
}
