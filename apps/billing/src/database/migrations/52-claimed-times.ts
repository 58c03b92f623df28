import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a request occurred by the clock of its gateway, where that cannot be. */
export class AddClaimedTimes1764000052000 implements MigrationInterface {
  name = 'AddClaimedTimes1764000052000';

  async up(runner: QueryRunner): Promise<void> {
    // As it was said: no type of PostgreSQL has every time that a wrong clock may show.
    await runner.query('ALTER TABLE billing.usage ADD claimed_at text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE billing.usage DROP claimed_at');
  }
}
