import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far months are sealed, and how far books are verified, so that whoever goes on begins where the last one ended. */
export class ResumedReading1765500000000 implements MigrationInterface {
  name = 'ResumedReading1765500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Closed months that are not sealed yet.
      CREATE TABLE billing.period_sealing (
        account_id uuid NOT NULL,
        month date NOT NULL,
        checked bigint NOT NULL DEFAULT 0,
        total bigint NOT NULL,
        place jsonb,
        PRIMARY KEY (account_id, month)
      );

      CREATE TABLE billing.verification (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        kind text NOT NULL CHECK (kind IN ('periods', 'ledger')),
        -- Null where it is about all accounts.
        account_id uuid,
        -- Whether what was found right before is read again.
        from_start boolean NOT NULL,
        started_by text NOT NULL,
        started_at timestamptz NOT NULL DEFAULT now(),
        ended_at timestamptz,
        -- Numbers of the journal.
        checked bigint NOT NULL DEFAULT 0,
        total bigint NOT NULL,
        place jsonb,
        report jsonb
      );
      CREATE INDEX verification_by_start ON billing.verification (started_at);
      CREATE INDEX verification_open ON billing.verification (started_at) WHERE ended_at IS NULL;

      CREATE TABLE billing.verification_item (
        verification_id uuid NOT NULL REFERENCES billing.verification ON DELETE CASCADE,
        account_id uuid NOT NULL,
        periods int NOT NULL,
        -- Of those, the ones that were found right before and not read again.
        known int NOT NULL,
        last_hash text,
        first_difference jsonb,
        PRIMARY KEY (verification_id, account_id)
      );

      -- What was found right, under which hash.
      CREATE TABLE billing.verified_period (
        account_id uuid NOT NULL,
        month date NOT NULL,
        hash text NOT NULL,
        verified_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (account_id, month)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE billing.verified_period, billing.verification_item, billing.verification, billing.period_sealing',
    );
  }
}
