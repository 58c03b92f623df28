import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Exports that are asked for again and again. */
export class CreateExportSchedules1764000020000 implements MigrationInterface {
  name = 'CreateExportSchedules1764000020000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE billing.export_schedule (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        kind text NOT NULL CHECK (kind IN ('usage', 'ledger', 'focus')),
        format text NOT NULL CHECK (format IN ('csv', 'parquet', 'jsonl')),
        account_id uuid REFERENCES billing.account,
        every text NOT NULL CHECK (every IN ('day', 'month')),
        -- On which day of the month that follows; of no meaning for days.
        day int NOT NULL CHECK (day BETWEEN 1 AND 28),
        hour int NOT NULL CHECK (hour BETWEEN 0 AND 23),
        time_zone text NOT NULL,
        after_close boolean NOT NULL,
        status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused')),
        -- The first day of what is exported next: it moves in the transaction that asks for the export.
        next_date date NOT NULL,
        created_by text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CHECK (every = 'month' OR NOT after_close),
        CHECK (every = 'day' OR next_date = date_trunc('month', next_date))
      );

      ALTER TABLE billing.export_job
        ADD schedule_id uuid REFERENCES billing.export_schedule ON DELETE SET NULL;
      CREATE UNIQUE INDEX export_job_of_schedule ON billing.export_job (schedule_id, booked_from);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE billing.export_job DROP schedule_id;
      DROP TABLE billing.export_schedule;
    `);
  }
}
