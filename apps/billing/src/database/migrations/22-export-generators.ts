import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What wrote a file of an export, or a part of one: bytes of two generators do not go together. */
export class ExportGenerators1766200000000 implements MigrationInterface {
  name = 'ExportGenerators1766200000000';

  async up(runner: QueryRunner): Promise<void> {
    // Null is what releases before this one write.
    await runner.query(`
      ALTER TABLE billing.export_part ADD COLUMN generator text;
      ALTER TABLE billing.export_draft ADD COLUMN generator text;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE billing.export_part DROP COLUMN generator;
      ALTER TABLE billing.export_draft DROP COLUMN generator;
    `);
  }
}
