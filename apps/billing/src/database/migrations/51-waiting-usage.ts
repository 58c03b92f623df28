import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Usage that is not booked: what waits is tried again by itself, what was rejected when somebody asks for it. */
export class AddWaitingUsage1764000051000 implements MigrationInterface {
  name = 'AddWaitingUsage1764000051000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE billing.usage_rejected
        -- The release before knows nothing of waiting: what it adds was rejected.
        ADD state text NOT NULL DEFAULT 'rejected',
        ADD tries int NOT NULL DEFAULT 0,
        -- Of what waits.
        ADD next_try_at timestamptz NOT NULL DEFAULT now();
      ALTER TABLE billing.usage_rejected
        ADD CONSTRAINT usage_rejected_state CHECK (state IN ('rejected', 'waiting')) NOT VALID;
      ALTER TABLE billing.usage_rejected VALIDATE CONSTRAINT usage_rejected_state;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE billing.usage_rejected DROP state, DROP tries, DROP next_try_at');
  }
}
