import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far the file of an export is that is being written, so that whoever takes the export up goes on within it. */
export class ExportDrafts1765200000000 implements MigrationInterface {
  name = 'ExportDrafts1765200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE billing.export_draft (
        job_id uuid PRIMARY KEY REFERENCES billing.export_job (id) ON DELETE CASCADE,
        -- Who wrote it: what there is of the file is found by this.
        writer uuid NOT NULL,
        part int NOT NULL,
        name text NOT NULL,
        -- Rows up to the last key, and its bytes, which may have some rows more.
        rows bigint NOT NULL,
        bytes bigint NOT NULL,
        sha256 text NOT NULL,
        last_key bigint NOT NULL,
        sums jsonb NOT NULL,
        rows_out bigint NOT NULL,
        -- What the encoder of its format needs to go on.
        encoder bytea NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE billing.export_draft');
  }
}
