import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit log in the order of who did what, and of what was done. */
export class AuditLogOrders1765300000000 implements MigrationInterface {
  name = 'AuditLogOrders1765300000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Read from its end it is the index that it replaces.
      CREATE INDEX audit_log_by_actor ON billing.audit_log (lower(actor), at, id);
      DROP INDEX billing.audit_log_of_actor;
      CREATE INDEX audit_log_by_action ON billing.audit_log (action, at, id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX audit_log_of_actor ON billing.audit_log (lower(actor), at DESC, id DESC);
      DROP INDEX billing.audit_log_by_actor, billing.audit_log_by_action;
    `);
  }
}
