import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Answers that go on at a vendor after their request was answered. */
export class BackgroundJobs1764200000000 implements MigrationInterface {
  name = 'BackgroundJobs1764200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE billing.background_job (
        request_id text PRIMARY KEY,
        account_id uuid NOT NULL,
        key_id uuid NOT NULL,
        -- Starting until the upstream's name of it is here, then running until its end is in the books.
        state text NOT NULL DEFAULT 'starting' CHECK (state IN ('starting', 'running', 'ended')),
        -- The last word of the upstream, or how it ended otherwise.
        status text,
        -- What its request may cost at most, held until it has ended; null where nothing is held.
        hold_micro bigint CHECK (hold_micro > 0),
        hold_scopes text[] NOT NULL DEFAULT '{}',
        -- Of an upstream and one of its credentials: a name that tells nobody which.
        place text,
        -- As the upstream has it.
        response_id text,
        -- What of the request stands in the event that bills it.
        request jsonb,
        -- Whether its end made an event.
        is_billed boolean NOT NULL DEFAULT false,
        polls int NOT NULL DEFAULT 0,
        poll_at timestamptz NOT NULL DEFAULT now(),
        leased_until timestamptz NOT NULL DEFAULT '-infinity',
        created_at timestamptz NOT NULL DEFAULT now(),
        ended_at timestamptz,
        CHECK (state <> 'running' OR (place IS NOT NULL AND response_id IS NOT NULL AND request IS NOT NULL)),
        CHECK ((state = 'ended') = (ended_at IS NOT NULL))
      );
      CREATE UNIQUE INDEX background_job_response ON billing.background_job (place, response_id);
      CREATE INDEX background_job_open ON billing.background_job (account_id, key_id) WHERE state <> 'ended';
      CREATE INDEX background_job_due ON billing.background_job (poll_at) WHERE state = 'running';
      CREATE INDEX background_job_ended ON billing.background_job (ended_at) WHERE state = 'ended';
    `);
  }

  async down(): Promise<void> {
    throw new Error('Jobs that run would never be billed: restore a backup.');
  }
}
