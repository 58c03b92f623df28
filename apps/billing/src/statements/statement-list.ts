import { formatUsd } from '@tollgate/money';
import type { DataSource, EntityManager } from 'typeorm';
import { monthIn, openPeriod, type OpenPeriod } from '../periods/calendar.ts';
import { bookedSums, readOpening } from '../periods/booked-months.ts';
import { type ClosedPeriod, closedPeriods, type SealedPeriod } from '../periods/sealed-period.ts';

/** A month of an account as the list of its statements shows it; amounts are decimal USD. */
export interface StatementSummary {
  readonly month: string;
  readonly time_zone: string;
  readonly from: string;
  readonly to: string;
  readonly status: 'open' | 'closed';
  readonly opening_balance_usd: string;
  readonly usage_usd: string;
  /** Payments, grants and all else but usage, in sum. */
  readonly credit_usd: string;
  readonly closing_balance_usd: string;
  readonly requests: number;
  readonly closed_at: string | null;
  /** Of a closed month; it vouches for the months before as well. */
  readonly hash: string | null;
  readonly previous_hash: string | null;
}

/** The months of an account's books, newest first: those that are closed, and those that are open and have begun. */
export async function listStatements(
  database: DataSource,
  accountId: string,
  limit: number,
): Promise<StatementSummary[]> {
  const open = await openMonths(database, accountId, limit);
  const closed: StatementSummary[] = [];
  for (const period of await closedPeriods(database.manager, { accountId }))
    closed.push(period.sealed ? closedSummary(period.sealed) : await unsealedSummary(database, period));
  const openFrom = open.at(-1)?.month ?? '9999-12';
  // A month that was closed meanwhile is told once.
  return [...open, ...closed.reverse().filter(({ month }) => month < openFrom)].slice(0, limit);
}

interface Figures {
  readonly openingPico: bigint;
  readonly usagePico: bigint;
  readonly creditPico: bigint;
  readonly closingPico: bigint;
}

const shown = ({ openingPico, usagePico, creditPico, closingPico }: Figures) => ({
  opening_balance_usd: formatUsd(openingPico),
  usage_usd: formatUsd(usagePico),
  credit_usd: formatUsd(creditPico),
  closing_balance_usd: formatUsd(closingPico),
});

function closedSummary({ totals, ...period }: SealedPeriod): StatementSummary {
  const sum = (isUsage: boolean) =>
    totals.kinds
      .filter(({ kind }) => (kind === 'usage') === isUsage)
      .reduce((total, { amount_pico }) => total + BigInt(amount_pico), 0n);
  return {
    month: period.month,
    time_zone: period.time_zone,
    from: period.from,
    to: period.to,
    status: 'closed',
    ...shown({
      openingPico: BigInt(totals.opening_balance_pico),
      usagePico: -sum(true),
      creditPico: sum(false),
      closingPico: BigInt(totals.closing_balance_pico),
    }),
    requests: totals.requests,
    closed_at: period.closed_at,
    hash: period.hash,
    previous_hash: period.previous_hash,
  };
}

/** Of a month that is closed and not sealed yet, from the sums that posting keeps. */
async function unsealedSummary(
  { manager }: DataSource,
  { account_id, month, time_zone, from, to, closed_at }: ClosedPeriod,
): Promise<StatementSummary> {
  const openingPico = await readOpening(manager, account_id, month);
  const sums = await bookedSums(manager, account_id, month);
  const { usage = 0n, credit = 0n, requests = 0 } = sums.get(month) ?? {};
  return {
    month,
    time_zone,
    from,
    to,
    status: 'closed',
    ...shown({
      openingPico,
      usagePico: usage,
      creditPico: credit,
      closingPico: openingPico + credit - usage,
    }),
    requests,
    closed_at,
    hash: null,
    previous_hash: null,
  };
}

/** Newest first, at most so many, from one snapshot of the database. */
const openMonths = (database: DataSource, accountId: string, limit: number): Promise<StatementSummary[]> =>
  database.transaction('REPEATABLE READ', async (manager) => {
    const open = await openPeriod(manager, accountId);
    if (!open) return [];
    const spans = (await begunFrom(manager, open)).slice(-limit);
    const first = spans[0]?.month ?? open.month;
    const sums = await bookedSums(manager, accountId, first);
    let openingPico = await readOpening(manager, accountId, first);
    const summaries = spans.map(({ month, from, to }): StatementSummary => {
      const { usage = 0n, credit = 0n, requests = 0 } = sums.get(month) ?? {};
      const closingPico = openingPico + credit - usage;
      const figures = { openingPico, usagePico: usage, creditPico: credit, closingPico };
      openingPico = closingPico;
      return {
        month,
        time_zone: open.timeZone,
        from,
        to,
        status: 'open',
        ...shown(figures),
        requests,
        closed_at: null,
        hash: null,
        previous_hash: null,
      };
    });
    return summaries.reverse();
  });

type Month = Pick<OpenPeriod, 'month' | 'from' | 'to'>;

/** The open month and those after it, up to the one that it is now. */
async function begunFrom(manager: EntityManager, open: OpenPeriod): Promise<Month[]> {
  const months: Month[] = [open];
  for (let last: Month = open; Date.parse(last.to) <= Date.now();) {
    const month = monthAfter(last.month);
    last = { month, ...(await monthIn(manager, month, open.timeZone)), from: last.to };
    months.push(last);
  }
  return months;
}

function monthAfter(month: string): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number)).toISOString().slice(0, 7);
}
