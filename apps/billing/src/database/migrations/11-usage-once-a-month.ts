import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What PostgreSQL says is to be run for a partition, one after the other: an index beside its readers cannot be built in a block. */
interface Commands {
  readonly drop: string;
  readonly build: string;
}

/**
 * Each month of the usage log has a request once. The indices of months that have rows are built while everybody writes; only
 * then does the key go that held request and moment together, which two events of one request pass.
 */
export class UsageOnceAMonth1764900000001 implements MigrationInterface {
  name = 'UsageOnceAMonth1764900000001';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // It is in nobody's way, and waits for whoever reads.
    await runner.query('SET lock_timeout = 0');
    const partitions = (await runner.query(`
      SELECT format('DROP INDEX CONCURRENTLY IF EXISTS billing.%I', c.relname || '_once') AS drop,
        format('CREATE UNIQUE INDEX CONCURRENTLY %I ON billing.%I (request_id)', c.relname || '_once', c.relname) AS build
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'billing.usage'::regclass AND NOT EXISTS (
        SELECT FROM pg_index x JOIN pg_class one ON one.oid = x.indexrelid
        WHERE x.indrelid = c.oid AND x.indisvalid AND one.relname = c.relname || '_once')
      ORDER BY c.relname`)) as Commands[];
    for (const { drop, build } of partitions) {
      // What a try that was broken off has left is of no use.
      await runner.query(drop);
      await runner.query(build);
    }
    await runner.query(`SET lock_timeout = '1s'`);
    await runner.query('ALTER TABLE billing.usage DROP CONSTRAINT IF EXISTS usage_pkey');
    await runner.query('ALTER TABLE billing.ledger_transaction VALIDATE CONSTRAINT ledger_transaction_cause');
    await runner.query(
      'ALTER TABLE billing.ledger_transaction VALIDATE CONSTRAINT ledger_transaction_numbers',
    );
    await runner.query(
      'ALTER TABLE billing.ledger_transaction VALIDATE CONSTRAINT ledger_transaction_refund',
    );
  }

  async down(): Promise<void> {
    throw new Error(
      'Usage of the months may be there that the key of before would refuse: restore a backup.',
    );
  }
}
