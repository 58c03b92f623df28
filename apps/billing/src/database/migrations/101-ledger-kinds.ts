import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reads the ledger once for the constraints of the migration before, while everybody goes on writing. */
export class ValidateLedgerKinds1764000101000 implements MigrationInterface {
  name = 'ValidateLedgerKinds1764000101000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE billing.ledger_transaction VALIDATE CONSTRAINT ledger_transaction_kind;
      ALTER TABLE billing.ledger_transaction VALIDATE CONSTRAINT ledger_transaction_cause`);
  }

  async down(): Promise<void> {}
}
