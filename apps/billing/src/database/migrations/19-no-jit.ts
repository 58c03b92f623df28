import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * PostgreSQL before 18 counts a scan that is switched off as ten thousand million, and compiles whatever costs so much: each
 * batch waited 40 ms for machine code of an UPDATE of one row, while nobody else could post.
 */
export class NoJit1765900000000 implements MigrationInterface {
  name = 'NoJit1765900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- What these call inherits it.
      ALTER FUNCTION billing.book_batch(bigint, bigint) SET jit = off;
      ALTER FUNCTION billing.sum_transactions(bigint, bigint) SET jit = off;
      ALTER FUNCTION billing.sum_usage(bigint, bigint) SET jit = off;
      ALTER FUNCTION billing.sum_lost(bigint, bigint) SET jit = off;
      ALTER FUNCTION billing.check_entries() SET jit = off;
      ALTER FUNCTION billing.add_entry_months() SET jit = off;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER FUNCTION billing.book_batch(bigint, bigint) RESET jit;
      ALTER FUNCTION billing.sum_transactions(bigint, bigint) RESET jit;
      ALTER FUNCTION billing.sum_usage(bigint, bigint) RESET jit;
      ALTER FUNCTION billing.sum_lost(bigint, bigint) RESET jit;
      ALTER FUNCTION billing.check_entries() RESET jit;
      ALTER FUNCTION billing.add_entry_months() RESET jit;
    `);
  }
}
