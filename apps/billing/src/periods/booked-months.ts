import { column, readRow, readRows } from '@tollgate/platform';
import { TOKEN_KINDS, TRANSACTION_KINDS } from '@tollgate/vocabulary';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { METER_COLUMNS } from '../usage/meter-columns.ts';
import { type PeriodTotals, readTotals, type UsageTotal } from './totals.ts';

type Reader = Pick<EntityManager, 'query'>;

const TOKEN_COLUMNS = TOKEN_KINDS.map((kind) => `tokens_${kind}`);
/** The tokens of a row of `billing.usage_month`, of every kind. */
export const ALL_TOKENS = TOKEN_COLUMNS.join(' + ');

const openingRow = z.object({ balance: column.bigint });

/** An account's balance at the beginning of a month that is not closed: its last sealed period's and what followed. */
export async function readOpening(reader: Reader, accountId: string, month: string): Promise<bigint> {
  const row = await readRow(
    reader,
    openingRow,
    `WITH closed AS (
       SELECT s.month, (s.totals ->> 'closing_balance_pico')::numeric AS balance FROM billing.period_seal s
       WHERE s.account_id = $1 AND s.month < ($2 || '-01')::date ORDER BY s.month DESC LIMIT 1)
     SELECT (coalesce((SELECT balance FROM closed), 0) + coalesce(sum(amount_pico), 0))::text AS balance
     FROM billing.ledger_month
     WHERE account_id = $1 AND month > coalesce((SELECT month FROM closed), '-infinity') AND month < ($2 || '-01')::date`,
    [accountId, month],
  );
  return BigInt(row?.balance ?? '0');
}

interface BookedSums {
  /** What usage took. */
  readonly usage: bigint;
  /** What everything else brought. */
  readonly credit: bigint;
  readonly requests: number;
}

const bookedSumRow = z.object({
  month: column.text,
  usage: column.bigint,
  credit: column.bigint,
  requests: column.bigint,
});

/** The sums of an account's months from one on, by month. */
export async function bookedSums(
  reader: Reader,
  accountId: string,
  from: string,
): Promise<ReadonlyMap<string, BookedSums>> {
  const rows = await readRows(
    reader,
    bookedSumRow,
    `SELECT to_char(month, 'YYYY-MM') AS month,
       coalesce(-sum(amount_pico) FILTER (WHERE kind = 'usage'), 0)::text AS usage,
       coalesce(sum(amount_pico) FILTER (WHERE kind <> 'usage'), 0)::text AS credit,
       coalesce(sum(transactions) FILTER (WHERE kind = 'usage'), 0)::text AS requests
     FROM billing.ledger_month WHERE account_id = $1 AND month >= ($2 || '-01')::date GROUP BY month`,
    [accountId, from],
  );
  return new Map(
    rows.map(({ month, usage, credit, requests }) => [
      month,
      { usage: BigInt(usage), credit: BigInt(credit), requests: Number(requests) },
    ]),
  );
}

type MonthTotals = Pick<PeriodTotals, 'opening_balance_pico' | 'closing_balance_pico' | 'kinds'> & {
  readonly usage: readonly Pick<UsageTotal, 'model' | 'requests' | 'cost_pico' | 'tokens' | 'units'>[];
};

const modelSumsRow = z.record(z.string(), column.text);

const kindSumsRow = z.object({
  kind: z.enum(TRANSACTION_KINDS),
  transactions: column.bigint,
  amount_pico: column.bigint,
});

/** What the books say of a month, from the sums that are kept of it: however many requests it has. */
export async function bookedMonth(
  reader: Reader,
  accountId: string,
  month: string,
  openingPico: bigint,
): Promise<MonthTotals> {
  const kinds = await readRows(
    reader,
    kindSumsRow,
    `SELECT kind, transactions, amount_pico::text FROM billing.ledger_month
     WHERE account_id = $1 AND month = ($2 || '-01')::date ORDER BY kind COLLATE "C"`,
    [accountId, month],
  );
  const usage = await readRows(
    reader,
    modelSumsRow,
    `SELECT model, sum(requests)::text AS requests, sum(cost_pico)::text AS cost_pico,
       ${METER_COLUMNS.map((column) => `sum(${column})::text AS ${column}`).join(', ')}
     FROM billing.usage_month WHERE account_id = $1 AND month = ($2 || '-01')::date
     GROUP BY model ORDER BY model COLLATE "C"`,
    [accountId, month],
  );
  return {
    opening_balance_pico: openingPico.toString(),
    closing_balance_pico: kinds
      .reduce((sum, { amount_pico }) => sum + BigInt(amount_pico), openingPico)
      .toString(),
    kinds: kinds.map(({ kind, transactions, amount_pico }) => ({
      kind,
      transactions: Number(transactions),
      amount_pico,
    })),
    usage: usage.map((row) => ({
      model: row['model'] ?? '',
      requests: Number(row['requests']),
      cost_pico: row['cost_pico'] ?? '0',
      ...readTotals(row),
    })),
  };
}
