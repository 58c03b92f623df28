import { TOKEN_KINDS } from '@tollgate/contracts';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const tokenColumns = TOKEN_KINDS.map(
  (kind) => `tokens_${kind} bigint NOT NULL DEFAULT 0 CHECK (tokens_${kind} >= 0)`,
).join(',\n        ');

export class CreateBilling1764000000000 implements MigrationInterface {
  name = 'CreateBilling1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE billing.account (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
        time_zone text NOT NULL DEFAULT 'UTC',
        created_at timestamptz NOT NULL DEFAULT now()
      );

      CREATE TABLE billing.app_user (
        id uuid PRIMARY KEY,
        account_id uuid NOT NULL REFERENCES billing.account,
        email text NOT NULL,
        password_hash text NOT NULL,
        role text NOT NULL CHECK (role IN ('owner', 'admin', 'finance', 'member')),
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE UNIQUE INDEX app_user_email ON billing.app_user (lower(email));

      CREATE TABLE billing.session (
        id_hash text PRIMARY KEY,
        user_id uuid REFERENCES billing.app_user ON DELETE CASCADE,
        data jsonb NOT NULL,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX session_expiry ON billing.session (expires_at);

      CREATE TABLE billing.api_key (
        id uuid PRIMARY KEY,
        account_id uuid NOT NULL REFERENCES billing.account,
        name text NOT NULL,
        key_hash text NOT NULL UNIQUE CHECK (key_hash ~ '^[0-9a-f]{64}$'),
        masked text NOT NULL,
        group_name text NOT NULL,
        status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
        expires_at timestamptz,
        budget_pico numeric(38, 0) CHECK (budget_pico >= 0),
        spent_pico numeric(38, 0) NOT NULL DEFAULT 0,
        requests_per_minute int CHECK (requests_per_minute > 0),
        tokens_per_minute int CHECK (tokens_per_minute > 0),
        strict boolean NOT NULL DEFAULT false,
        revision int NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz,
        deleted_at timestamptz
      );
      CREATE INDEX api_key_of_account ON billing.api_key (account_id, created_at DESC);

      CREATE TABLE billing.key_change_outbox (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        key_hash text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );

      CREATE TABLE billing.usage (
        request_id text PRIMARY KEY,
        occurred_at timestamptz NOT NULL,
        posted_at timestamptz NOT NULL DEFAULT now(),
        account_id uuid NOT NULL,
        key_id uuid NOT NULL,
        group_name text NOT NULL,
        model text NOT NULL,
        upstream text NOT NULL,
        upstream_model text NOT NULL,
        protocol text NOT NULL,
        stream boolean NOT NULL,
        snapshot_version int NOT NULL,
        group_ratio text NOT NULL,
        ${tokenColumns},
        cost_pico numeric(38, 0) NOT NULL CHECK (cost_pico >= 0),
        usage_source text NOT NULL,
        outcome text NOT NULL,
        http_status int NOT NULL,
        latency_ms int NOT NULL,
        first_byte_ms int NOT NULL
      );
      CREATE INDEX usage_of_account ON billing.usage (account_id, occurred_at DESC, request_id DESC);
      CREATE INDEX usage_of_key ON billing.usage (key_id, occurred_at DESC, request_id DESC);

      CREATE TABLE billing.usage_rejected (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        rejected_at timestamptz NOT NULL DEFAULT now(),
        request_id text UNIQUE,
        reason text NOT NULL,
        event jsonb NOT NULL
      );

      CREATE TABLE billing.ledger_transaction (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        kind text NOT NULL CHECK (kind IN ('usage')),
        request_id text UNIQUE,
        account_id uuid NOT NULL,
        occurred_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE TABLE billing.ledger_entry (
        transaction_id bigint NOT NULL REFERENCES billing.ledger_transaction,
        ledger_account text NOT NULL,
        amount_pico numeric(38, 0) NOT NULL CHECK (amount_pico <> 0),
        PRIMARY KEY (transaction_id, ledger_account)
      );
      CREATE INDEX ledger_entry_of_account ON billing.ledger_entry (ledger_account, transaction_id);

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

      CREATE FUNCTION billing.check_balance() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        off bigint;
      BEGIN
        SELECT e.transaction_id INTO off FROM billing.ledger_entry e
          WHERE e.transaction_id IN (SELECT transaction_id FROM inserted)
          GROUP BY e.transaction_id HAVING sum(e.amount_pico) <> 0 LIMIT 1;
        IF FOUND THEN
          RAISE EXCEPTION 'ledger transaction % does not sum to zero', off USING ERRCODE = 'check_violation';
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER sums_to_zero AFTER INSERT ON billing.ledger_entry
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION billing.check_balance();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE billing.ledger_entry, billing.ledger_transaction, billing.usage_rejected, billing.usage,
        billing.key_change_outbox, billing.api_key, billing.session, billing.app_user, billing.account;
      DROP FUNCTION billing.refuse_change, billing.check_balance;
    `);
  }
}
