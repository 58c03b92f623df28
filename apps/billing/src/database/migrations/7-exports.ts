import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finance exports: what was asked for, and the parts of it that are written. */
export class CreateExports1764000007000 implements MigrationInterface {
  name = 'CreateExports1764000007000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE billing.export_job (
        id uuid PRIMARY KEY,
        kind text NOT NULL CHECK (kind IN ('usage', 'ledger', 'focus')),
        format text NOT NULL CHECK (format IN ('csv', 'parquet', 'jsonl')),
        -- Who reads it: those who keep the books, or a customer, who is not shown what upstreams charge.
        audience text NOT NULL CHECK (audience IN ('books', 'customer')),
        booked_from timestamptz NOT NULL,
        booked_to timestamptz NOT NULL,
        account_id uuid,
        model text,
        key_id uuid,
        -- Nothing behind this number of the journal is in it, whatever is posted meanwhile.
        watermark bigint NOT NULL,
        part_rows int NOT NULL CHECK (part_rows > 0),
        provider_name text NOT NULL,
        requested_by text NOT NULL,
        status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'done', 'failed', 'cancelled')),
        rows_total bigint,
        rows_done bigint NOT NULL DEFAULT 0,
        bytes bigint NOT NULL DEFAULT 0,
        attempts int NOT NULL DEFAULT 0,
        error text,
        manifest text,
        created_at timestamptz NOT NULL DEFAULT now(),
        not_before timestamptz NOT NULL DEFAULT now(),
        -- Whoever writes it says so again and again; when that ends, another one goes on with it.
        claimed_by uuid,
        claimed_at timestamptz,
        claimed_rows bigint NOT NULL DEFAULT 0,
        heartbeat_at timestamptz,
        finished_at timestamptz,
        CHECK (booked_from < booked_to),
        CHECK (audience = 'books' OR account_id IS NOT NULL)
      );
      CREATE INDEX export_job_open ON billing.export_job (created_at) WHERE status IN ('queued', 'running');
      CREATE INDEX export_job_newest ON billing.export_job (created_at DESC, id DESC);

      CREATE TABLE billing.export_part (
        job_id uuid NOT NULL REFERENCES billing.export_job ON DELETE CASCADE,
        part int NOT NULL CHECK (part > 0),
        name text NOT NULL,
        rows bigint NOT NULL,
        bytes bigint NOT NULL,
        sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
        -- The key of its last row: the next part begins behind it.
        last_key bigint NOT NULL,
        sums jsonb NOT NULL,
        PRIMARY KEY (job_id, part)
      );

      -- Names and time zones as they were when the export was asked for: they may change, its bytes may not.
      CREATE TABLE billing.export_account (
        job_id uuid NOT NULL REFERENCES billing.export_job ON DELETE CASCADE,
        account_id uuid NOT NULL,
        name text NOT NULL,
        time_zone text NOT NULL,
        PRIMARY KEY (job_id, account_id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE billing.export_account, billing.export_part, billing.export_job');
  }
}
