import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a request asked of its model, where that was no conversation. */
export class Operations1764400000000 implements MigrationInterface {
  name = 'Operations1764400000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Null of conversations, and of all that was posted before there was anything else.
      ALTER TABLE billing.usage ADD COLUMN operation text;
      ALTER TABLE billing.lost_attempt ADD COLUMN operation text;

      -- Months that were taken out of the usage log get the column as well: they may come back.
      DO $$
      DECLARE
        archived regclass;
      BEGIN
        FOR archived IN SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = 'billing_archive' AND c.relname LIKE 'usage%' AND c.relkind = 'r'
        LOOP
          EXECUTE format('ALTER TABLE %s ADD COLUMN operation text', archived);
        END LOOP;
      END $$;
    `);
  }

  async down(): Promise<void> {
    throw new Error('What requests asked for would be forgotten: restore a backup.');
  }
}
