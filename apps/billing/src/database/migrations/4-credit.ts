import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The order in which what is left of credit was read, and the holds that nobody settled. */
export class CreateCredit1764000004000 implements MigrationInterface {
  name = 'CreateCredit1764000004000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Taken before a reading: of two readings the one with the higher number has seen more.
      CREATE SEQUENCE billing.credit_version;

      -- Credit that was held for a request of which no usage came: its gateway died with it.
      CREATE TABLE billing.reservation_lost (
        request_id text PRIMARY KEY,
        account_id uuid NOT NULL,
        key_id uuid NOT NULL,
        gateway text NOT NULL,
        amount_pico numeric(38, 0) NOT NULL CHECK (amount_pico >= 0),
        -- The request had ended, and its cost was known to its gateway.
        settled boolean NOT NULL,
        reserved_at timestamptz NOT NULL,
        released_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX reservation_lost_of_account ON billing.reservation_lost (account_id, released_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE billing.reservation_lost; DROP SEQUENCE billing.credit_version;');
  }
}
