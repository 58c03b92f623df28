import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts, the people of them, their sessions and API keys. */
export class CreateAccounts1764000001000 implements MigrationInterface {
  name = 'CreateAccounts1764000001000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE billing.account (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
        time_zone text NOT NULL DEFAULT 'UTC',
        mode text NOT NULL DEFAULT 'postpaid' CHECK (mode IN ('prepaid', 'postpaid')),
        -- How far below zero a postpaid account may go; null is no limit.
        credit_limit_pico numeric(38, 0) CHECK (credit_limit_pico >= 0),
        -- The end of its last closed period: nothing is booked before it any more.
        closed_until timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        CHECK (mode = 'postpaid' OR credit_limit_pico IS NULL)
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
        budget_daily_pico numeric(38, 0) CHECK (budget_daily_pico >= 0),
        budget_monthly_pico numeric(38, 0) CHECK (budget_monthly_pico >= 0),
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

      -- What a key spent in a day or a month of its account's time zone.
      CREATE TABLE billing.key_spend (
        key_id uuid NOT NULL,
        span text NOT NULL CHECK (span IN ('day', 'month')),
        starts_on date NOT NULL,
        spent_pico numeric(38, 0) NOT NULL,
        PRIMARY KEY (key_id, span, starts_on)
      );

      CREATE TABLE billing.key_change_outbox (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        key_hash text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE billing.key_change_outbox, billing.key_spend, billing.api_key, billing.session, billing.app_user,
        billing.account;
    `);
  }
}
