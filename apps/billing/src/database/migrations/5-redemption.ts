import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Redemption codes, and how far the ledger has been audited. */
export class CreateRedemption1764000005000 implements MigrationInterface {
  name = 'CreateRedemption1764000005000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE billing.redemption_batch (
        id uuid PRIMARY KEY,
        amount_pico numeric(38, 0) NOT NULL CHECK (amount_pico > 0),
        expires_at timestamptz,
        note text NOT NULL,
        idempotency_key text NOT NULL UNIQUE,
        created_by text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );

      -- The codes themselves are nowhere, only their hashes.
      CREATE TABLE billing.redemption_code (
        id uuid PRIMARY KEY,
        batch_id uuid NOT NULL REFERENCES billing.redemption_batch,
        code_hash text NOT NULL UNIQUE CHECK (code_hash ~ '^[0-9a-f]{64}$'),
        ending text NOT NULL,
        revoked_at timestamptz,
        revoked_by text,
        revoked_why text,
        redeemed_at timestamptz,
        redeemed_by text,
        -- The ledger transaction that gave the credit.
        number bigint,
        CHECK (redeemed_at IS NULL OR revoked_at IS NULL),
        CHECK ((redeemed_at IS NULL) = (number IS NULL))
      );
      CREATE INDEX redemption_code_of_batch ON billing.redemption_code (batch_id, id);

      -- One row: everything up to this number was found right.
      CREATE TABLE billing.ledger_audit (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        number bigint NOT NULL,
        audited_at timestamptz
      );
      INSERT INTO billing.ledger_audit (number) VALUES (0);
      -- The balances as of that number.
      CREATE TABLE billing.audited_balance (
        account_id text PRIMARY KEY,
        balance_pico numeric(38, 0) NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE billing.audited_balance, billing.ledger_audit, billing.redemption_code, billing.redemption_batch;
    `);
  }
}
