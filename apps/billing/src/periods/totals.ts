import { column, readRows } from '@tollgate/platform';
import {
  isUnitKind,
  METER_KINDS,
  type TokenKind,
  TRANSACTION_KINDS,
  type TransactionKind,
  type UnitKind,
} from '@tollgate/vocabulary';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { customer } from '../ledger/ledger-accounts.ts';
import type { Span } from './calendar.ts';
import { findMeterColumn, METER_COLUMNS } from '../usage/meter-columns.ts';
import { usageSums } from './usage-rows.ts';

/** One model of one vendor at one upstream. Amounts are pico-USD as text. */
export type UsageTotal = {
  readonly vendor: string;
  readonly model: string;
  readonly upstream: string;
  readonly requests: number;
  /** Revenue: what the account was charged. */
  readonly cost_pico: string;
  readonly upstream_cost_pico: string;
  /** Requests for which the catalogue did not say what the upstream charges. */
  readonly requests_of_unknown_cost: number;
  readonly tokens: Readonly<Partial<Record<TokenKind, number>>>;
  /** Absent where there are none, and of periods from before there were any. */
  readonly units?: Readonly<Partial<Record<UnitKind, number>>>;
};

/** What the books say of a span, in the form that is frozen when a period is closed. */
export interface PeriodTotals {
  readonly opening_balance_pico: string;
  readonly closing_balance_pico: string;
  /** How many numbers they take: of usage one for each request. */
  readonly transactions: number;
  readonly first_number: number | null;
  readonly last_number: number | null;
  /** What each kind of transaction did to the customer's balance. */
  readonly kinds: readonly {
    readonly kind: TransactionKind;
    readonly transactions: number;
    readonly amount_pico: string;
  }[];
  readonly ledger_accounts: readonly { readonly ledger_account: string; readonly amount_pico: string }[];
  readonly requests: number;
  readonly usage: readonly UsageTotal[];
}

type Manager = Pick<EntityManager, 'query'>;

/** The condition on transactions or usage rows; its values are those of {@link toValues}. */
export const WITHIN = 'account_id = $1 AND booked_at >= $2 AND booked_at < $3 AND number <= $4';
const LAST_OF_ALL = '9223372036854775807';
export const toValues = ({ accountId, from, to, asOf }: Span): string[] => [
  accountId,
  from,
  to,
  asOf === undefined ? LAST_OF_ALL : String(asOf),
];

const ledgerAccountTotalRow = z.object({ ledger_account: column.text, amount_pico: column.bigint });

const kindTotalsRow = z.object({
  kind: z.enum(TRANSACTION_KINDS),
  transactions: column.bigint,
  first: column.bigint,
  last: column.bigint,
  amount_pico: column.bigint,
});

/** Sums up a span that begins with the given balance. */
export async function computeTotals(
  manager: Manager,
  span: Span,
  openingPico: bigint,
): Promise<PeriodTotals> {
  const kinds = await readRows(
    manager,
    kindTotalsRow,
    `SELECT t.kind, sum(t.numbers) AS transactions, min(t.number - t.numbers + 1) AS first, max(t.number) AS last,
       coalesce(sum(t.amount_pico), 0)::text AS amount_pico
     FROM (
       -- One by one: joined, they may be looked for among all entries that the customer ever had.
       SELECT number, numbers, kind, (SELECT e.amount_pico FROM billing.ledger_entry e
         WHERE e.number = l.number AND e.ledger_account = $5) AS amount_pico
       FROM billing.ledger_transaction l WHERE ${WITHIN}) t
     GROUP BY t.kind ORDER BY t.kind COLLATE "C"`,
    [...toValues(span), customer(span.accountId)],
  );
  const ledgerAccounts = await readRows(
    manager,
    ledgerAccountTotalRow,
    `SELECT e.ledger_account, sum(e.amount_pico)::text AS amount_pico
     FROM billing.ledger_transaction t JOIN billing.ledger_entry e USING (number)
     WHERE ${WITHIN} GROUP BY 1 ORDER BY e.ledger_account COLLATE "C"`,
    toValues(span),
  );
  const usage = await readUsage(manager, span);
  const numbers = kinds.flatMap(({ first, last }) => [Number(first), Number(last)]);
  return {
    opening_balance_pico: openingPico.toString(),
    closing_balance_pico: kinds
      .reduce((sum, { amount_pico }) => sum + BigInt(amount_pico), openingPico)
      .toString(),
    transactions: kinds.reduce((sum, { transactions }) => sum + Number(transactions), 0),
    first_number: numbers.length === 0 ? null : Math.min(...numbers),
    last_number: numbers.length === 0 ? null : Math.max(...numbers),
    kinds: kinds.map(({ kind, transactions, amount_pico }) => ({
      kind,
      transactions: Number(transactions),
      amount_pico,
    })),
    ledger_accounts: ledgerAccounts,
    requests: usage.reduce((sum, { requests }) => sum + requests, 0),
    usage,
  };
}

/** Kinds that every period names. One that came later is named where it was used: what was sealed before stays what it is. */
const ALWAYS_NAMED: ReadonlySet<string> = new Set<TokenKind>([
  'input',
  'input_audio',
  'input_image',
  'cache_read',
  'cache_write',
  'cache_write_1h',
  'output',
  'output_reasoning',
  'output_audio',
  'output_image',
]);

const usageTotalsRow = z.record(z.string(), column.text);

async function readUsage(manager: Manager, span: Span): Promise<UsageTotal[]> {
  const columns = ['account_id', 'booked_at', 'number', 'vendor', 'model', 'upstream'];
  const source = await usageSums(manager, [...columns, 'cost_pico', 'upstream_cost_pico', ...METER_COLUMNS]);
  const rows = await readRows(
    manager,
    usageTotalsRow,
    `SELECT vendor, model, upstream, sum(requests) AS requests, sum(cost_pico)::text AS cost_pico,
       coalesce(sum(upstream_cost_pico), 0)::text AS upstream_cost_pico,
       coalesce(sum(requests) FILTER (WHERE upstream_cost_pico IS NULL), 0) AS requests_of_unknown_cost,
       ${METER_COLUMNS.map((column) => `sum(${column})::text AS ${column}`).join(', ')}
     FROM (${source}) u WHERE ${WITHIN}
     GROUP BY vendor, model, upstream ORDER BY vendor COLLATE "C", model COLLATE "C", upstream COLLATE "C"`,
    toValues(span),
  );
  return rows.map((row) => ({
    vendor: row['vendor'] ?? '',
    model: row['model'] ?? '',
    upstream: row['upstream'] ?? '',
    requests: Number(row['requests']),
    cost_pico: row['cost_pico'] ?? '0',
    upstream_cost_pico: row['upstream_cost_pico'] ?? '0',
    requests_of_unknown_cost: Number(row['requests_of_unknown_cost']),
    ...readTotals(row),
  }));
}

/** The sums of a row by kind: tokens, and units where there are any. */
export function readTotals(row: Readonly<Record<string, string>>): Pick<UsageTotal, 'tokens' | 'units'> {
  const sums = METER_KINDS.map((kind) => [kind, Number(row[findMeterColumn(kind)])] as const);
  const tokens = sums.filter(([kind, sum]) => !isUnitKind(kind) && (sum > 0 || ALWAYS_NAMED.has(kind)));
  const units = sums.filter(([kind, sum]) => isUnitKind(kind) && sum > 0);
  return {
    tokens: Object.fromEntries(tokens),
    ...(units.length === 0 ? {} : { units: Object.fromEntries(units) }),
  };
}
