import type { DataSource } from 'typeorm';

/** The accounts of a synthetic ledger: their requests take turns. */
export const SYNTHETIC_ACCOUNTS = [
  '0198f1c2-7d1e-7000-8000-00000000000a',
  '0198f1c2-7d1e-7000-8000-00000000000b',
  '0198f1c2-7d1e-7000-8000-00000000000c',
] as const;

/** The first request of a synthetic ledger, and how far apart they are. */
const FROM = '2026-11-01T00:00:00Z';
const APART_MS = 100;

/** A time in which all requests of so many are. */
export const syntheticSpan = (rows: number): { from: string; to: string } => ({
  from: FROM,
  to: new Date(Date.parse(FROM) + rows * APART_MS).toISOString(),
});

/**
 * Fills empty books with so many requests, each as posting would have written it: the usage, the transaction, its
 * entries, the balances and the last number of the journal.
 */
export async function fillSyntheticLedger(database: Pick<DataSource, 'query'>, rows: number): Promise<void> {
  const [journal] = (await database.query('SELECT last_number FROM billing.journal')) as {
    last_number: string;
  }[];
  if (journal?.last_number !== '0') throw new Error('these books are not empty');
  const account = `('{${SYNTHETIC_ACCOUNTS.join(',')}}'::uuid[])[1 + n % 3]`;
  const time = `timestamptz '${FROM}' + (n - 1) * interval '${APART_MS} milliseconds'`;
  for (const statement of [
    `INSERT INTO billing.usage (request_id, number, occurred_at, booked_at, account_id, key_id, group_name, model,
       vendor, pool, upstream, upstream_model, protocol, stream, snapshot_version, group_ratio, discount_ratio,
       tokens_input, tokens_cache_read, tokens_output, tokens_output_reasoning, cost_pico, upstream_cost_pico,
       usage_source, outcome, http_status, latency_ms, first_byte_ms, posted_at)
     SELECT 'made_' || lpad(n::text, 12, '0'), n, ${time}, ${time}, ${account},
       ('0198f1c2-7d1e-7000-8000-' || lpad((n % 50)::text, 12, '0'))::uuid, 'default', 'model-' || n % 5, 'acme',
       'main', 'east', 'model-' || n % 5 || '-upstream', 'openai-chat', n % 2 = 0, 1, '1', '0.9',
       100 + n % 900, n % 300, 1 + n % 500, n % 7, 1000003 * (n % 1000 + 1), nullif(700001 * (n % 990), 0),
       'upstream', 'completed', 200, 10 + n % 900, 5 + n % 300, ${time}
     FROM generate_series(1, ${rows}::bigint) AS n`,
    `INSERT INTO billing.ledger_transaction (number, kind, account_id, request_id, occurred_at, booked_at, posted_at)
     SELECT number, 'usage', account_id, request_id, occurred_at, booked_at, posted_at FROM billing.usage`,
    `INSERT INTO billing.ledger_entry (number, ledger_account, amount_pico)
     SELECT number, account, amount FROM billing.usage, LATERAL (VALUES
       ('customer:' || account_id, -cost_pico), ('revenue:' || vendor, cost_pico),
       ('cost:' || upstream, -upstream_cost_pico), ('payable:' || upstream, upstream_cost_pico)) AS e (account, amount)
     WHERE amount <> 0`,
    `INSERT INTO billing.account_balance (account_id, balance_pico, last_number)
     SELECT account_id, -sum(cost_pico), max(number) FROM billing.usage GROUP BY account_id`,
    `UPDATE billing.journal SET last_number = ${rows}`,
  ])
    await database.query(statement);
}
