import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Every booking updates keys, what they spent, and balances, in columns that no index has. Half of each page is left free for that:
 * a row's next version then stands in its page and no index is written, where a batch of many keys wrote each index for each key.
 */
export class RoomForBookings1766400000000 implements MigrationInterface {
  name = 'RoomForBookings1766400000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE billing.api_key SET (fillfactor = 50);
      ALTER TABLE billing.key_spend SET (fillfactor = 50);
      ALTER TABLE billing.account_balance SET (fillfactor = 50);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE billing.api_key RESET (fillfactor);
      ALTER TABLE billing.key_spend RESET (fillfactor);
      ALTER TABLE billing.account_balance RESET (fillfactor);
    `);
  }
}
