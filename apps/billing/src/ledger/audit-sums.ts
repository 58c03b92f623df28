import { column, readRows } from '@tollgate/platform';
import type { AuditCheck } from '@tollgate/vocabulary';
import { z } from 'zod';
import { ledgerMonthSums, loggedUsage, usageMonthSums } from '../periods/month-sums.ts';
import { METER_COLUMNS } from '../usage/meter-columns.ts';
import { SERVED_SUMS, servedHours } from '../usage/served-hours.ts';
import { HOUR_SUMS, hourSums } from '../usage/usage-hours.ts';
import type { AuditDifference } from './audit-range.ts';
import { OPERATOR } from './ledger-accounts.ts';
import type { Reader } from './transactions.ts';

const MAX_LISTED = 1_000;

/** One statement, and so one moment: sums that are kept beside what they are the sums of. */
interface Comparison {
  readonly check: AuditCheck;
  readonly kept: string;
  readonly counted: string;
  /** What tells the rows of both apart; among it `account_id`. */
  readonly key: readonly string[];
  readonly sums: readonly string[];
  /** The amount that is told of an account whose rows differ. */
  readonly amount: string;
}

const differingSumRow = z.object({ account_id: column.text, expected: column.bigint, found: column.bigint });

/** Accounts of which a row is not what it is the sum of, or is missing, or is there for nothing. */
async function compare(
  reader: Reader,
  { check, kept, counted, key, sums, amount }: Comparison,
  values: readonly unknown[] = [],
): Promise<AuditDifference[]> {
  const rows = await readRows(
    reader,
    differingSumRow,
    `SELECT account_id, coalesce(sum(counted.${amount}), 0)::text AS expected, coalesce(sum(kept.${amount}), 0)::text AS found
     FROM (${kept}) AS kept FULL JOIN (${counted}) AS counted USING (${key.join(', ')})
     WHERE ${sums.map((sum) => `coalesce(kept.${sum}, 0) <> coalesce(counted.${sum}, 0)`).join(' OR ')}
     GROUP BY account_id ORDER BY account_id LIMIT ${MAX_LISTED}`,
    [...values],
  );
  return rows.map(({ account_id, expected, found }) => ({
    check,
    accountId: account_id,
    expectedPico: BigInt(expected),
    foundPico: BigInt(found),
  }));
}

const USAGE_MONTHS = {
  key: ['account_id', 'month', 'key_id', 'model'],
  sums: ['requests', ...METER_COLUMNS, 'cost_pico'],
  amount: 'cost_pico',
};

/** Works out every sum again from the rows of the ledger and the usage log, months that were taken out of it included. */
export async function auditSums(reader: Reader): Promise<AuditDifference[]> {
  const columns = `account_id, hour, key_id, model, outcome, ${HOUR_SUMS.join(', ')}`;
  const hours = `SELECT * FROM (${hourSums(await loggedUsage(reader, 'true', ['occurred_at', 'outcome']))}) AS h (${columns})`;
  return [
    ...(await compare(reader, {
      check: 'ledger_month_differs_from_entries',
      kept: 'SELECT * FROM billing.ledger_month',
      counted: ledgerMonthSums(),
      key: ['account_id', 'month', 'kind'],
      sums: ['transactions', 'amount_pico'],
      amount: 'amount_pico',
    })),
    ...(await compare(reader, {
      check: 'usage_month_differs_from_usage',
      kept: 'SELECT * FROM billing.usage_month',
      counted: usageMonthSums(await loggedUsage(reader)),
      ...USAGE_MONTHS,
    })),
    ...(await compare(reader, {
      check: 'usage_hour_differs_from_usage',
      kept: 'SELECT * FROM billing.usage_hour',
      counted: hours,
      key: ['account_id', 'hour', 'key_id', 'model', 'outcome'],
      sums: HOUR_SUMS,
      amount: 'cost_pico',
    })),
    ...(await compare(reader, {
      check: 'account_hour_differs_from_usage_hour',
      kept: 'SELECT * FROM billing.account_hour',
      counted: `SELECT account_id, hour, model, outcome, ${HOUR_SUMS.map((sum) => `sum(${sum}) AS ${sum}`).join(', ')}
        FROM billing.usage_hour GROUP BY 1, 2, 3, 4`,
      key: ['account_id', 'hour', 'model', 'outcome'],
      sums: HOUR_SUMS,
      amount: 'cost_pico',
    })),
    ...(await compare(reader, {
      check: 'served_hour_differs_from_usage',
      kept: `SELECT '${OPERATOR}' AS account_id, * FROM billing.served_hour`,
      counted: `SELECT '${OPERATOR}' AS account_id, * FROM (${await servedHours(reader)}) AS served`,
      key: ['account_id', 'hour', 'upstream', 'model', 'outcome'],
      sums: SERVED_SUMS,
      amount: 'upstream_cost_pico',
    })),
    ...(await auditAccountSums(reader, null)),
  ];
}

const OF_ACCOUNTS = '($1::text[] IS NULL OR account_id::text = ANY($1::text[]))';
/** Of all accounts that a key was used with: there is one, unless somebody put events into the queue by hand. */
const SPENT_BY_KEY = `SELECT min(account_id::text) AS account_id, key_id, sum(cost_pico) AS spent FROM billing.usage_month
  WHERE key_id IN (SELECT key_id FROM billing.usage_month WHERE ${OF_ACCOUNTS}) GROUP BY key_id`;

/** Sums that are kept twice; `$1` is the accounts, or null for all. */
const KEPT_TWICE: readonly Comparison[] = [
  {
    check: 'ledger_month_differs_from_balance',
    kept: `SELECT account_id, sum(amount_pico) AS balance FROM billing.ledger_month WHERE ${OF_ACCOUNTS} GROUP BY 1`,
    counted: `SELECT account_id, balance_pico AS balance FROM billing.account_balance WHERE ${OF_ACCOUNTS}`,
    key: ['account_id'],
    sums: ['balance'],
    amount: 'balance',
  },
  {
    check: 'usage_month_differs_from_ledger_month',
    kept: `SELECT account_id, month, sum(requests) AS requests, sum(cost_pico) AS cost
      FROM billing.usage_month WHERE ${OF_ACCOUNTS} GROUP BY 1, 2`,
    counted: `SELECT account_id, month, transactions AS requests, -amount_pico AS cost
      FROM billing.ledger_month WHERE kind = 'usage' AND ${OF_ACCOUNTS}`,
    key: ['account_id', 'month'],
    sums: ['requests', 'cost'],
    amount: 'cost',
  },
  {
    check: 'spent_by_key_differs_from_usage_month',
    kept: `SELECT account_id, id AS key_id, spent_pico AS spent FROM billing.api_key WHERE ${OF_ACCOUNTS}`,
    // What was used with a key that is not there (any more) is in no key's sum.
    counted: `SELECT k.account_id, k.id AS key_id, used.spent FROM (${SPENT_BY_KEY}) AS used
      JOIN billing.api_key k ON k.id = used.key_id`,
    key: ['account_id', 'key_id'],
    sums: ['spent'],
    amount: 'spent',
  },
  {
    check: 'key_spend_differs_from_usage_month',
    kept: `SELECT used.account_id, used.key_id, s.days, s.months
      FROM (${SPENT_BY_KEY}) AS used JOIN (
        SELECT key_id, sum(spent_pico) FILTER (WHERE span = 'day') AS days,
          sum(spent_pico) FILTER (WHERE span = 'month') AS months
        FROM billing.key_spend WHERE key_id IN (SELECT key_id FROM billing.usage_month WHERE ${OF_ACCOUNTS})
        GROUP BY 1) AS s USING (key_id)`,
    counted: `SELECT account_id, key_id, spent AS days, spent AS months FROM (${SPENT_BY_KEY}) AS used`,
    key: ['account_id', 'key_id'],
    sums: ['days', 'months'],
    amount: 'days',
  },
];

/**
 * Compares sums of these accounts, or of all, with each other and with the balances, without reading what they are the sums
 * of: cheap enough for every minute.
 */
export async function auditAccountSums(
  reader: Reader,
  accountIds: readonly string[] | null,
): Promise<AuditDifference[]> {
  if (accountIds?.length === 0) return [];
  const differences: AuditDifference[] = [];
  for (const comparison of KEPT_TWICE) differences.push(...(await compare(reader, comparison, [accountIds])));
  return differences;
}
