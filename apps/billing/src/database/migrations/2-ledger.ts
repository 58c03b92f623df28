import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The journal: numbered transactions of entries that sum to zero, never changed. */
export class CreateLedger1764000002000 implements MigrationInterface {
  name = 'CreateLedger1764000002000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- One row. Whoever appends holds it until the commit, so that numbers have no gaps and rise as commits do.
      CREATE TABLE billing.journal (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        last_number bigint NOT NULL
      );
      INSERT INTO billing.journal (last_number) VALUES (0);

      CREATE TABLE billing.ledger_transaction (
        number bigint PRIMARY KEY,
        kind text NOT NULL CHECK (kind IN ('usage', 'payment', 'grant', 'redemption', 'refund', 'payout', 'correction',
          'adjustment', 'write_off')),
        account_id uuid NOT NULL,
        -- What makes a transaction happen once: of usage the request, of what people do the key they chose.
        request_id text UNIQUE,
        idempotency_key text UNIQUE,
        -- SHA-256 of what was asked with that key: it answers the same again, and refuses anything else.
        asked_digest text,
        occurred_at timestamptz NOT NULL,
        -- The moment it counts at: when it occurred, or the beginning of the open period if that one is closed.
        booked_at timestamptz NOT NULL,
        posted_at timestamptz NOT NULL DEFAULT now(),
        actor text,
        reason text,
        -- The transaction that this one takes back, in whole or in part.
        corrects bigint REFERENCES billing.ledger_transaction,
        CHECK (CASE WHEN kind = 'usage' THEN request_id IS NOT NULL AND idempotency_key IS NULL
          ELSE idempotency_key IS NOT NULL AND actor IS NOT NULL AND reason IS NOT NULL END),
        CHECK ((kind IN ('refund', 'correction')) = (corrects IS NOT NULL))
      );
      CREATE INDEX ledger_transaction_of_account ON billing.ledger_transaction (account_id, booked_at, number);
      CREATE INDEX ledger_correction ON billing.ledger_transaction (corrects) WHERE corrects IS NOT NULL;
      CREATE UNIQUE INDEX ledger_corrected_once ON billing.ledger_transaction (corrects) WHERE kind = 'correction';
      CREATE INDEX ledger_made_by_people ON billing.ledger_transaction (account_id, number) WHERE kind <> 'usage';

      CREATE TABLE billing.ledger_entry (
        number bigint NOT NULL,
        ledger_account text NOT NULL,
        amount_pico numeric(38, 0) NOT NULL CHECK (amount_pico <> 0),
        PRIMARY KEY (number, ledger_account)
      );
      CREATE INDEX ledger_entry_of_account ON billing.ledger_entry (ledger_account, number);

      -- The fold of a customer's entries, kept beside them.
      CREATE TABLE billing.account_balance (
        account_id uuid PRIMARY KEY,
        balance_pico numeric(38, 0) NOT NULL,
        last_number bigint NOT NULL
      );

      CREATE FUNCTION billing.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'the ledger is append-only: correct it with a new transaction' USING ERRCODE = 'restrict_violation';
      END $$;
      CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON billing.ledger_transaction
        FOR EACH ROW EXECUTE FUNCTION billing.refuse_change();
      CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON billing.ledger_transaction
        FOR EACH STATEMENT EXECUTE FUNCTION billing.refuse_change();
      CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON billing.ledger_entry
        FOR EACH ROW EXECUTE FUNCTION billing.refuse_change();
      CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON billing.ledger_entry
        FOR EACH STATEMENT EXECUTE FUNCTION billing.refuse_change();

      -- Checked a statement at a time: a foreign key would look up the transaction of every single entry.
      -- Its plans are kept from when the tables were small: left to choose, they would read all of the ledger for every
      -- batch. Of a subquery in a condition, and with no scan of a whole table, only the look into an index is left.
      CREATE FUNCTION billing.check_entries() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
      DECLARE
        off bigint;
      BEGIN
        SELECT of.number INTO off FROM (SELECT DISTINCT number FROM inserted) AS of
          WHERE (SELECT sum(e.amount_pico) FROM billing.ledger_entry e WHERE e.number = of.number) <> 0 LIMIT 1;
        IF FOUND THEN
          RAISE EXCEPTION 'ledger transaction % does not sum to zero', off USING ERRCODE = 'check_violation';
        END IF;
        SELECT of.number INTO off FROM (SELECT DISTINCT number FROM inserted) AS of
          WHERE (SELECT t.number FROM billing.ledger_transaction t WHERE t.number = of.number) IS NULL LIMIT 1;
        IF FOUND THEN
          RAISE EXCEPTION 'there is no ledger transaction %', off USING ERRCODE = 'foreign_key_violation';
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER entries_are_sound AFTER INSERT ON billing.ledger_entry
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION billing.check_entries();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE billing.account_balance, billing.ledger_entry, billing.ledger_transaction, billing.journal;
      DROP FUNCTION billing.refuse_change, billing.check_entries;
    `);
  }
}
