import { SYNTHETIC_MODELS, SYNTHETIC_PRICES, SYNTHETIC_VENDORS } from './synthetic-prices.ts';

/** When the first request of a synthetic ledger was: where the usage log has its months; and how far they are apart. */
const [YEAR, MONTH] = [new Date().getUTCFullYear(), new Date().getUTCMonth()];
const FROM = new Date(Date.UTC(YEAR, MONTH - 1, 1)).toISOString();
const APART_MS = 1_000;

/** A time in which all requests of so many are. */
export const syntheticSpan = (rows: number): { from: string; to: string } => ({
  from: FROM,
  to: new Date(Date.parse(FROM) + rows * APART_MS).toISOString(),
});

/**
 * Statements that fill empty books with so many requests, as posting would have: the usage, its transactions, the
 * entries, the balances, the sums of the hours and the last number of the journal. The rules of the books are not looked at meanwhile.
 *
 * @param account whose they all are; without it they are those of 200 accounts.
 */
export function listSyntheticStatements(rows: number, account?: string): string[] {
  const time = `timestamptz '${FROM}' + (n - 1) * interval '${APART_MS} milliseconds'`;
  const uuid = (count: number) => `('0198f1c2-7d1e-7000-8000-' || lpad((n % ${count})::text, 12, '0'))::uuid`;
  const { input, cache_read, output, output_reasoning } = SYNTHETIC_PRICES;
  return [
    'ALTER TABLE billing.usage ENABLE ALWAYS TRIGGER hours_are_summed',
    'SET session_replication_role = replica',
    `INSERT INTO billing.usage (request_id, number, occurred_at, booked_at, posted_at, account_id, key_id,
       group_name, model, vendor, pool, upstream, upstream_model, protocol, stream, snapshot_version, group_ratio,
       discount_ratio, tokens_input, tokens_cache_read, tokens_output, tokens_output_reasoning, cost_pico,
       upstream_cost_pico, usage_source, outcome, http_status, latency_ms, first_byte_ms)
     SELECT 'req_' || md5(n::text), n, ${time}, ${time}, ${time}, ${account ? `'${account}'::uuid` : uuid(200)}, ${uuid(2_000)}, 'default',
       'model-' || n % ${SYNTHETIC_MODELS}, 'vendor-' || n % ${SYNTHETIC_VENDORS}, 'main', 'upstream-' || n % 6,
       'model-' || n % ${SYNTHETIC_MODELS} || '-2026-01', 'openai-chat', n % 2 = 0, 1 + n * 50 / ${rows}, '1', discount,
       input, cache_read, output, reasoning, cost, round(cost * 0.7), 'upstream', 'completed', 200,
       200 + (n * 13) % 9000, 50 + n % 900
     FROM generate_series(1, ${rows}::bigint) AS n,
       LATERAL (SELECT CASE WHEN n % 10 = 0 THEN '0.9' ELSE '1' END AS discount, (n * 7919) % 20000 AS input,
         CASE WHEN n % 3 = 0 THEN (n * 104729) % 90000 ELSE 0 END AS cache_read, 1 + (n * 31) % 4000 AS output,
         CASE WHEN n % 5 = 0 THEN (n * 17) % 3000 ELSE 0 END AS reasoning) AS used,
       LATERAL (SELECT round(discount::numeric * (input * ${input} + cache_read * ${cache_read}
         + output * ${output} + reasoning * ${output_reasoning})) AS cost) AS charged`,
    `INSERT INTO billing.ledger_transaction (number, kind, account_id, request_id, occurred_at, booked_at, posted_at)
     SELECT number, 'usage', account_id, request_id, occurred_at, booked_at, posted_at FROM billing.usage`,
    `INSERT INTO billing.ledger_entry (number, ledger_account, amount_pico)
     SELECT number, name, amount FROM billing.usage, LATERAL (VALUES
       ('customer:' || account_id, -cost_pico), ('revenue:' || vendor, cost_pico),
       ('cost:' || upstream, -upstream_cost_pico), ('payable:' || upstream, upstream_cost_pico)) AS e (name, amount)`,
    `INSERT INTO billing.account_balance (account_id, balance_pico, last_number)
     SELECT account_id, -sum(cost_pico), max(number) FROM billing.usage GROUP BY account_id`,
    `UPDATE billing.journal SET last_number = ${rows}`,
    'ANALYZE billing.usage, billing.ledger_transaction, billing.ledger_entry',
    'RESET session_replication_role',
    'ALTER TABLE billing.usage ENABLE TRIGGER hours_are_summed',
  ];
}
