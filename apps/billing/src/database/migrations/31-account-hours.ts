import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ACCOUNT_HOUR_OF_HOURS, hourSums, rebuildAccountHours } from '../../usage/usage-hours.ts';

/** The hours of `billing.usage_hour` without their keys: an account with thousands of keys has few of these. */
export class CreateAccountHours1764000031000 implements MigrationInterface {
  name = 'CreateAccountHours1764000031000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SET LOCAL statement_timeout = 0; SELECT FROM billing.journal FOR UPDATE');
    await runner.query(`
      CREATE TABLE billing.account_hour (
        account_id uuid NOT NULL,
        hour timestamptz NOT NULL,
        model text NOT NULL,
        outcome text NOT NULL,
        requests bigint NOT NULL,
        tokens_in bigint NOT NULL,
        tokens_out bigint NOT NULL,
        cost_pico numeric(38, 0) NOT NULL,
        PRIMARY KEY (account_id, hour, model, outcome)
        -- Every batch adds to the same few rows: their new versions find room beside them.
      ) WITH (fillfactor = 50);

      CREATE OR REPLACE FUNCTION billing.add_usage_hours() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        WITH hours (account_id, hour, key_id, model, outcome, requests, tokens_in, tokens_out, cost_pico)
          AS MATERIALIZED (${hourSums('inserted')}),
        kept AS (
          INSERT INTO billing.usage_hour AS h
            (account_id, hour, key_id, model, outcome, requests, tokens_in, tokens_out, cost_pico)
          SELECT * FROM hours
          ON CONFLICT (account_id, hour, key_id, model, outcome) DO UPDATE SET
            requests = h.requests + excluded.requests, tokens_in = h.tokens_in + excluded.tokens_in,
            tokens_out = h.tokens_out + excluded.tokens_out, cost_pico = h.cost_pico + excluded.cost_pico
        )
        INSERT INTO billing.account_hour AS h
          (account_id, hour, model, outcome, requests, tokens_in, tokens_out, cost_pico)
        ${ACCOUNT_HOUR_OF_HOURS}
        ON CONFLICT (account_id, hour, model, outcome) DO UPDATE SET
          requests = h.requests + excluded.requests, tokens_in = h.tokens_in + excluded.tokens_in,
          tokens_out = h.tokens_out + excluded.tokens_out, cost_pico = h.cost_pico + excluded.cost_pico;
        RETURN NULL;
      END $$;
    `);
    await rebuildAccountHours(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION billing.add_usage_hours() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO billing.usage_hour AS h
          (account_id, hour, key_id, model, outcome, requests, tokens_in, tokens_out, cost_pico)
        ${hourSums('inserted')}
        ON CONFLICT (account_id, hour, key_id, model, outcome) DO UPDATE SET
          requests = h.requests + excluded.requests, tokens_in = h.tokens_in + excluded.tokens_in,
          tokens_out = h.tokens_out + excluded.tokens_out, cost_pico = h.cost_pico + excluded.cost_pico;
        RETURN NULL;
      END $$;
      DROP TABLE billing.account_hour;
    `);
  }
}
