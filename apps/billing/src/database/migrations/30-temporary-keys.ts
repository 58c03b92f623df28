import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys that are deleted by themselves once they have ended. */
export class AddTemporaryKeys1764000030000 implements MigrationInterface {
  name = 'AddTemporaryKeys1764000030000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE billing.api_key ADD temporary boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE billing.api_key DROP temporary');
  }
}
