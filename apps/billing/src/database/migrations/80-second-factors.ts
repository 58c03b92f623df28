import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What people show besides their password. */
export class CreateSecondFactors1764000080000 implements MigrationInterface {
  name = 'CreateSecondFactors1764000080000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- The secret that a person's authenticator app and we share, sealed.
      CREATE TABLE billing.totp (
        user_id uuid PRIMARY KEY REFERENCES billing.app_user ON DELETE CASCADE,
        secret text NOT NULL CHECK (secret LIKE 'sealed.v1.%'),
        -- The step of time of the last code that was used: an earlier one, or that one again, is of no use.
        last_step bigint NOT NULL,
        -- Tries since a code was right, each counted before it is looked at.
        failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
        failed_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz
      );

      CREATE TABLE billing.passkey (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES billing.app_user ON DELETE CASCADE,
        credential_id text NOT NULL UNIQUE,
        public_key bytea NOT NULL,
        -- As the device counts its uses; 0 of those that do not count.
        counter bigint NOT NULL CHECK (counter >= 0),
        transports text[] NOT NULL,
        name text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz
      );
      CREATE INDEX passkey_of_user ON billing.passkey (user_id, created_at);

      CREATE TABLE billing.recovery_code (
        user_id uuid NOT NULL REFERENCES billing.app_user ON DELETE CASCADE,
        code_hash text NOT NULL CHECK (code_hash ~ '^[0-9a-f]{64}$'),
        used_at timestamptz,
        PRIMARY KEY (user_id, code_hash)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE billing.recovery_code, billing.passkey, billing.totp');
  }
}
