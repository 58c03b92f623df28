import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Requests whose upstream reported more than they can have had: charged the bound, until a person has looked at them. */
export class CreateUsageReviews1764000040000 implements MigrationInterface {
  name = 'CreateUsageReviews1764000040000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE billing.usage_review (
        request_id text PRIMARY KEY,
        -- The transaction that charged what the request can have had.
        number bigint NOT NULL,
        account_id uuid NOT NULL,
        occurred_at timestamptz NOT NULL,
        opened_at timestamptz NOT NULL DEFAULT now(),
        -- As it was charged, with the figures that were reported beside.
        event jsonb NOT NULL,
        reported_tokens jsonb NOT NULL,
        charged_pico numeric(38, 0) NOT NULL,
        upstream_charged_pico numeric(38, 0),
        status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'accepted', 'dismissed')),
        decided_at timestamptz,
        decided_by text,
        reason text,
        -- What was booked when it was accepted.
        decided_number bigint,
        CHECK ((status = 'open') = (decided_at IS NULL)),
        CHECK ((decided_at IS NULL) = (decided_by IS NULL)),
        CHECK (status = 'accepted' OR decided_number IS NULL)
      );
      CREATE INDEX usage_review_open ON billing.usage_review (opened_at) WHERE status = 'open'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE billing.usage_review');
  }
}
