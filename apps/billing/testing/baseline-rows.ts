const ACCOUNTS = ['0198f1c2-7d1e-7000-8000-00000000000a', '0198f1c2-7d1e-7000-8000-00000000000b'] as const;
const KEY = '0198f1c2-7d1e-7000-9000-00000000000a';

/**
 * Rows of a deployment as SQL of the baseline, so that they can be written before any later migration: accounts in two time
 * zones, usage of every kind of token in past, present and far months, payments, and a month that is closed. Triggers add
 * them up. They hold the same whenever they are written within one month.
 */
export const BASELINE_ROWS = `
  INSERT INTO billing.account (id, name, time_zone, created_at) VALUES
    ('${ACCOUNTS[0]}', 'First', 'UTC', '2026-01-05T00:00:00Z'),
    ('${ACCOUNTS[1]}', 'Second', 'Asia/Kathmandu', '2026-01-05T00:00:00Z');
  INSERT INTO billing.app_user (id, account_id, email, role, created_at) VALUES
    ('0198f1c2-7d1e-7000-a000-00000000000a', '${ACCOUNTS[0]}', 'owner@billing.example', 'owner', '2026-01-05T00:00:00Z');
  INSERT INTO billing.api_key (id, account_id, name, key_hash, masked, group_name, created_at) VALUES
    ('${KEY}', '${ACCOUNTS[0]}', 'a key', repeat('a', 64), 'sk-...a', 'default', '2026-01-05T00:00:00Z');
  INSERT INTO billing.audit_log (id, at, source, actor, action) VALUES
    ('0198f1c2-7d1e-7000-b000-00000000000a', '2026-01-05T00:00:00Z', 'billing', 'owner@billing.example', 'key.create');

  CREATE TEMPORARY TABLE posted AS
    SELECT n AS number, 'req_' || n AS request_id, (ARRAY['${ACCOUNTS[0]}', '${ACCOUNTS[1]}'])[1 + n % 2]::uuid AS account_id,
      CASE n % 3 WHEN 0 THEN timestamptz '2026-01-31T23:59:59.999Z' + n * interval '11 hours'
        WHEN 1 THEN date_trunc('month', now(), 'UTC') + n * interval '47 minutes'
        ELSE timestamptz '2100-02-28T18:15:00Z' + n * interval '1 hour' END AS at
    FROM generate_series(1, 60) AS n;
  INSERT INTO billing.ledger_transaction (number, kind, account_id, request_id, occurred_at, booked_at, posted_at)
    SELECT number, 'usage', account_id, request_id, at, at, at FROM posted;
  INSERT INTO billing.ledger_entry (number, ledger_account, amount_pico)
    SELECT number, 'customer:' || account_id, -number * 1000 FROM posted
    UNION ALL SELECT number, 'revenue:vendor', number * 1000 FROM posted
    UNION ALL SELECT number, 'cost:upstream', -number * 700 FROM posted
    UNION ALL SELECT number, 'payable:upstream', number * 700 FROM posted;
  INSERT INTO billing.usage (request_id, number, occurred_at, booked_at, posted_at, account_id, key_id, group_name, model,
      vendor, pool, upstream, upstream_model, protocol, stream, snapshot_version, group_ratio, discount_ratio, tokens_input,
      tokens_input_audio, tokens_input_image, tokens_cache_read, tokens_cache_write, tokens_cache_write_1h, tokens_output,
      tokens_output_reasoning, tokens_output_audio, tokens_output_image, cost_pico, upstream_cost_pico, usage_source,
      outcome, http_status, latency_ms, first_byte_ms)
    SELECT request_id, number, at, at, at, account_id, '${KEY}', 'default', 'model-' || number % 4, 'vendor', 'pool',
      'upstream', 'model', 'openai-chat', number % 2 = 0, 1, '1', '1', number, number * 2, number * 3, number * 5,
      number * 7, number * 11, number * 13, number * 17, number * 19, number * 23, number * 1000, number * 700, 'upstream',
      CASE number % 5 WHEN 0 THEN 'failed' ELSE 'completed' END, 200, 10, 5
    FROM posted;
  DROP TABLE posted;

  INSERT INTO billing.ledger_transaction (number, kind, account_id, idempotency_key, occurred_at, booked_at, posted_at, actor,
      reason)
    VALUES (61, 'payment', '${ACCOUNTS[0]}', 'payment-1', '2026-02-01T00:00:00Z', '2026-02-01T00:00:00Z',
      '2026-02-01T00:00:00Z', 'finance@billing.example', 'a transfer');
  INSERT INTO billing.ledger_entry (number, ledger_account, amount_pico) VALUES
    (61, 'customer:${ACCOUNTS[0]}', 5000000), (61, 'cash', -5000000);
  INSERT INTO billing.ledger_transaction (number, kind, account_id, request_id, occurred_at, booked_at, posted_at)
    VALUES (62, 'lost_attempt', '00000000-0000-0000-0000-000000000000', 'req_62#1', '2026-02-01T00:00:00Z',
      '2026-02-01T00:00:00Z', '2026-02-01T00:00:00Z');
  UPDATE billing.journal SET last_number = 62;
  INSERT INTO billing.account_balance (account_id, balance_pico, last_number)
    SELECT substring(ledger_account FROM 10)::uuid, sum(amount_pico), max(number) FROM billing.ledger_entry
    WHERE ledger_account LIKE 'customer:%' GROUP BY 1;
  INSERT INTO billing.lost_attempt (request_id, number, occurred_at, booked_at, posted_at, account_id, key_id, group_name,
      model, vendor, pool, upstream, upstream_model, protocol, stream, snapshot_version, cause, tokens_input, latency_ms)
    VALUES ('req_62#1', 62, '2026-02-01T00:00:00Z', '2026-02-01T00:00:00Z', '2026-02-01T00:00:00Z', '${ACCOUNTS[0]}',
      '${KEY}', 'default', 'model-1', 'vendor', 'pool', 'upstream', 'model', 'openai-chat', false, 1, 'timeout', 9, 10);

  INSERT INTO billing.period (account_id, month, time_zone, starts_at, ends_at, closed_at, closed_by, reason)
    VALUES ('${ACCOUNTS[0]}', '2026-01-01', 'UTC', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z',
      '2026-02-03T00:00:00Z', 'finance@billing.example', 'month end');
  UPDATE billing.account SET closed_until = '2026-02-01T00:00:00Z' WHERE id = '${ACCOUNTS[0]}'`;
