import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The groups and the number of keys of an account, and what of a key its operator holds. */
export class AddAllowedGroups1764000071000 implements MigrationInterface {
  name = 'AddAllowedGroups1764000071000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE billing.account
        -- Null is what the deployment allows to every account.
        ADD allowed_groups text[] CHECK (cardinality(allowed_groups) > 0),
        ADD max_keys int CHECK (max_keys >= 0);
      -- By field: the value that an operator set, who it was and when.
      ALTER TABLE billing.api_key ADD operator_fields jsonb NOT NULL DEFAULT '{}';

      -- What operators set before is theirs from now on. The audit log knows which fields those were, by the names of
      -- the API; what the key has of them now is the bound.
      WITH set_by_operators AS (
        SELECT DISTINCT ON (key_id, field) split_part(object, ' ', 2)::uuid AS key_id, field, actor, at
        FROM billing.audit_log
        CROSS JOIN LATERAL (
          SELECT key AS field, value FROM jsonb_each(after)
            WHERE key IN ('group', 'models', 'allowed_addresses', 'expires_at', 'status')
          UNION ALL SELECT 'budgets.' || key, value FROM jsonb_each(
            CASE jsonb_typeof(after -> 'budgets') WHEN 'object' THEN after -> 'budgets' ELSE '{}' END)
          UNION ALL SELECT 'limits.' || key, value FROM jsonb_each(
            CASE jsonb_typeof(after -> 'limits') WHEN 'object' THEN after -> 'limits' ELSE '{}' END)
        ) AS stated
        CROSS JOIN LATERAL (SELECT split_part(object, ' ', 2) AS key_id) AS named
        WHERE source = 'billing' AND action IN ('key.create', 'key.import', 'key.change')
          AND role IN ('owner', 'admin') AND object ~ '^key [0-9a-f-]{36}$' AND jsonb_typeof(after) = 'object'
        ORDER BY key_id, field, at DESC
      ), held AS (
        SELECT s.key_id, s.field, s.actor, s.at,
          CASE s.field
            WHEN 'group' THEN to_jsonb(k.group_name)
            WHEN 'models' THEN to_jsonb(k.models)
            WHEN 'allowed_addresses' THEN to_jsonb(k.allowed_addresses)
            WHEN 'expires_at' THEN to_jsonb(to_char(k.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
            WHEN 'status' THEN CASE k.status WHEN 'disabled' THEN to_jsonb(k.status) END
            WHEN 'budgets.total_usd' THEN to_jsonb(k.budget_pico::text)
            WHEN 'budgets.daily_usd' THEN to_jsonb(k.budget_daily_pico::text)
            WHEN 'budgets.monthly_usd' THEN to_jsonb(k.budget_monthly_pico::text)
            WHEN 'limits.requests_per_minute' THEN to_jsonb(k.requests_per_minute)
            WHEN 'limits.tokens_per_minute' THEN to_jsonb(k.tokens_per_minute)
            WHEN 'limits.concurrent_requests' THEN to_jsonb(k.concurrent_requests)
          END AS value
        FROM set_by_operators s JOIN billing.api_key k ON k.id = s.key_id
      ), fields AS (
        SELECT key_id, jsonb_object_agg(field, jsonb_build_object('value', value, 'by', actor, 'at', at)) AS fields
        FROM held WHERE value IS NOT NULL AND value <> 'null' GROUP BY key_id
      )
      UPDATE billing.api_key AS k SET operator_fields = fields.fields FROM fields WHERE k.id = fields.key_id;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE billing.api_key DROP operator_fields;
      ALTER TABLE billing.account DROP allowed_groups, DROP max_keys;
    `);
  }
}
