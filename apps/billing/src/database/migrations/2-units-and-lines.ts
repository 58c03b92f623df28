import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What is charged beside tokens, two kinds of token more, and the lines that a charge consists of. Months that were taken out
 * of the usage log get the columns as well: sums are worked out over both.
 */
export class UnitsAndLines1764100000000 implements MigrationInterface {
  name = 'UnitsAndLines1764100000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE billing.usage
        ADD COLUMN tokens_cache_read_audio bigint NOT NULL DEFAULT 0,
        ADD COLUMN tokens_cache_read_image bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_images bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_characters bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_audio_milliseconds bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_video_milliseconds bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_searches bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_fetches bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_file_searches bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_container_sessions bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_rerank_units bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_pages bigint NOT NULL DEFAULT 0,
        -- Of the first line.
        ADD COLUMN service_tier text NOT NULL DEFAULT 'standard',
        ADD COLUMN region text,
        -- Null where the columns say all: one line of the row's own model, in the standard tier, without units.
        ADD COLUMN lines jsonb,
        ADD CONSTRAINT usage_counts CHECK (
          tokens_cache_read_audio >= 0 AND tokens_cache_read_image >= 0 AND units_images >= 0 AND
          units_characters >= 0 AND units_audio_milliseconds >= 0 AND units_video_milliseconds >= 0 AND
          units_searches >= 0 AND units_fetches >= 0 AND units_file_searches >= 0 AND
          units_container_sessions >= 0 AND units_rerank_units >= 0 AND units_pages >= 0) NOT VALID;

      ALTER TABLE billing.lost_attempt
        ADD COLUMN tokens_cache_read_audio bigint NOT NULL DEFAULT 0,
        ADD COLUMN tokens_cache_read_image bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_images bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_characters bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_audio_milliseconds bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_video_milliseconds bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_searches bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_fetches bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_file_searches bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_container_sessions bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_rerank_units bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_pages bigint NOT NULL DEFAULT 0,
        -- Of the first line.
        ADD COLUMN service_tier text NOT NULL DEFAULT 'standard',
        ADD COLUMN region text,
        -- Null where the columns say all: one line of the row's own model, in the standard tier, without units.
        ADD COLUMN lines jsonb,
        ADD CONSTRAINT lost_attempt_counts CHECK (
          tokens_cache_read_audio >= 0 AND tokens_cache_read_image >= 0 AND units_images >= 0 AND
          units_characters >= 0 AND units_audio_milliseconds >= 0 AND units_video_milliseconds >= 0 AND
          units_searches >= 0 AND units_fetches >= 0 AND units_file_searches >= 0 AND
          units_container_sessions >= 0 AND units_rerank_units >= 0 AND units_pages >= 0) NOT VALID;

      ALTER TABLE billing.usage_month
        ADD COLUMN tokens_cache_read_audio numeric(38, 0) NOT NULL DEFAULT 0,
        ADD COLUMN tokens_cache_read_image numeric(38, 0) NOT NULL DEFAULT 0,
        ADD COLUMN units_images numeric(38, 0) NOT NULL DEFAULT 0,
        ADD COLUMN units_characters numeric(38, 0) NOT NULL DEFAULT 0,
        ADD COLUMN units_audio_milliseconds numeric(38, 0) NOT NULL DEFAULT 0,
        ADD COLUMN units_video_milliseconds numeric(38, 0) NOT NULL DEFAULT 0,
        ADD COLUMN units_searches numeric(38, 0) NOT NULL DEFAULT 0,
        ADD COLUMN units_fetches numeric(38, 0) NOT NULL DEFAULT 0,
        ADD COLUMN units_file_searches numeric(38, 0) NOT NULL DEFAULT 0,
        ADD COLUMN units_container_sessions numeric(38, 0) NOT NULL DEFAULT 0,
        ADD COLUMN units_rerank_units numeric(38, 0) NOT NULL DEFAULT 0,
        ADD COLUMN units_pages numeric(38, 0) NOT NULL DEFAULT 0;

      DO $$
      DECLARE
        archived regclass;
      BEGIN
        FOR archived IN SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = 'billing_archive' AND c.relname LIKE 'usage%' AND c.relkind = 'r'
        LOOP
          EXECUTE format('ALTER TABLE %s
            ADD COLUMN tokens_cache_read_audio bigint NOT NULL DEFAULT 0,
            ADD COLUMN tokens_cache_read_image bigint NOT NULL DEFAULT 0,
            ADD COLUMN units_images bigint NOT NULL DEFAULT 0,
            ADD COLUMN units_characters bigint NOT NULL DEFAULT 0,
            ADD COLUMN units_audio_milliseconds bigint NOT NULL DEFAULT 0,
            ADD COLUMN units_video_milliseconds bigint NOT NULL DEFAULT 0,
            ADD COLUMN units_searches bigint NOT NULL DEFAULT 0,
            ADD COLUMN units_fetches bigint NOT NULL DEFAULT 0,
            ADD COLUMN units_file_searches bigint NOT NULL DEFAULT 0,
            ADD COLUMN units_container_sessions bigint NOT NULL DEFAULT 0,
            ADD COLUMN units_rerank_units bigint NOT NULL DEFAULT 0,
            ADD COLUMN units_pages bigint NOT NULL DEFAULT 0,
            ADD COLUMN service_tier text NOT NULL DEFAULT ''standard'',
            ADD COLUMN region text,
            ADD COLUMN lines jsonb', archived);
        END LOOP;
      END $$;

      CREATE OR REPLACE FUNCTION billing.add_usage_hours() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        WITH hours (account_id, hour, key_id, model, outcome, requests, tokens_in, tokens_out, cost_pico)
          AS MATERIALIZED (
            SELECT u.account_id, date_trunc('hour', u.occurred_at, coalesce(a.time_zone, 'UTC')) AS hour, u.key_id,
              u.model, u.outcome, count(*),
              sum(u.tokens_input + u.tokens_input_audio + u.tokens_input_image + u.tokens_cache_read
                + u.tokens_cache_read_audio + u.tokens_cache_read_image + u.tokens_cache_write
                + u.tokens_cache_write_1h),
              sum(u.tokens_output + u.tokens_output_reasoning + u.tokens_output_audio + u.tokens_output_image),
              sum(u.cost_pico)
            FROM inserted u LEFT JOIN billing.account a ON a.id = u.account_id
            WHERE true GROUP BY 1, 2, 3, 4, 5),
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
        SELECT account_id, hour, model, outcome, sum(requests), sum(tokens_in), sum(tokens_out), sum(cost_pico)
        FROM hours GROUP BY 1, 2, 3, 4
        ON CONFLICT (account_id, hour, model, outcome) DO UPDATE SET
          requests = h.requests + excluded.requests, tokens_in = h.tokens_in + excluded.tokens_in,
          tokens_out = h.tokens_out + excluded.tokens_out, cost_pico = h.cost_pico + excluded.cost_pico;
        RETURN NULL;
      END $$;

      CREATE OR REPLACE FUNCTION billing.add_usage_months() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO billing.usage_month AS m (account_id, month, key_id, model, requests,
          tokens_input, tokens_input_audio, tokens_input_image, tokens_cache_read, tokens_cache_read_audio,
          tokens_cache_read_image, tokens_cache_write, tokens_cache_write_1h, tokens_output,
          tokens_output_reasoning, tokens_output_audio, tokens_output_image, units_images, units_characters,
          units_audio_milliseconds, units_video_milliseconds, units_searches, units_fetches, units_file_searches,
          units_container_sessions, units_rerank_units, units_pages, cost_pico)
        SELECT q.account_id, billing.booked_month(q.account_id, q.quarter) AS month, q.key_id, q.model,
          sum(q.requests) AS requests,
          sum(q.tokens_input) AS tokens_input,
          sum(q.tokens_input_audio) AS tokens_input_audio,
          sum(q.tokens_input_image) AS tokens_input_image,
          sum(q.tokens_cache_read) AS tokens_cache_read,
          sum(q.tokens_cache_read_audio) AS tokens_cache_read_audio,
          sum(q.tokens_cache_read_image) AS tokens_cache_read_image,
          sum(q.tokens_cache_write) AS tokens_cache_write,
          sum(q.tokens_cache_write_1h) AS tokens_cache_write_1h,
          sum(q.tokens_output) AS tokens_output,
          sum(q.tokens_output_reasoning) AS tokens_output_reasoning,
          sum(q.tokens_output_audio) AS tokens_output_audio,
          sum(q.tokens_output_image) AS tokens_output_image,
          sum(q.units_images) AS units_images,
          sum(q.units_characters) AS units_characters,
          sum(q.units_audio_milliseconds) AS units_audio_milliseconds,
          sum(q.units_video_milliseconds) AS units_video_milliseconds,
          sum(q.units_searches) AS units_searches,
          sum(q.units_fetches) AS units_fetches,
          sum(q.units_file_searches) AS units_file_searches,
          sum(q.units_container_sessions) AS units_container_sessions,
          sum(q.units_rerank_units) AS units_rerank_units,
          sum(q.units_pages) AS units_pages,
          sum(q.cost_pico) AS cost_pico
        FROM (SELECT account_id, date_bin('15 minutes', booked_at, timestamptz '2000-01-01T00:00:00Z') AS quarter,
            key_id, model, count(*) AS requests,
            sum(tokens_input) AS tokens_input,
            sum(tokens_input_audio) AS tokens_input_audio,
            sum(tokens_input_image) AS tokens_input_image,
            sum(tokens_cache_read) AS tokens_cache_read,
            sum(tokens_cache_read_audio) AS tokens_cache_read_audio,
            sum(tokens_cache_read_image) AS tokens_cache_read_image,
            sum(tokens_cache_write) AS tokens_cache_write,
            sum(tokens_cache_write_1h) AS tokens_cache_write_1h,
            sum(tokens_output) AS tokens_output,
            sum(tokens_output_reasoning) AS tokens_output_reasoning,
            sum(tokens_output_audio) AS tokens_output_audio,
            sum(tokens_output_image) AS tokens_output_image,
            sum(units_images) AS units_images,
            sum(units_characters) AS units_characters,
            sum(units_audio_milliseconds) AS units_audio_milliseconds,
            sum(units_video_milliseconds) AS units_video_milliseconds,
            sum(units_searches) AS units_searches,
            sum(units_fetches) AS units_fetches,
            sum(units_file_searches) AS units_file_searches,
            sum(units_container_sessions) AS units_container_sessions,
            sum(units_rerank_units) AS units_rerank_units,
            sum(units_pages) AS units_pages,
            sum(cost_pico) AS cost_pico
          FROM inserted AS u GROUP BY 1, 2, 3, 4) q
        GROUP BY 1, 2, 3, 4
        ON CONFLICT (account_id, month, key_id, model) DO UPDATE SET
          requests = m.requests + excluded.requests,
          tokens_input = m.tokens_input + excluded.tokens_input,
          tokens_input_audio = m.tokens_input_audio + excluded.tokens_input_audio,
          tokens_input_image = m.tokens_input_image + excluded.tokens_input_image,
          tokens_cache_read = m.tokens_cache_read + excluded.tokens_cache_read,
          tokens_cache_read_audio = m.tokens_cache_read_audio + excluded.tokens_cache_read_audio,
          tokens_cache_read_image = m.tokens_cache_read_image + excluded.tokens_cache_read_image,
          tokens_cache_write = m.tokens_cache_write + excluded.tokens_cache_write,
          tokens_cache_write_1h = m.tokens_cache_write_1h + excluded.tokens_cache_write_1h,
          tokens_output = m.tokens_output + excluded.tokens_output,
          tokens_output_reasoning = m.tokens_output_reasoning + excluded.tokens_output_reasoning,
          tokens_output_audio = m.tokens_output_audio + excluded.tokens_output_audio,
          tokens_output_image = m.tokens_output_image + excluded.tokens_output_image,
          units_images = m.units_images + excluded.units_images,
          units_characters = m.units_characters + excluded.units_characters,
          units_audio_milliseconds = m.units_audio_milliseconds + excluded.units_audio_milliseconds,
          units_video_milliseconds = m.units_video_milliseconds + excluded.units_video_milliseconds,
          units_searches = m.units_searches + excluded.units_searches,
          units_fetches = m.units_fetches + excluded.units_fetches,
          units_file_searches = m.units_file_searches + excluded.units_file_searches,
          units_container_sessions = m.units_container_sessions + excluded.units_container_sessions,
          units_rerank_units = m.units_rerank_units + excluded.units_rerank_units,
          units_pages = m.units_pages + excluded.units_pages,
          cost_pico = m.cost_pico + excluded.cost_pico;
        RETURN NULL;
      END $$;
    `);
  }

  async down(): Promise<void> {
    throw new Error('What was counted in these columns would be lost: restore a backup.');
  }
}
