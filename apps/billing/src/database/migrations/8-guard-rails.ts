import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What keys and accounts may be used for, secrets that keys had before, and who did what. */
export class CreateGuardRails1764000008000 implements MigrationInterface {
  name = 'CreateGuardRails1764000008000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE billing.account
        ADD requests_per_minute int CHECK (requests_per_minute > 0),
        ADD tokens_per_minute int CHECK (tokens_per_minute > 0),
        ADD concurrent_requests int CHECK (concurrent_requests > 0);

      -- Null is no restriction; an empty list would be a key that is of no use.
      ALTER TABLE billing.api_key
        ADD concurrent_requests int CHECK (concurrent_requests > 0),
        ADD models text[] CHECK (cardinality(models) > 0),
        ADD allowed_addresses text[] CHECK (cardinality(allowed_addresses) > 0);

      -- Secrets that keys were rotated from: each works until its time is over.
      CREATE TABLE billing.former_secret (
        key_hash text PRIMARY KEY CHECK (key_hash ~ '^[0-9a-f]{64}$'),
        key_id uuid NOT NULL REFERENCES billing.api_key ON DELETE CASCADE,
        masked text NOT NULL,
        works_until timestamptz NOT NULL,
        rotated_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX former_secret_of_key ON billing.former_secret (key_id, rotated_at DESC);

      CREATE TABLE billing.audit_log (
        id uuid PRIMARY KEY,
        at timestamptz NOT NULL DEFAULT now(),
        -- The service whose action it was.
        source text NOT NULL CHECK (source IN ('billing', 'pricing')),
        -- The source's own number of it, so that what is reported twice is here once.
        source_number bigint,
        actor text NOT NULL,
        actor_id uuid,
        role text,
        action text NOT NULL,
        object text,
        account_id uuid,
        reason text,
        before jsonb,
        after jsonb,
        request_id text,
        address text,
        UNIQUE (source, source_number)
      );
      CREATE INDEX audit_log_newest ON billing.audit_log (at DESC, id DESC);
      CREATE INDEX audit_log_of_account ON billing.audit_log (account_id, at DESC, id DESC);
      CREATE INDEX audit_log_of_actor ON billing.audit_log (lower(actor), at DESC, id DESC);
      CREATE INDEX audit_log_of_object ON billing.audit_log (object, at DESC, id DESC);

      CREATE FUNCTION billing.refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'restrict_violation';
      END $$;
      CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON billing.audit_log
        FOR EACH ROW EXECUTE FUNCTION billing.refuse_audit_change();
      CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON billing.audit_log
        FOR EACH STATEMENT EXECUTE FUNCTION billing.refuse_audit_change();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE billing.audit_log, billing.former_secret;
      DROP FUNCTION billing.refuse_audit_change;
      ALTER TABLE billing.api_key DROP concurrent_requests, DROP models, DROP allowed_addresses;
      ALTER TABLE billing.account
        DROP requests_per_minute, DROP tokens_per_minute, DROP concurrent_requests;
    `);
  }
}
