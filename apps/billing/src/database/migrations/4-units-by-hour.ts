import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Units in the sums by hour, of the usage that there is as well. The log is read before anybody has to wait: only what was
 * posted meanwhile is added while nobody posts.
 */
export class UnitsByHour1764300000000 implements MigrationInterface {
  name = 'UnitsByHour1764300000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Every hour of every time zone begins on a quarter: an account may change its zone before these become hours.
      CREATE TEMPORARY TABLE units_so_far (
        account_id uuid, quarter timestamptz, key_id uuid, model text, outcome text,
        units_images numeric, units_characters numeric, units_audio_milliseconds numeric,
        units_video_milliseconds numeric, units_searches numeric, units_fetches numeric,
        units_file_searches numeric, units_container_sessions numeric, units_rerank_units numeric,
        units_pages numeric
      ) ON COMMIT DROP;

      DO $$
      DECLARE
        -- Only rows with lines of their own have units.
        add_units CONSTANT text := 'INSERT INTO units_so_far
          SELECT account_id, date_bin(''15 minutes'', occurred_at, timestamptz ''2000-01-01T00:00:00Z''), key_id, model,
            outcome,
            sum(units_images), sum(units_characters), sum(units_audio_milliseconds),
            sum(units_video_milliseconds), sum(units_searches), sum(units_fetches), sum(units_file_searches),
            sum(units_container_sessions), sum(units_rerank_units), sum(units_pages)
          FROM %s WHERE lines IS NOT NULL AND %s GROUP BY 1, 2, 3, 4, 5';
        known bigint;
        archived regclass;
      BEGIN
        SELECT last_number INTO known FROM billing.journal;
        EXECUTE format(add_units, 'billing.usage', 'number <= $1') USING known;
        -- Whoever has read the log keeps a month from being taken out of it.
        FOR archived IN SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = 'billing_archive' AND c.relname LIKE 'usage%' AND c.relkind = 'r'
        LOOP
          EXECUTE format(add_units, archived, 'number <= $1') USING known;
        END LOOP;
        -- From here on whoever posts waits.
        PERFORM FROM billing.journal FOR UPDATE;
        EXECUTE format(add_units, 'billing.usage', 'number > $1') USING known;
      END $$;

      ALTER TABLE billing.usage_hour
        ADD COLUMN units_images bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_characters bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_audio_milliseconds bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_video_milliseconds bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_searches bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_fetches bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_file_searches bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_container_sessions bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_rerank_units bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_pages bigint NOT NULL DEFAULT 0;

      ALTER TABLE billing.account_hour
        ADD COLUMN units_images bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_characters bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_audio_milliseconds bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_video_milliseconds bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_searches bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_fetches bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_file_searches bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_container_sessions bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_rerank_units bigint NOT NULL DEFAULT 0,
        ADD COLUMN units_pages bigint NOT NULL DEFAULT 0;

      UPDATE billing.usage_hour AS h SET
        units_images = s.units_images,
        units_characters = s.units_characters,
        units_audio_milliseconds = s.units_audio_milliseconds,
        units_video_milliseconds = s.units_video_milliseconds,
        units_searches = s.units_searches,
        units_fetches = s.units_fetches,
        units_file_searches = s.units_file_searches,
        units_container_sessions = s.units_container_sessions,
        units_rerank_units = s.units_rerank_units,
        units_pages = s.units_pages
      FROM (
        SELECT u.account_id, date_trunc('hour', u.quarter, coalesce(a.time_zone, 'UTC')) AS hour, u.key_id, u.model,
          u.outcome,
          sum(u.units_images) AS units_images,
          sum(u.units_characters) AS units_characters,
          sum(u.units_audio_milliseconds) AS units_audio_milliseconds,
          sum(u.units_video_milliseconds) AS units_video_milliseconds,
          sum(u.units_searches) AS units_searches,
          sum(u.units_fetches) AS units_fetches,
          sum(u.units_file_searches) AS units_file_searches,
          sum(u.units_container_sessions) AS units_container_sessions,
          sum(u.units_rerank_units) AS units_rerank_units,
          sum(u.units_pages) AS units_pages
        FROM units_so_far u LEFT JOIN billing.account a ON a.id = u.account_id GROUP BY 1, 2, 3, 4, 5) AS s
      WHERE h.account_id = s.account_id AND h.hour = s.hour AND h.key_id = s.key_id AND h.model = s.model
        AND h.outcome = s.outcome;

      UPDATE billing.account_hour AS h SET
        units_images = s.units_images,
        units_characters = s.units_characters,
        units_audio_milliseconds = s.units_audio_milliseconds,
        units_video_milliseconds = s.units_video_milliseconds,
        units_searches = s.units_searches,
        units_fetches = s.units_fetches,
        units_file_searches = s.units_file_searches,
        units_container_sessions = s.units_container_sessions,
        units_rerank_units = s.units_rerank_units,
        units_pages = s.units_pages
      FROM (
        SELECT u.account_id, date_trunc('hour', u.quarter, coalesce(a.time_zone, 'UTC')) AS hour, u.model, u.outcome,
          sum(u.units_images) AS units_images,
          sum(u.units_characters) AS units_characters,
          sum(u.units_audio_milliseconds) AS units_audio_milliseconds,
          sum(u.units_video_milliseconds) AS units_video_milliseconds,
          sum(u.units_searches) AS units_searches,
          sum(u.units_fetches) AS units_fetches,
          sum(u.units_file_searches) AS units_file_searches,
          sum(u.units_container_sessions) AS units_container_sessions,
          sum(u.units_rerank_units) AS units_rerank_units,
          sum(u.units_pages) AS units_pages
        FROM units_so_far u LEFT JOIN billing.account a ON a.id = u.account_id GROUP BY 1, 2, 3, 4) AS s
      WHERE h.account_id = s.account_id AND h.hour = s.hour AND h.model = s.model AND h.outcome = s.outcome;

      CREATE OR REPLACE FUNCTION billing.add_usage_hours() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        WITH hours (account_id, hour, key_id, model, outcome,
            requests, tokens_in, tokens_out, units_images, units_characters, units_audio_milliseconds,
            units_video_milliseconds, units_searches, units_fetches, units_file_searches,
            units_container_sessions, units_rerank_units, units_pages, cost_pico
          ) AS MATERIALIZED (
            SELECT u.account_id, date_trunc('hour', u.occurred_at, coalesce(a.time_zone, 'UTC')) AS hour, u.key_id,
              u.model, u.outcome, count(*),
              sum(u.tokens_input + u.tokens_input_audio + u.tokens_input_image + u.tokens_cache_read
                + u.tokens_cache_read_audio + u.tokens_cache_read_image + u.tokens_cache_write
                + u.tokens_cache_write_1h),
              sum(u.tokens_output + u.tokens_output_reasoning + u.tokens_output_audio + u.tokens_output_image),
              sum(u.units_images), sum(u.units_characters), sum(u.units_audio_milliseconds),
              sum(u.units_video_milliseconds), sum(u.units_searches), sum(u.units_fetches),
              sum(u.units_file_searches), sum(u.units_container_sessions), sum(u.units_rerank_units),
              sum(u.units_pages),
              sum(u.cost_pico)
            FROM inserted u LEFT JOIN billing.account a ON a.id = u.account_id
            WHERE true GROUP BY 1, 2, 3, 4, 5),
        kept AS (
          INSERT INTO billing.usage_hour AS h
            (account_id, hour, key_id, model, outcome,
            requests, tokens_in, tokens_out, units_images, units_characters, units_audio_milliseconds,
            units_video_milliseconds, units_searches, units_fetches, units_file_searches,
            units_container_sessions, units_rerank_units, units_pages, cost_pico)
          SELECT * FROM hours
          ON CONFLICT (account_id, hour, key_id, model, outcome) DO UPDATE SET
            requests = h.requests + excluded.requests,
            tokens_in = h.tokens_in + excluded.tokens_in,
            tokens_out = h.tokens_out + excluded.tokens_out,
            units_images = h.units_images + excluded.units_images,
            units_characters = h.units_characters + excluded.units_characters,
            units_audio_milliseconds = h.units_audio_milliseconds + excluded.units_audio_milliseconds,
            units_video_milliseconds = h.units_video_milliseconds + excluded.units_video_milliseconds,
            units_searches = h.units_searches + excluded.units_searches,
            units_fetches = h.units_fetches + excluded.units_fetches,
            units_file_searches = h.units_file_searches + excluded.units_file_searches,
            units_container_sessions = h.units_container_sessions + excluded.units_container_sessions,
            units_rerank_units = h.units_rerank_units + excluded.units_rerank_units,
            units_pages = h.units_pages + excluded.units_pages,
            cost_pico = h.cost_pico + excluded.cost_pico
        )
        INSERT INTO billing.account_hour AS h
          (account_id, hour, model, outcome,
          requests, tokens_in, tokens_out, units_images, units_characters, units_audio_milliseconds,
          units_video_milliseconds, units_searches, units_fetches, units_file_searches,
          units_container_sessions, units_rerank_units, units_pages, cost_pico)
        SELECT account_id, hour, model, outcome,
          sum(requests), sum(tokens_in), sum(tokens_out), sum(units_images), sum(units_characters),
          sum(units_audio_milliseconds), sum(units_video_milliseconds), sum(units_searches), sum(units_fetches),
          sum(units_file_searches), sum(units_container_sessions), sum(units_rerank_units), sum(units_pages),
          sum(cost_pico)
        FROM hours GROUP BY 1, 2, 3, 4
        ON CONFLICT (account_id, hour, model, outcome) DO UPDATE SET
          requests = h.requests + excluded.requests,
          tokens_in = h.tokens_in + excluded.tokens_in,
          tokens_out = h.tokens_out + excluded.tokens_out,
          units_images = h.units_images + excluded.units_images,
          units_characters = h.units_characters + excluded.units_characters,
          units_audio_milliseconds = h.units_audio_milliseconds + excluded.units_audio_milliseconds,
          units_video_milliseconds = h.units_video_milliseconds + excluded.units_video_milliseconds,
          units_searches = h.units_searches + excluded.units_searches,
          units_fetches = h.units_fetches + excluded.units_fetches,
          units_file_searches = h.units_file_searches + excluded.units_file_searches,
          units_container_sessions = h.units_container_sessions + excluded.units_container_sessions,
          units_rerank_units = h.units_rerank_units + excluded.units_rerank_units,
          units_pages = h.units_pages + excluded.units_pages,
          cost_pico = h.cost_pico + excluded.cost_pico;
        RETURN NULL;
      END $$;
    `);
  }

  async down(): Promise<void> {
    throw new Error('The service of this release sums units by hour: restore a backup.');
  }
}
