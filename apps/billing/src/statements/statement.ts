import { formatCents, formatUsd } from '@tollgate/money';
import { column, readRow } from '@tollgate/platform';
import { TOKEN_KINDS, type TokenKind, UNIT_KINDS, type UnitKind } from '@tollgate/vocabulary';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { monthIn, openPeriod } from '../periods/calendar.ts';
import { bookedMonth, readOpening } from '../periods/booked-months.ts';
import { type ClosedPeriod, closedPeriods, type SealedPeriod } from '../periods/sealed-period.ts';
import type { PeriodTotals, UsageTotal } from '../periods/totals.ts';

export interface StatementLine {
  readonly model: string;
  readonly requests: number;
  /** Kinds that were used. */
  readonly tokens: Partial<Record<TokenKind, number>>;
  readonly units: Partial<Record<UnitKind, number>>;
  readonly cost_usd: string;
}

/** What an account is told of a month. Of a closed month it never changes. */
export interface Statement {
  readonly account: { readonly id: string; readonly name: string };
  readonly month: string;
  readonly time_zone: string;
  readonly from: string;
  readonly to: string;
  readonly status: 'open' | 'closed';
  /** Of the closed period. */
  readonly hash: string | null;
  /** Of an open period: the last ledger transaction that is counted. */
  readonly as_of_number: number | null;
  readonly opening_balance_usd: string;
  readonly lines: readonly StatementLine[];
  readonly usage_usd: string;
  /** In whole cents, as all that is rounded here. */
  readonly usage_rounded_usd: string;
  /** Payments, grants, refunds and all else that moved the balance, by kind. */
  readonly movements: readonly {
    readonly kind: string;
    readonly transactions: number;
    readonly amount_usd: string;
  }[];
  readonly closing_balance_usd: string;
  readonly closing_balance_rounded_usd: string;
}

/** Why there is no statement of a month. */
export class NoStatement extends Error {
  override readonly name = 'NoStatement';
}

const accountRow = z.object({ id: column.uuid, name: column.text, time_zone: column.text });

/** @throws NoStatement for months before an account's books and months that have not begun. */
export async function readStatement(
  database: DataSource,
  accountId: string,
  month: string,
): Promise<Statement> {
  const account = await readRow(
    database,
    accountRow,
    'SELECT id, name, time_zone FROM billing.account WHERE id = $1',
    [accountId],
  );
  if (!account) throw new NoStatement('There is no such account.');
  const [closed] = await closedPeriods(database.manager, { accountId, month });
  const period = closed
    ? { as_of_number: null, ...(closed.sealed ?? (await unsealedMonth(database, closed))) }
    : await openMonth(database, accountId, month);
  return {
    account: { id: account.id, name: account.name },
    month,
    time_zone: period.time_zone,
    from: period.from,
    to: period.to,
    status: closed ? 'closed' : 'open',
    hash: closed?.sealed?.hash ?? null,
    as_of_number: period.as_of_number,
    ...toFigures(period.totals),
  };
}

/** What of a period's totals a statement shows. */
type Totals = Pick<PeriodTotals, 'opening_balance_pico' | 'closing_balance_pico' | 'kinds'> & {
  readonly usage: readonly Pick<UsageTotal, 'model' | 'requests' | 'cost_pico' | 'tokens' | 'units'>[];
};

/** A month that is closed and not sealed yet: the sums that posting keeps are what its seal will say. */
async function unsealedMonth(
  { manager }: DataSource,
  { account_id, month, time_zone, from, to }: ClosedPeriod,
): Promise<Pick<OpenMonth, 'time_zone' | 'from' | 'to' | 'totals'>> {
  const openingPico = await readOpening(manager, account_id, month);
  return { time_zone, from, to, totals: await bookedMonth(manager, account_id, month, openingPico) };
}

type OpenMonth = Pick<SealedPeriod, 'time_zone' | 'from' | 'to'> & {
  readonly totals: Totals;
  readonly as_of_number: number;
};

const journalRow = z.object({ last_number: column.bigint });

/** One snapshot of the database, so that opening, movements and closing belong together. */
const openMonth = (database: DataSource, accountId: string, month: string): Promise<OpenMonth> =>
  database.transaction('REPEATABLE READ', async (manager) => {
    const journal = await readRow(manager, journalRow, 'SELECT last_number FROM billing.journal');
    const asOf = Number(journal?.last_number);
    const open = await openPeriod(manager, accountId);
    if (!open || month < open.month)
      throw new NoStatement(`The books of this account begin in ${open?.month}.`);
    const bounds = month === open.month ? open : await monthIn(manager, month, open.timeZone);
    if (Date.parse(bounds.from) > Date.now()) throw new NoStatement(`${month} has not begun.`);
    const openingPico = await readOpening(manager, accountId, month);
    return {
      time_zone: open.timeZone,
      from: bounds.from,
      to: bounds.to,
      totals: await bookedMonth(manager, accountId, month, openingPico),
      as_of_number: asOf,
    };
  });

const usd = (pico: string): string => formatUsd(BigInt(pico));

function toFigures(totals: Totals) {
  const usage = totals.kinds.find(({ kind }) => kind === 'usage');
  const used = -BigInt(usage?.amount_pico ?? '0');
  return {
    opening_balance_usd: usd(totals.opening_balance_pico),
    lines: toLines(totals.usage),
    usage_usd: formatUsd(used),
    usage_rounded_usd: formatCents(used),
    movements: totals.kinds
      .filter(({ kind }) => kind !== 'usage')
      .map(({ kind, transactions, amount_pico }) => ({ kind, transactions, amount_usd: usd(amount_pico) })),
    closing_balance_usd: usd(totals.closing_balance_pico),
    closing_balance_rounded_usd: formatCents(BigInt(totals.closing_balance_pico)),
  };
}

/** Customers are told of models, not of the upstreams behind them. */
function toLines(usage: Totals['usage']): StatementLine[] {
  const byModel = Map.groupBy(usage, ({ model }) => model);
  return [...byModel]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([model, parts]) => ({
      model,
      requests: parts.reduce((sum, { requests }) => sum + requests, 0),
      tokens: sumKinds(
        TOKEN_KINDS,
        parts.map(({ tokens }) => tokens),
      ),
      units: sumKinds(
        UNIT_KINDS,
        parts.map(({ units = {} }) => units),
      ),
      cost_usd: formatUsd(parts.reduce((sum, { cost_pico }) => sum + BigInt(cost_pico), 0n)),
    }));
}

/** Kinds that were used, in the order of the vocabulary. */
function sumKinds<K extends string>(
  kinds: readonly K[],
  parts: readonly Readonly<Partial<Record<K, number>>>[],
): Partial<Record<K, number>> {
  const sums: Partial<Record<K, number>> = {};
  for (const kind of kinds) {
    const sum = parts.reduce((total, part) => total + (part[kind] ?? 0), 0);
    if (sum > 0) sums[kind] = sum;
  }
  return sums;
}
