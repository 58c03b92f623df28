import { TOKEN_KINDS } from '@tollgate/vocabulary';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const tokenColumns = TOKEN_KINDS.map(
  (kind) => `tokens_${kind} bigint NOT NULL DEFAULT 0 CHECK (tokens_${kind} >= 0)`,
).join(',\n        ');

/** The first instant, in UTC, of the month that is `months` after that of a date. */
const firstOfMonth = (date: Date, months: number): string =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1)).toISOString();

/** The usage log, a partition a month. That a request is in it once is the ledger's guarantee. */
export class CreateUsage1764000003000 implements MigrationInterface {
  name = 'CreateUsage1764000003000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE billing.usage (
        request_id text NOT NULL,
        -- Of the ledger transaction that it is posted with.
        number bigint NOT NULL,
        occurred_at timestamptz NOT NULL,
        booked_at timestamptz NOT NULL,
        posted_at timestamptz NOT NULL DEFAULT now(),
        account_id uuid NOT NULL,
        key_id uuid NOT NULL,
        group_name text NOT NULL,
        model text NOT NULL,
        vendor text NOT NULL,
        pool text NOT NULL,
        upstream text NOT NULL,
        upstream_model text NOT NULL,
        protocol text NOT NULL,
        stream boolean NOT NULL,
        snapshot_version int NOT NULL,
        group_ratio text NOT NULL,
        discount_ratio text NOT NULL,
        ${tokenColumns},
        cost_pico numeric(38, 0) NOT NULL CHECK (cost_pico >= 0),
        -- What the upstream charges us; null where the catalogue does not say.
        upstream_cost_pico numeric(38, 0) CHECK (upstream_cost_pico >= 0),
        usage_source text NOT NULL,
        outcome text NOT NULL,
        http_status int NOT NULL,
        latency_ms int NOT NULL,
        first_byte_ms int NOT NULL,
        PRIMARY KEY (request_id, occurred_at)
      ) PARTITION BY RANGE (occurred_at);
      CREATE INDEX usage_of_account ON billing.usage (account_id, occurred_at DESC, request_id DESC);
      -- The model stands last, to be told apart within the index when a key's use of one model is asked for.
      CREATE INDEX usage_of_key ON billing.usage (key_id, occurred_at DESC, request_id DESC, model);
      CREATE INDEX usage_of_model ON billing.usage (account_id, model, occurred_at DESC, request_id DESC);
      CREATE INDEX usage_booked ON billing.usage (account_id, booked_at);
      -- Rows lie in the order in which they were booked but for a few: a summary of blocks finds a span of time.
      CREATE INDEX usage_booked_at ON billing.usage USING brin (booked_at) WITH (autosummarize = on, pages_per_range = 32);
      CREATE INDEX usage_number ON billing.usage (number);
      -- What belongs to no month that there is: late for one that was taken out, or far ahead.
      CREATE TABLE billing.usage_default PARTITION OF billing.usage DEFAULT;

      -- Months that were taken out of the log; their tables are in billing_archive.
      CREATE SCHEMA IF NOT EXISTS billing_archive;
      CREATE TABLE billing.usage_detached (
        month date PRIMARY KEY CHECK (month = date_trunc('month', month)),
        rows bigint NOT NULL,
        actor text NOT NULL,
        reason text NOT NULL,
        detached_at timestamptz NOT NULL DEFAULT now()
      );

      CREATE TABLE billing.usage_rejected (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        rejected_at timestamptz NOT NULL DEFAULT now(),
        request_id text UNIQUE,
        reason text NOT NULL,
        event jsonb NOT NULL
      );
    `);
    for (let ahead = -1; ahead <= 3; ahead += 1) {
      const [from = '', to = ''] = [ahead, ahead + 1].map((months) => firstOfMonth(new Date(), months));
      await runner.query(`
        CREATE TABLE billing.usage_${from.slice(0, 7).replace('-', '_')} PARTITION OF billing.usage
        FOR VALUES FROM ('${from}') TO ('${to}')`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE billing.usage_rejected, billing.usage_detached, billing.usage');
  }
}
