import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSnapshots1764000000000 implements MigrationInterface {
  name = 'CreateSnapshots1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE pricing.snapshot (
        version int PRIMARY KEY CHECK (version > 0),
        hash text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
        published_at timestamptz NOT NULL DEFAULT now(),
        actor text NOT NULL,
        reason text NOT NULL,
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
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE pricing.snapshot; DROP FUNCTION pricing.refuse_change()');
  }
}
