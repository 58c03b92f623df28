import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is known of people and their sessions, links that let somebody in once, and the token of a new house. */
export class CreatePeople1764000010000 implements MigrationInterface {
  name = 'CreatePeople1764000010000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE billing.app_user
        ADD name text NOT NULL DEFAULT '',
        ADD status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
        -- Null for who signs in elsewhere only.
        ALTER password_hash DROP NOT NULL,
        -- Who they are at the provider that they sign in with.
        ADD oidc_issuer text,
        ADD oidc_subject text,
        ADD CHECK ((oidc_issuer IS NULL) = (oidc_subject IS NULL));
      CREATE UNIQUE INDEX app_user_oidc ON billing.app_user (oidc_issuer, oidc_subject);

      ALTER TABLE billing.session
        ADD id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
        ADD created_at timestamptz NOT NULL DEFAULT now(),
        ADD last_seen_at timestamptz NOT NULL DEFAULT now(),
        ADD user_agent text NOT NULL DEFAULT '',
        ADD address text NOT NULL DEFAULT '';
      CREATE INDEX session_of_user ON billing.session (user_id, last_seen_at DESC);

      -- Links that work once: to join an account, or to set a new password. Their tokens are nowhere, only hashes.
      CREATE TABLE billing.one_time_link (
        id uuid PRIMARY KEY,
        token_hash text NOT NULL UNIQUE CHECK (token_hash ~ '^[0-9a-f]{64}$'),
        account_id uuid NOT NULL REFERENCES billing.account,
        email text NOT NULL,
        -- Of whom they invite.
        role text CHECK (role IN ('owner', 'admin', 'finance', 'member')),
        -- Whose password they set.
        user_id uuid REFERENCES billing.app_user ON DELETE CASCADE,
        created_by text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        used_at timestamptz,
        revoked_at timestamptz,
        CHECK ((role IS NULL) <> (user_id IS NULL)),
        CHECK (used_at IS NULL OR revoked_at IS NULL)
      );
      CREATE INDEX one_time_link_of_account ON billing.one_time_link (account_id, created_at DESC);

      -- Who shows one of these makes the first owner; there are none once there is one.
      CREATE TABLE billing.setup_token (
        token_hash text PRIMARY KEY CHECK (token_hash ~ '^[0-9a-f]{64}$'),
        made_at timestamptz NOT NULL DEFAULT now()
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE billing.setup_token, billing.one_time_link;
      ALTER TABLE billing.session DROP id, DROP created_at, DROP last_seen_at, DROP user_agent, DROP address;
      DELETE FROM billing.app_user WHERE password_hash IS NULL;
      ALTER TABLE billing.app_user DROP name, DROP status, DROP oidc_issuer, DROP oidc_subject,
        ALTER password_hash SET NOT NULL;
    `);
  }
}
