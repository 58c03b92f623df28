import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an S3 store has of a file that is being written, so that whoever takes the export up goes on within it. */
export class ExportUploads1766300000000 implements MigrationInterface {
  name = 'ExportUploads1766300000000';

  async up(runner: QueryRunner): Promise<void> {
    // Null for files in a directory.
    await runner.query('ALTER TABLE billing.export_draft ADD COLUMN upload jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE billing.export_draft DROP COLUMN upload');
  }
}
