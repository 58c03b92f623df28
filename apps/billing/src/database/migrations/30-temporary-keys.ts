import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys that are deleted by themselves once they have ended. */
export class AddTemporaryKeys1764000030000 implements MigrationInterface {
  name = 'AddTemporaryKeys1764000030000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE billing.api_key ADD temporary boolean NOT NULL DEFAULT false;

      -- What the console's playground has made so far: an hour, a dollar, and its name.
      UPDATE billing.api_key SET temporary = true
      WHERE name = 'Playground' AND budget_pico = 1000000000000
        AND expires_at <= created_at + interval '61 minutes';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE billing.api_key DROP temporary');
  }
}
