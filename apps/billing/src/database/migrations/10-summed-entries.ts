import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One transaction for the requests of an account that are posted together: it takes as many numbers as it has requests, and
 * stands at the last of them. Rows of the usage log keep a number each, and a month of the log has each request once. What was
 * posted before keeps a transaction of its own; so does what the release before posts meanwhile.
 */
export class SummedEntries1764900000000 implements MigrationInterface {
  name = 'SummedEntries1764900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE billing.ledger_transaction
        -- How many numbers it takes: its own, and those right before.
        ADD COLUMN numbers int NOT NULL DEFAULT 1,
        -- SHA-256 over the rows of the usage log, or of the lost attempts, that have these numbers.
        ADD COLUMN digest bytea,
        -- Of a refund: what it corrects may be of many requests.
        ADD COLUMN refunded_request text,
        DROP CONSTRAINT ledger_transaction_cause,
        ADD CONSTRAINT ledger_transaction_cause CHECK (CASE WHEN kind IN ('usage', 'lost_attempt')
          THEN idempotency_key IS NULL AND (request_id IS NULL) = (digest IS NOT NULL)
          ELSE idempotency_key IS NOT NULL AND actor IS NOT NULL AND reason IS NOT NULL AND digest IS NULL END) NOT VALID,
        ADD CONSTRAINT ledger_transaction_numbers CHECK (numbers = 1 OR (numbers > 1 AND digest IS NOT NULL)) NOT VALID,
        ADD CONSTRAINT ledger_transaction_refund CHECK (refunded_request IS NULL OR kind = 'refund') NOT VALID;

      CREATE FUNCTION billing.check_refund() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (SELECT numbers FROM billing.ledger_transaction WHERE number = NEW.corrects) > 1 THEN
          RAISE EXCEPTION 'a refund of a transaction of many requests names the one' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER refund_names_request BEFORE INSERT ON billing.ledger_transaction
        FOR EACH ROW WHEN (NEW.kind = 'refund' AND NEW.refunded_request IS NULL) EXECUTE FUNCTION billing.check_refund();

      -- Requests whose usage stands in another month than the one that their id carries: their month cannot refuse a
      -- second posting. They are posted while nobody else posts.
      CREATE TABLE billing.usage_elsewhere (
        request_id text PRIMARY KEY
      );

      CREATE OR REPLACE FUNCTION billing.create_usage_partition(month date) RETURNS void
      LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      DECLARE
        name text := 'usage_' || to_char(month, 'YYYY_MM');
        starts timestamptz := month::timestamp AT TIME ZONE 'UTC';
        ends timestamptz := (month + interval '1 month') AT TIME ZONE 'UTC';
      BEGIN
        IF extract(day FROM month) <> 1 THEN
          RAISE EXCEPTION '% is not the first of a month', month;
        END IF;
        -- Nothing may fall into the default partition between the move and the attachment.
        LOCK TABLE billing.usage_default IN ACCESS EXCLUSIVE MODE;
        EXECUTE format('CREATE TABLE billing.%I (LIKE billing.usage INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
        EXECUTE format(
          'WITH moved AS (DELETE FROM billing.usage_default WHERE occurred_at >= $1 AND occurred_at < $2 RETURNING *)
           INSERT INTO billing.%I SELECT * FROM moved', name) USING starts, ends;
        EXECUTE format(
          'ALTER TABLE billing.usage ATTACH PARTITION billing.%I FOR VALUES FROM (%L) TO (%L)', name, starts, ends);
        -- A month has each request once.
        EXECUTE format('CREATE UNIQUE INDEX %I ON billing.%I (request_id)', name || '_once', name);
      END $$;

      CREATE OR REPLACE FUNCTION billing.add_transaction_months() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO billing.ledger_month AS m (account_id, month, kind, transactions, amount_pico)
        SELECT q.account_id, billing.booked_month(q.account_id, q.quarter) AS month, q.kind,
          sum(q.transactions) AS transactions, sum(q.amount_pico) AS amount_pico
        FROM (SELECT account_id, date_bin('15 minutes', booked_at, timestamptz '2000-01-01T00:00:00Z') AS quarter, kind,
            sum(numbers) AS transactions, 0 AS amount_pico
          FROM inserted GROUP BY 1, 2, 3) q
        GROUP BY 1, 2, 3
        ON CONFLICT (account_id, month, kind) DO UPDATE SET
          transactions = m.transactions + excluded.transactions, amount_pico = m.amount_pico + excluded.amount_pico;
        RETURN NULL;
      END $$;
      -- Ends a batch: waits for the batch before it, makes its numbers the last ones and adds its sums. False where it cannot
      -- be: the batch before it came to nothing, or a month it is booked in was closed meanwhile. From here to the commit
      -- nobody else is here.
      CREATE OR REPLACE FUNCTION billing.book_batch(first bigint, last bigint) RETURNS boolean LANGUAGE plpgsql
        SET enable_seqscan = off AS $$
      BEGIN
        PERFORM set_config('lock_timeout', '20s', true);
        PERFORM pg_advisory_xact_lock_shared(billing.journal_lock(first - 1));
        UPDATE billing.journal SET last_number = last WHERE last_number = first - 1;
        IF NOT FOUND OR EXISTS (
          SELECT FROM billing.ledger_transaction t JOIN billing.account a ON a.id = t.account_id
          WHERE t.number BETWEEN first AND last AND t.booked_at < a.closed_until) THEN
          RETURN false;
        END IF;
        -- Its transactions take all of its numbers, and each once.
        IF EXISTS (
          SELECT FROM (
            SELECT number - numbers AS before, lag(number, 1, first - 1) OVER (ORDER BY number) AS end_before
            FROM billing.ledger_transaction WHERE number BETWEEN first AND last) AS t
          WHERE before <> end_before)
          OR NOT EXISTS (SELECT FROM billing.ledger_transaction WHERE number = last) THEN
          RAISE EXCEPTION 'the numbers % to % have gaps', first, last USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        PERFORM billing.sum_transactions(first, last), billing.sum_usage(first, last), billing.sum_lost(first, last);
        PERFORM set_config('tollgate.sums', '', true);
        RETURN true;
      END $$;

      CREATE OR REPLACE FUNCTION billing.sum_transactions(first bigint, last bigint) RETURNS void LANGUAGE plpgsql
        SET enable_seqscan = off AS $$
      BEGIN
        WITH transactions AS MATERIALIZED (
          SELECT account_id, date_bin('15 minutes', booked_at, timestamptz '2000-01-01T00:00:00Z') AS quarter, kind,
            number, numbers, 'customer:' || account_id AS customer
          FROM billing.ledger_transaction WHERE number BETWEEN first AND last),
        entries AS MATERIALIZED (
          SELECT number, ledger_account, amount_pico FROM billing.ledger_entry
          WHERE number BETWEEN first AND last AND ledger_account LIKE 'customer:%'),
        sums AS MATERIALIZED (
          SELECT t.account_id, t.quarter, t.kind, sum(t.numbers) AS transactions, sum(e.amount_pico) AS amount_pico,
            max(e.number) AS number
          FROM transactions t LEFT JOIN entries e ON e.number = t.number AND e.ledger_account = t.customer
          GROUP BY 1, 2, 3),
        balances AS (
          INSERT INTO billing.account_balance AS b (account_id, balance_pico, last_number)
          SELECT account_id, sum(amount_pico), max(number) FROM sums WHERE number IS NOT NULL GROUP BY 1
          ON CONFLICT (account_id) DO UPDATE SET
            balance_pico = b.balance_pico + excluded.balance_pico, last_number = excluded.last_number)
        INSERT INTO billing.ledger_month AS m (account_id, month, kind, transactions, amount_pico)
        SELECT account_id, billing.booked_month(account_id, quarter), kind, sum(transactions),
          coalesce(sum(amount_pico), 0)
        FROM sums GROUP BY 1, 2, 3
        ON CONFLICT (account_id, month, kind) DO UPDATE SET
          transactions = m.transactions + excluded.transactions, amount_pico = m.amount_pico + excluded.amount_pico;
      END $$;

    `);
  }

  async down(): Promise<void> {
    throw new Error('Transactions of many requests would be lost: restore a backup.');
  }
}
