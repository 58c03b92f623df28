import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Everything that pricing had when its migrations were frozen. Later changes are migrations of their own. */
export class Baseline1764000200000 implements MigrationInterface {
  name = 'Baseline1764000200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Published versions of the catalogue. They are never changed, so that what was charged under one can be worked
      -- out again.
      CREATE TABLE pricing.snapshot (
        version int PRIMARY KEY CHECK (version > 0),
        hash text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
        published_at timestamptz NOT NULL DEFAULT now(),
        actor text NOT NULL,
        reason text NOT NULL,
        -- Canonical JSON, as text: it is what the hash is over.
        catalogue text NOT NULL
      );
      CREATE INDEX snapshot_hash ON pricing.snapshot (hash);

      CREATE FUNCTION pricing.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'a published snapshot is never changed' USING ERRCODE = 'restrict_violation';
      END $$;
      CREATE TRIGGER snapshot_is_immutable BEFORE UPDATE OR DELETE ON pricing.snapshot
        FOR EACH ROW EXECUTE FUNCTION pricing.refuse_change();
      CREATE TRIGGER snapshot_stays BEFORE TRUNCATE ON pricing.snapshot
        FOR EACH STATEMENT EXECUTE FUNCTION pricing.refuse_change();

      -- Price books that are being written, wait for their day, or are published.
      CREATE TABLE pricing.draft (
        name text PRIMARY KEY,
        reason text NOT NULL,
        -- JSON of the catalogue changes; credentials in it are sealed.
        changes text NOT NULL,
        revision int NOT NULL DEFAULT 1,
        status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'scheduled', 'published', 'failed')),
        effective_at timestamptz,
        -- Who wrote, scheduled or published it last.
        actor text NOT NULL,
        changed_at timestamptz NOT NULL DEFAULT now(),
        -- The version that it became.
        version int REFERENCES pricing.snapshot,
        failure text,
        CHECK (status <> 'scheduled' OR effective_at IS NOT NULL),
        CHECK ((status = 'published') = (version IS NOT NULL)),
        CHECK ((status = 'failed') = (failure IS NOT NULL))
      );
      CREATE INDEX draft_due ON pricing.draft (effective_at, name) WHERE status = 'scheduled';
    `);
  }

  async down(): Promise<void> {
    throw new Error('The baseline cannot be undone: restore a backup, or drop the database.');
  }
}
