import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit log in the order of who did what, and of what was done. Its indices are built while everybody writes. */
export class AuditLogOrders1765300000000 implements MigrationInterface {
  name = 'AuditLogOrders1765300000000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // It is in nobody's way, and waits for whoever reads.
    await runner.query('SET lock_timeout = 0');
    // What a try that was broken off has left is of no use.
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS billing.audit_log_by_actor');
    // Read from its end it is the index that it replaces.
    await runner.query(
      'CREATE INDEX CONCURRENTLY audit_log_by_actor ON billing.audit_log (lower(actor), at, id)',
    );
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS billing.audit_log_of_actor');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS billing.audit_log_by_action');
    await runner.query('CREATE INDEX CONCURRENTLY audit_log_by_action ON billing.audit_log (action, at, id)');
    await runner.query(`SET lock_timeout = '1s'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX IF EXISTS billing.audit_log_of_actor');
    await runner.query(
      'CREATE INDEX audit_log_of_actor ON billing.audit_log (lower(actor), at DESC, id DESC)',
    );
    await runner.query('DROP INDEX IF EXISTS billing.audit_log_by_actor, billing.audit_log_by_action');
  }
}
