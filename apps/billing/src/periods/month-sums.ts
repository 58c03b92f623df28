import type { EntityManager } from 'typeorm';
import { METER_COLUMNS } from '../usage/meter-columns.ts';
import { usageSums } from './usage-rows.ts';

type Runs = Pick<EntityManager, 'query'>;

/** A table of sums: what tells its rows apart, and what is added up. */
const USAGE_MONTH = {
  table: 'usage_month',
  key: ['account_id', 'month', 'key_id', 'model'],
  sums: ['requests', ...METER_COLUMNS, 'cost_pico'],
};
const LEDGER_MONTH = {
  table: 'ledger_month',
  key: ['account_id', 'month', 'kind'],
  sums: ['transactions', 'amount_pico'],
};

const added = ({ table, key, sums }: typeof USAGE_MONTH, rows: string): string => `
  INSERT INTO billing.${table} AS m (${[...key, ...sums].join(', ')})
  ${rows}
  ON CONFLICT (${key.join(', ')}) DO UPDATE SET
    ${sums.map((sum) => `${sum} = m.${sum} + excluded.${sum}`).join(', ')}`;

/**
 * SQL of the quarter of an hour that a time lies in. Hours and months of every time zone begin on one: months are worked out
 * for each of these, and not for each row.
 */
export const beginQuarter = (column: string): string =>
  `date_bin('15 minutes', ${column}, timestamptz '2000-01-01T00:00:00Z')`;

/**
 * The month of an account and a quarter is worked out once, not for each key and model that was used in it: to ask for it takes as
 * long as to add dozens of rows up.
 *
 * @param rows has the columns of the table's key, with `quarter` in place of the month, and its sums.
 */
const byMonth = ({ key, sums }: typeof USAGE_MONTH, rows: string): string => `
  WITH summed AS MATERIALIZED (${rows}),
  months AS MATERIALIZED (
    SELECT account_id, quarter, billing.booked_month(account_id, quarter) AS month
    FROM (SELECT DISTINCT account_id, quarter FROM summed) AS each)
  SELECT ${key.map((name) => (name === 'month' ? 'm.month' : `q.${name}`)).join(', ')},
    ${sums.map((sum) => `sum(q.${sum}) AS ${sum}`).join(', ')}
  FROM summed q JOIN months m USING (account_id, quarter) GROUP BY ${key.map((_name, index) => index + 1).join(', ')}`;

/** The rows of {@link loggedUsage} as rows of `billing.usage_month`. */
export const usageMonthSums = (source: string): string =>
  byMonth(
    USAGE_MONTH,
    `SELECT account_id, ${beginQuarter('booked_at')} AS quarter, key_id, model,
       ${['requests', ...METER_COLUMNS, 'cost_pico'].map((sum) => `sum(${sum}) AS ${sum}`).join(', ')}
     FROM ${source} AS u GROUP BY 1, 2, 3, 4`,
  );

/** The rows of a table like that of transactions, with their customers' entries, as rows of `billing.ledger_month`. */
export const ledgerMonthSums = (source: string): string =>
  byMonth(
    LEDGER_MONTH,
    `SELECT t.account_id, ${beginQuarter('t.booked_at')} AS quarter, t.kind, sum(t.numbers) AS transactions,
       coalesce(sum(e.amount_pico), 0) AS amount_pico
     FROM ${source} AS t
     LEFT JOIN billing.ledger_entry e ON e.number = t.number AND e.ledger_account = 'customer:' || t.account_id
     GROUP BY 1, 2, 3`,
  );

/**
 * Works out the sums of months again from the rows, for one account or for all; the caller holds the journal while anybody
 * posts. An account whose time zone may still change has no closed month.
 */
export async function rebuildMonths(runs: Runs, accountId?: string): Promise<void> {
  const values = accountId === undefined ? [] : [accountId];
  const where = accountId === undefined ? 'true' : 'account_id = $1';
  await runs.query(`DELETE FROM billing.usage_month WHERE ${where}`, values);
  await runs.query(added(USAGE_MONTH, usageMonthSums(await loggedUsage(runs, where))), values);
  await runs.query(`DELETE FROM billing.ledger_month WHERE ${where}`, values);
  await runs.query(
    added(LEDGER_MONTH, ledgerMonthSums(`(SELECT * FROM billing.ledger_transaction WHERE ${where})`)),
    values,
  );
}

/** All usage that was ever posted, with the `requests` of each row, as a table of what is summed. */
export async function loggedUsage(
  runs: Runs,
  condition = 'true',
  more: readonly string[] = [],
): Promise<string> {
  const columns = ['account_id', 'booked_at', 'key_id', 'model', ...METER_COLUMNS, 'cost_pico', ...more];
  return `(SELECT * FROM (${await usageSums(runs, columns)}) AS logged WHERE ${condition})`;
}
