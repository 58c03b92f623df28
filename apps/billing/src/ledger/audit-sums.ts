import { ledgerMonthSums, loggedUsage, usageMonthSums } from '../periods/month-sums.ts';
import { METER_COLUMNS } from '../usage/meter-columns.ts';
import { SERVED_SUMS, servedHours } from '../usage/served-hours.ts';
import { HOUR_SUMS, hourSums } from '../usage/usage-hours.ts';
import type { AuditDifference } from './audit-range.ts';
import { type Comparison, compareSums } from './compare-sums.ts';
import { OPERATOR } from './ledger-accounts.ts';
import type { Reader } from './transactions.ts';

const USAGE_MONTHS = {
  key: ['account_id', 'month', 'key_id', 'model'],
  sums: ['requests', ...METER_COLUMNS, 'cost_pico'],
  amount: 'cost_pico',
};

/** A part of the sums: months from one to before another, and accounts behind one up to another, null where there is no end. */
interface SumSlice {
  /** First days of months, or `-infinity` and `infinity`. */
  readonly from: string;
  readonly until: string;
  readonly after: string | null;
  readonly upTo: string | null;
}

/**
 * Works sums out again from the rows of the ledger and the usage log, months that were taken out of it included. Each row of
 * sums belongs to one slice, by its own hour or month; what it is the sum of may lie a little before and behind.
 */
export async function auditSums(reader: Reader, slice: SumSlice): Promise<AuditDifference[]> {
  const { after, upTo } = slice;
  const [from, until] = [slice.from, slice.until].map(
    (day) => `'${day}'::date::timestamp AT TIME ZONE 'UTC'`,
  );
  const accounts = [
    ...(after === null ? [] : [`account_id > '${after}'`]),
    ...(upTo === null ? [] : [`account_id <= '${upTo}'`]),
  ];
  const inHours = [`hour >= ${from}`, `hour < ${until}`];
  const ofHours = [...inHours, ...accounts].join(' AND ');
  const inMonths = [`month >= '${slice.from}'`, `month < '${slice.until}'`, ...accounts].join(' AND ');
  // An hour of a clock may begin before one of UTC and end in it.
  const usedInHours = [`occurred_at >= ${from}`, `occurred_at < ${until} + interval '1 hour'`, ...accounts];
  const used = await loggedUsage(reader, usedInHours.join(' AND '), ['occurred_at', 'outcome']);
  const columns = `account_id, hour, key_id, model, outcome, ${HOUR_SUMS.join(', ')}`;
  const booked = bookedIn(slice, accounts);
  const usedInMonths = await Promise.all(booked.map((condition) => loggedUsage(reader, condition)));
  return [
    ...(await compareSums(reader, {
      check: 'ledger_month_differs_from_entries',
      kept: `SELECT * FROM billing.ledger_month WHERE ${inMonths}`,
      counted: `SELECT * FROM (${ledgerMonthSums(
        unionOf(booked.map((condition) => `SELECT * FROM billing.ledger_transaction WHERE ${condition}`)),
      )}) AS counted WHERE ${inMonths}`,
      key: ['account_id', 'month', 'kind'],
      sums: ['transactions', 'amount_pico'],
      amount: 'amount_pico',
    })),
    ...(await compareSums(reader, {
      check: 'usage_month_differs_from_usage',
      kept: `SELECT * FROM billing.usage_month WHERE ${inMonths}`,
      counted: `SELECT * FROM (${usageMonthSums(
        unionOf(usedInMonths.map((rows) => `SELECT * FROM ${rows} AS booked`)),
      )}) AS counted WHERE ${inMonths}`,
      ...USAGE_MONTHS,
    })),
    ...(await compareSums(reader, {
      check: 'usage_hour_differs_from_usage',
      kept: `SELECT * FROM billing.usage_hour WHERE ${ofHours}`,
      counted: `SELECT * FROM (${hourSums(used)}) AS h (${columns}) WHERE ${inHours.join(' AND ')}`,
      key: ['account_id', 'hour', 'key_id', 'model', 'outcome'],
      sums: HOUR_SUMS,
      amount: 'cost_pico',
    })),
    ...(await compareSums(reader, {
      check: 'account_hour_differs_from_usage_hour',
      kept: `SELECT * FROM billing.account_hour WHERE ${ofHours}`,
      counted: `SELECT account_id, hour, model, outcome, ${HOUR_SUMS.map((sum) => `sum(${sum}) AS ${sum}`).join(', ')}
        FROM billing.usage_hour WHERE ${ofHours} GROUP BY 1, 2, 3, 4`,
      key: ['account_id', 'hour', 'model', 'outcome'],
      sums: HOUR_SUMS,
      amount: 'cost_pico',
    })),
    // These are of no account.
    ...(after === null ? await auditServedHours(reader, from, until) : []),
  ];
}

const unionOf = (selects: readonly string[]): string => `(${selects.join(' UNION ALL ')})`;

/**
 * Conditions, of which a row that counts in these months has one: nearly all are booked in them by UTC as well, give or take a
 * day. What was booked before an account's first month counts in that.
 */
function bookedIn({ from, until }: SumSlice, accounts: readonly string[]): string[] {
  const [starts, ends] = [
    `timestamptz '${from}' - interval '2 days'`,
    `timestamptz '${until}' + interval '2 days'`,
  ];
  const began = `SELECT a.id FROM billing.account a WHERE greatest(billing.first_month(a.created_at, a.time_zone),
    (SELECT min(p.month) FROM billing.period p WHERE p.account_id = a.id)) >= '${from}'`;
  return [
    [`booked_at >= ${starts}`, `booked_at < ${ends}`, ...accounts],
    [`booked_at < ${starts}`, `account_id IN (${began})`, ...accounts],
  ].map((conditions) => conditions.join(' AND '));
}

async function auditServedHours(reader: Reader, from = '', until = ''): Promise<AuditDifference[]> {
  const counted = await servedHours(reader, `occurred_at >= ${from} AND occurred_at < ${until}`);
  return compareSums(reader, {
    check: 'served_hour_differs_from_usage',
    kept: `SELECT '${OPERATOR}' AS account_id, * FROM billing.served_hour WHERE hour >= ${from} AND hour < ${until}`,
    counted: `SELECT '${OPERATOR}' AS account_id, * FROM (${counted}) AS served`,
    key: ['account_id', 'hour', 'upstream', 'model', 'outcome'],
    sums: SERVED_SUMS,
    amount: 'upstream_cost_pico',
  });
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const OF_ACCOUNTS = '($1::uuid[] IS NULL OR account_id = ANY($1::uuid[]))';
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
  // An entry of what is no account has no sums.
  const asked = accountIds?.filter((id) => UUID.test(id)) ?? null;
  if (asked?.length === 0) return [];
  const differences: AuditDifference[] = [];
  for (const comparison of KEPT_TWICE) differences.push(...(await compareSums(reader, comparison, [asked])));
  return differences;
}
