import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many units of a kind a minute, such as `{"images": 10}`, of keys and accounts; null is no limit. */
export class UnitLimits1765400000000 implements MigrationInterface {
  name = 'UnitLimits1765400000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE billing.api_key ADD units_per_minute jsonb CHECK (jsonb_typeof(units_per_minute) = 'object');
      ALTER TABLE billing.account ADD units_per_minute jsonb CHECK (jsonb_typeof(units_per_minute) = 'object');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE billing.api_key DROP units_per_minute;
      ALTER TABLE billing.account DROP units_per_minute;
    `);
  }
}
