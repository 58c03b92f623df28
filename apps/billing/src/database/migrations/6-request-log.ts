import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What became of requests, beside what they were charged. */
export class RequestLog1764500000000 implements MigrationInterface {
  name = 'RequestLog1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE billing.request_record (
        request_id text PRIMARY KEY,
        occurred_at timestamptz NOT NULL,
        account_id uuid NOT NULL,
        key_id uuid NOT NULL,
        -- Of a request in the usage log: it is here for its attempts alone.
        is_charged boolean NOT NULL,
        -- As it was asked for; null where the request could not be read so far.
        model text,
        -- Null of conversations.
        operation text,
        protocol text NOT NULL,
        stream boolean NOT NULL,
        -- 499 where the client left before an answer.
        http_status int NOT NULL,
        -- Null where it was answered without an error.
        error_code text,
        message text,
        limited_by text,
        pool text,
        attempts jsonb NOT NULL,
        -- Those of the attempts.
        upstreams text[] NOT NULL,
        first_byte_ms int,
        latency_ms int NOT NULL
      );
      CREATE INDEX request_record_of_account ON billing.request_record (account_id, occurred_at DESC, request_id DESC)
        WHERE NOT is_charged;
      CREATE INDEX request_record_of_key ON billing.request_record (key_id, occurred_at DESC, request_id DESC)
        WHERE NOT is_charged;
      CREATE INDEX request_record_of_status
        ON billing.request_record (account_id, http_status, occurred_at DESC, request_id DESC) WHERE NOT is_charged;
      CREATE INDEX request_record_of_model ON billing.request_record (account_id, model, occurred_at DESC, request_id DESC)
        WHERE NOT is_charged;
      CREATE INDEX request_record_of_upstream ON billing.request_record USING gin (upstreams) WHERE NOT is_charged;
      CREATE INDEX request_record_at ON billing.request_record (occurred_at);

      -- Requests without a charge by how they ended, those without a record too.
      CREATE TABLE billing.request_minute (
        -- Null where nobody knows whose they were.
        account_id uuid,
        minute timestamptz NOT NULL,
        http_status int NOT NULL,
        -- Empty where they were answered without an error.
        error_code text NOT NULL,
        requests bigint NOT NULL CHECK (requests > 0),
        recorded bigint NOT NULL CHECK (recorded >= 0 AND recorded <= requests),
        UNIQUE NULLS NOT DISTINCT (account_id, minute, http_status, error_code)
      );
      CREATE INDEX request_minute_at ON billing.request_minute (minute);

      -- Batches of gateways that were taken: one that comes again is not counted again.
      CREATE TABLE billing.request_batch (
        id uuid PRIMARY KEY,
        taken_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX request_batch_at ON billing.request_batch (taken_at);
    `);
  }

  async down(): Promise<void> {
    throw new Error('Why requests failed would be forgotten: restore a backup.');
  }
}
