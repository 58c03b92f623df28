import type { DataSource } from 'typeorm';
import { rebuildMonths } from '../src/periods/month-sums.ts';
import { addMonths, createPartitions, type Month, toMonth, partitionName } from '../src/usage/partitions.ts';

/** What the rows are made of: account `n` has one row in `ACCOUNTS`, and its keys share them. */
export const ACCOUNTS = 20;
const KEYS_PER_ACCOUNT = 5;
export const MODELS = ['acme-large', 'acme-small', 'acme-vision', 'acme-code'];
/** One row in so many is of a model that hardly anybody uses. */
const RARELY = 1_999;
/** PostgreSQL samples so many rows for each step of its target. */
const ROWS_PER_TARGET = 300;
/** What rows are found and grouped by: the planner asks of no other column how its values are spread. */
const SEARCHED = [
  'request_id',
  'number',
  'occurred_at',
  'booked_at',
  'account_id',
  'key_id',
  'model',
  'vendor',
  'pool',
  'upstream',
  'outcome',
];

export const toAccountId = (n: number): string =>
  `0198f1c2-7d1e-7000-8000-0000000${String(n).padStart(5, '0')}`;
export const toKeyId = (account: number, key: number): string =>
  `0198f1c2-7d1e-7000-9000-0000000${String(account * KEYS_PER_ACCOUNT + key).padStart(5, '0')}`;

/**
 * Fills the usage log with rows that are spread evenly over the months before `now`'s and that one, numbered in the order
 * of their time. Indices are rebuilt afterwards, by their own definitions: that is faster than to keep them.
 *
 * @returns the months, oldest first.
 */
export async function fillUsage(
  database: DataSource,
  {
    now,
    months,
    rowsPerMonth,
  }: { readonly now: Date; readonly months: number; readonly rowsPerMonth: number },
): Promise<Month[]> {
  const filled = Array.from({ length: months }, (_, index) => addMonths(toMonth(now), index + 1 - months));
  await database.transaction(async (manager) => {
    for (const month of filled) await createPartitions(manager, new Date(`${month}-15T00:00:00Z`));
  });
  const indices: { name: string; definition: string }[] = await database.query(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid = 'billing.usage'::regclass AND NOT indisprimary`,
  );
  await database.query(`DROP INDEX ${indices.map(({ name }) => name).join(', ')}`);
  for (const [index, month] of filled.entries()) {
    // The server would do what is done below a second time, at some moment of the test.
    await database.query(`ALTER TABLE billing.${partitionName(month)} SET (autovacuum_enabled = off)`);
    await fillMonth(database, month, index * rowsPerMonth, rowsPerMonth);
  }
  for (const { definition } of indices) await database.query(definition.replace(' ON ONLY ', ' ON '));
  // Of every column of so wide a table it takes six times as long.
  await analyzeWhole(database, rowsPerMonth, `billing.usage (${SEARCHED.join(', ')})`);
  return filled;
}

async function fillMonth(database: DataSource, month: Month, first: number, rows: number): Promise<void> {
  await database.query(
    `INSERT INTO billing.${partitionName(month)} (request_id, number, occurred_at, booked_at, account_id, key_id,
       group_name, model, vendor, pool, upstream, upstream_model, protocol, stream, snapshot_version, group_ratio,
       discount_ratio, tokens_input, tokens_output, cost_pico, upstream_cost_pico, usage_source, outcome, http_status,
       latency_ms, first_byte_ms)
     SELECT 'req_' || lpad(n::text, 12, '0'), n, at, at,
       ('0198f1c2-7d1e-7000-8000-0000000' || lpad(account::text, 5, '0'))::uuid,
       ('0198f1c2-7d1e-7000-9000-0000000' || lpad((account * ${KEYS_PER_ACCOUNT} + key)::text, 5, '0'))::uuid,
       'default', model, 'acme', 'main', 'east', model, 'openai-chat', false, 1, '1', '1', 3, 5, 76, 38, 'upstream',
       'completed', 200, 12, 8
     FROM generate_series($1::bigint + 1, $1::bigint + $2) AS n
     CROSS JOIN LATERAL (SELECT
       $3::timestamptz + (n - $1 - 1) * ($4::timestamptz - $3::timestamptz) / $2 AS at,
       (n * 7919 % ${ACCOUNTS})::int AS account, (n * 104729 / ${ACCOUNTS} % ${KEYS_PER_ACCOUNT})::int AS key,
       CASE WHEN n % ${RARELY} = 0 THEN 'acme-rare'
         ELSE (ARRAY['${MODELS.join("', '")}'])[1 + (n * 15485863 / 128 % ${MODELS.length})::int] END AS model
     ) AS made`,
    [first, rows, `${month}-01T00:00:00Z`, `${addMonths(month, 1)}-01T00:00:00Z`],
  );
}

/** The ledger of the log, a transaction for each of its rows, and the sums of months. */
export async function fillLedger(database: DataSource): Promise<void> {
  await database.transaction(async (manager) => {
    await manager.query('SET LOCAL session_replication_role = replica');
    for (const statement of [
      `INSERT INTO billing.ledger_transaction (number, kind, account_id, request_id, occurred_at, booked_at, posted_at)
       SELECT number, 'usage', account_id, request_id, occurred_at, booked_at, posted_at FROM billing.usage ORDER BY number`,
      `INSERT INTO billing.ledger_entry (number, ledger_account, amount_pico)
       SELECT number, name, amount FROM billing.usage, LATERAL (VALUES
         ('customer:' || account_id, -cost_pico), ('revenue:' || vendor, cost_pico),
         ('cost:' || upstream, -upstream_cost_pico), ('payable:' || upstream, upstream_cost_pico)) AS e (name, amount)
       ORDER BY number`,
    ])
      await manager.query(statement);
    await rebuildMonths(manager);
  });
  await analyzeWhole(
    database,
    400_000,
    'billing.ledger_transaction, billing.ledger_entry, billing.usage_month, billing.ledger_month',
  );
}

/**
 * Counts tables of up to so many rows (each partition, of a partitioned one) from all of their rows: with samples the planner
 * chose another plan in one run of twenty.
 */
async function analyzeWhole(database: DataSource, rows: number, tables: string): Promise<void> {
  await database.transaction(async (manager) => {
    await manager.query(`SET LOCAL default_statistics_target = ${Math.ceil(rows / ROWS_PER_TARGET)}`);
    await manager.query(`ANALYZE ${tables}`);
  });
}
