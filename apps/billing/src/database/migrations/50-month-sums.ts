import { TOKEN_KINDS } from '@tollgate/vocabulary';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  ADD_INSERTED_ENTRIES,
  ADD_INSERTED_TRANSACTIONS,
  ADD_INSERTED_USAGE,
  rebuildMonths,
} from '../../periods/month-sums.ts';

const tokenColumns = TOKEN_KINDS.map((kind) => `tokens_${kind} numeric(38, 0) NOT NULL`).join(',\n        ');

/** Sums of what is booked in a month: the statement of a month that is open reads these and not its requests. */
export class CreateMonthSums1764000050000 implements MigrationInterface {
  name = 'CreateMonthSums1764000050000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SET LOCAL statement_timeout = 0; SELECT FROM billing.journal FOR UPDATE');
    await runner.query(`
      -- No account's books begin earlier: what was booked before, by a clock that was wrong, is the first month's.
      CREATE FUNCTION billing.first_month(created_at timestamptz, zone text) RETURNS date LANGUAGE sql STABLE AS $$
        SELECT (date_trunc('month', created_at AT TIME ZONE zone) - interval '24 months')::date
      $$;

      CREATE OR REPLACE VIEW billing.open_period AS
        SELECT a.id AS account_id, m.month, a.time_zone,
          coalesce(closed.ends_at, least(booked.first, billing.local_month_start(m.month, a.time_zone))) AS starts_at,
          billing.local_month_start((m.month + interval '1 month')::date, a.time_zone) AS ends_at
        FROM billing.account a
        LEFT JOIN LATERAL (
          SELECT p.month, p.ends_at FROM billing.period p WHERE p.account_id = a.id ORDER BY p.month DESC LIMIT 1
        ) closed ON true
        CROSS JOIN LATERAL (
          SELECT min(t.booked_at) AS first FROM billing.ledger_transaction t WHERE t.account_id = a.id
        ) booked
        CROSS JOIN LATERAL (
          SELECT coalesce((closed.month + interval '1 month')::date, greatest(
            date_trunc('month', least(a.created_at, booked.first) AT TIME ZONE a.time_zone)::date,
            billing.first_month(a.created_at, a.time_zone))) AS month
        ) m;

      -- The month of an account's books that a moment belongs to: that of its closed period, or of the clock. What the end of
      -- the last closed one leaves behind is the next month's; where midnight comes twice the earlier one begins the month,
      -- as in local_month_start.
      CREATE FUNCTION billing.booked_month(account uuid, at timestamptz) RETURNS date LANGUAGE sql STABLE AS $$
        SELECT CASE
          WHEN closed.month IS NULL THEN greatest(local.month, known.first)
          WHEN at >= closed.ends_at THEN greatest(local.month, (closed.month + interval '1 month')::date)
          ELSE (SELECT p.month FROM billing.period p WHERE p.account_id = account AND p.ends_at > at
                ORDER BY p.month LIMIT 1)
        END
        FROM (SELECT 1) AS one
        LEFT JOIN (
          SELECT p.month, p.ends_at FROM billing.period p WHERE p.account_id = account ORDER BY p.month DESC LIMIT 1
        ) AS closed ON true
        LEFT JOIN (
          SELECT a.time_zone AS zone, billing.first_month(a.created_at, a.time_zone) AS first
          FROM billing.account a WHERE a.id = account
        ) AS known ON true
        CROSS JOIN LATERAL (SELECT at AT TIME ZONE coalesce(known.zone, 'UTC') AS time) AS clock
        CROSS JOIN LATERAL (SELECT date_trunc('month', clock.time) + interval '1 month' AS next) AS coming
        CROSS JOIN LATERAL (
          SELECT CASE WHEN coming.next - clock.time <= interval '4 hours'
              AND billing.local_month_start(coming.next::date, coalesce(known.zone, 'UTC')) <= at
            THEN coming.next::date ELSE (coming.next - interval '1 month')::date END AS month
        ) AS local
      $$;

      CREATE TABLE billing.usage_month (
        account_id uuid NOT NULL,
        month date NOT NULL CHECK (month = date_trunc('month', month)),
        key_id uuid NOT NULL,
        model text NOT NULL,
        requests bigint NOT NULL,
        ${tokenColumns},
        cost_pico numeric(38, 0) NOT NULL,
        PRIMARY KEY (account_id, month, key_id, model)
        -- Every batch adds to the same few rows: their new versions find room beside them.
      ) WITH (fillfactor = 50);

      CREATE INDEX usage_month_of_key ON billing.usage_month (key_id);

      CREATE TABLE billing.ledger_month (
        account_id uuid NOT NULL,
        month date NOT NULL CHECK (month = date_trunc('month', month)),
        kind text NOT NULL,
        transactions bigint NOT NULL,
        -- What they did to the customer's balance.
        amount_pico numeric(38, 0) NOT NULL,
        PRIMARY KEY (account_id, month, kind)
      ) WITH (fillfactor = 50);

      -- Once a statement: a batch of requests touches few rows of these. Triggers and not the service, so that the release
      -- before, which may still be running, keeps them too.
      CREATE FUNCTION billing.add_usage_months() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        ${ADD_INSERTED_USAGE};
        RETURN NULL;
      END $$;
      CREATE TRIGGER months_are_summed AFTER INSERT ON billing.usage
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION billing.add_usage_months();

      CREATE FUNCTION billing.add_transaction_months() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        ${ADD_INSERTED_TRANSACTIONS};
        RETURN NULL;
      END $$;
      CREATE TRIGGER months_are_summed AFTER INSERT ON billing.ledger_transaction
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION billing.add_transaction_months();

      CREATE FUNCTION billing.add_entry_months() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
      BEGIN
        ${ADD_INSERTED_ENTRIES};
        RETURN NULL;
      END $$;
      CREATE TRIGGER months_are_summed AFTER INSERT ON billing.ledger_entry
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION billing.add_entry_months();
    `);
    await rebuildMonths(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER months_are_summed ON billing.usage;
      DROP TRIGGER months_are_summed ON billing.ledger_transaction;
      DROP TRIGGER months_are_summed ON billing.ledger_entry;
      DROP FUNCTION billing.add_usage_months, billing.add_transaction_months, billing.add_entry_months;
      DROP TABLE billing.usage_month, billing.ledger_month;
      DROP FUNCTION billing.booked_month;
      CREATE OR REPLACE VIEW billing.open_period AS
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
      DROP FUNCTION billing.first_month;
    `);
  }
}
