import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Price books that are being written, wait for their day, or are published. */
export class CreateDrafts1764000001000 implements MigrationInterface {
  name = 'CreateDrafts1764000001000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE pricing.draft');
  }
}
