import type { MigrationInterface, QueryRunner } from 'typeorm';

const tokenColumns = [
  'input',
  'input_audio',
  'input_image',
  'cache_read',
  'cache_write',
  'cache_write_1h',
  'output',
  'output_reasoning',
  'output_audio',
  'output_image',
]
  .map((kind) => `tokens_${kind} bigint NOT NULL DEFAULT 0 CHECK (tokens_${kind} >= 0)`)
  .join(',\n        ');

/** Attempts at upstreams that brought nothing and that these may bill: the operator's cost, of no customer. */
export class CreateLostAttempts1764000100000 implements MigrationInterface {
  name = 'CreateLostAttempts1764000100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- What stands there already was held to more than this: it is not read again under the lock.
      ALTER TABLE billing.ledger_transaction
        DROP CONSTRAINT ledger_transaction_kind_check,
        DROP CONSTRAINT ledger_transaction_check,
        ADD CONSTRAINT ledger_transaction_kind CHECK (kind IN ('usage', 'lost_attempt', 'payment', 'grant', 'redemption',
          'refund', 'payout', 'correction', 'adjustment', 'write_off')) NOT VALID,
        ADD CONSTRAINT ledger_transaction_cause CHECK (CASE WHEN kind IN ('usage', 'lost_attempt')
          THEN request_id IS NOT NULL AND idempotency_key IS NULL
          ELSE idempotency_key IS NOT NULL AND actor IS NOT NULL AND reason IS NOT NULL END) NOT VALID;

      CREATE TABLE billing.lost_attempt (
        -- Of the request, with the number of the attempt behind. That it is there once is the ledger's guarantee.
        request_id text PRIMARY KEY,
        -- Of the ledger transaction that it is posted with.
        number bigint NOT NULL,
        occurred_at timestamptz NOT NULL,
        booked_at timestamptz NOT NULL,
        posted_at timestamptz NOT NULL DEFAULT now(),
        -- Whose request it was; they pay nothing for it.
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
        cause text NOT NULL,
        -- Estimates.
        ${tokenColumns},
        -- Null where the catalogue does not say what the upstream charges.
        upstream_cost_pico numeric(38, 0) CHECK (upstream_cost_pico >= 0),
        latency_ms int NOT NULL
      );
      CREATE INDEX lost_attempt_number ON billing.lost_attempt (number);
      CREATE INDEX lost_attempt_booked ON billing.lost_attempt (booked_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE billing.lost_attempt;
      ALTER TABLE billing.ledger_transaction
        DROP CONSTRAINT ledger_transaction_kind,
        DROP CONSTRAINT ledger_transaction_cause,
        ADD CONSTRAINT ledger_transaction_kind_check CHECK (kind IN ('usage', 'payment', 'grant', 'redemption', 'refund',
          'payout', 'correction', 'adjustment', 'write_off')) NOT VALID,
        ADD CONSTRAINT ledger_transaction_check CHECK (CASE WHEN kind = 'usage'
          THEN request_id IS NOT NULL AND idempotency_key IS NULL
          ELSE idempotency_key IS NOT NULL AND actor IS NOT NULL AND reason IS NOT NULL END) NOT VALID`);
  }
}
