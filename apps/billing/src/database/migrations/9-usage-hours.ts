import type { MigrationInterface, QueryRunner } from 'typeorm';
import { hourSums, rebuildHours } from '../../usage/usage-hours.ts';

/** Sums of the usage log by hour, kept by the log itself: a chart of a quarter reads these and not the log. */
export class CreateUsageHours1764000009000 implements MigrationInterface {
  name = 'CreateUsageHours1764000009000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SET LOCAL statement_timeout = 0; SELECT FROM billing.journal FOR UPDATE');
    await runner.query(`
      CREATE TABLE billing.usage_hour (
        account_id uuid NOT NULL,
        -- Where an hour begins on the clocks of the account's time zone.
        hour timestamptz NOT NULL,
        key_id uuid NOT NULL,
        model text NOT NULL,
        outcome text NOT NULL,
        requests bigint NOT NULL,
        tokens_in bigint NOT NULL,
        tokens_out bigint NOT NULL,
        cost_pico numeric(38, 0) NOT NULL,
        PRIMARY KEY (account_id, hour, key_id, model, outcome)
      );

      -- Once a statement: a batch of requests touches few hours. What only moves to its month comes by here no more.
      CREATE FUNCTION billing.add_usage_hours() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO billing.usage_hour AS h
          (account_id, hour, key_id, model, outcome, requests, tokens_in, tokens_out, cost_pico)
        ${hourSums('inserted')}
        ON CONFLICT (account_id, hour, key_id, model, outcome) DO UPDATE SET
          requests = h.requests + excluded.requests, tokens_in = h.tokens_in + excluded.tokens_in,
          tokens_out = h.tokens_out + excluded.tokens_out, cost_pico = h.cost_pico + excluded.cost_pico;
        RETURN NULL;
      END $$;
      CREATE TRIGGER hours_are_summed AFTER INSERT ON billing.usage
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION billing.add_usage_hours();
    `);
    await rebuildHours(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER hours_are_summed ON billing.usage;
      DROP FUNCTION billing.add_usage_hours;
      DROP TABLE billing.usage_hour;
    `);
  }
}
