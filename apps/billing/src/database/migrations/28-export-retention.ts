import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The files of exports go after a time; what they were stays. */
export class RemoveOldExports1764000028000 implements MigrationInterface {
  name = 'RemoveOldExports1764000028000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE billing.export_job ADD files_removed_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE billing.export_job DROP files_removed_at');
  }
}
