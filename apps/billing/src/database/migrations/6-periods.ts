import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Closed months and their frozen totals, and the checks of upstreams' invoices. None of it is ever changed. */
export class CreatePeriods1764000006000 implements MigrationInterface {
  name = 'CreatePeriods1764000006000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- The first instant of a month on the clocks of a time zone: where midnight comes twice the earlier one, where
      -- it does not come at all the end of the gap. Every zone's offset is a multiple of 15 minutes.
      CREATE FUNCTION billing.local_month_start(month date, zone text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
        SELECT min(t) FROM generate_series(
          (month::timestamp AT TIME ZONE zone) - interval '3 hours', month::timestamp AT TIME ZONE zone,
          interval '15 minutes') AS t
        WHERE t AT TIME ZONE zone >= month::timestamp
      $$;

      -- A row is the promise that nothing is booked in that span of the account any more.
      CREATE TABLE billing.period (
        account_id uuid NOT NULL REFERENCES billing.account,
        month date NOT NULL CHECK (month = date_trunc('month', month)),
        time_zone text NOT NULL,
        starts_at timestamptz NOT NULL,
        ends_at timestamptz NOT NULL CHECK (ends_at > starts_at),
        closed_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now()),
        closed_by text NOT NULL,
        reason text NOT NULL,
        PRIMARY KEY (account_id, month)
      );

      -- What was in it, worked out once and chained to the period before.
      CREATE TABLE billing.period_seal (
        account_id uuid NOT NULL,
        month date NOT NULL,
        totals jsonb NOT NULL,
        digest text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
        -- Null for an account's first period.
        previous_hash text CHECK (previous_hash ~ '^[0-9a-f]{64}$'),
        hash text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
        PRIMARY KEY (account_id, month),
        FOREIGN KEY (account_id, month) REFERENCES billing.period
      );

      -- The first month of each account that is not closed. A change of time zone moves its end, never its beginning.
      CREATE VIEW billing.open_period AS
        SELECT a.id AS account_id, m.month, a.time_zone,
          coalesce(closed.ends_at, billing.local_month_start(m.month, a.time_zone)) AS starts_at,
          billing.local_month_start((m.month + interval '1 month')::date, a.time_zone) AS ends_at
        FROM billing.account a
        LEFT JOIN LATERAL (
          SELECT p.month, p.ends_at FROM billing.period p WHERE p.account_id = a.id ORDER BY p.month DESC LIMIT 1
        ) closed ON true
        CROSS JOIN LATERAL (
          SELECT coalesce((closed.month + interval '1 month')::date, date_trunc('month', least(a.created_at,
            (SELECT min(t.booked_at) FROM billing.ledger_transaction t WHERE t.account_id = a.id)
          ) AT TIME ZONE a.time_zone)::date) AS month
        ) m;

      CREATE TABLE billing.reconciliation (
        id uuid PRIMARY KEY,
        created_at timestamptz NOT NULL DEFAULT now(),
        actor text NOT NULL,
        upstream text NOT NULL,
        time_zone text NOT NULL,
        first_day date NOT NULL,
        last_day date NOT NULL,
        file_sha256 text NOT NULL CHECK (file_sha256 ~ '^[0-9a-f]{64}$'),
        file_bytes bigint NOT NULL,
        -- The last ledger transaction that our side counts.
        as_of_number bigint NOT NULL,
        parameters jsonb NOT NULL,
        summary jsonb NOT NULL,
        rows jsonb NOT NULL
      );
      CREATE INDEX reconciliation_newest ON billing.reconciliation (created_at DESC, id DESC);
    `);
    for (const table of ['period', 'period_seal', 'reconciliation'])
      await runner.query(`
        CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON billing.${table}
          FOR EACH ROW EXECUTE FUNCTION billing.refuse_change();
        CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON billing.${table}
          FOR EACH STATEMENT EXECUTE FUNCTION billing.refuse_change();
      `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP VIEW billing.open_period;
      DROP TABLE billing.reconciliation, billing.period_seal, billing.period;
      DROP FUNCTION billing.local_month_start;
    `);
  }
}
