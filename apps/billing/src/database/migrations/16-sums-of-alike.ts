import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A batch of usage is read once when it is added up, where its rows were grouped again for each of seven sums. */
export class SumsOfAlike1765600000000 implements MigrationInterface {
  name = 'SumsOfAlike1765600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- As before, but the rows are added up once by all that any sum tells apart, and sums are made of these: there are few of
      -- them, where rows are many and wide. Hours and months of every time zone begin on a quarter of an hour.
      CREATE OR REPLACE FUNCTION billing.sum_usage(first bigint, last bigint) RETURNS void LANGUAGE plpgsql
        SET enable_seqscan = off AS $$
      BEGIN
        WITH alike AS MATERIALIZED (
          SELECT account_id, key_id, model, upstream, outcome,
            date_bin('15 minutes', occurred_at, timestamptz '2000-01-01T00:00:00Z') AS occurred,
            date_bin('15 minutes', booked_at, timestamptz '2000-01-01T00:00:00Z') AS booked,
            max(occurred_at) AS used_at, count(*) AS requests,
            sum(tokens_input) AS tokens_input, sum(tokens_input_audio) AS tokens_input_audio,
            sum(tokens_input_image) AS tokens_input_image, sum(tokens_cache_read) AS tokens_cache_read,
            sum(tokens_cache_read_audio) AS tokens_cache_read_audio, sum(tokens_cache_read_image) AS tokens_cache_read_image,
            sum(tokens_cache_write) AS tokens_cache_write, sum(tokens_cache_write_1h) AS tokens_cache_write_1h,
            sum(tokens_output) AS tokens_output, sum(tokens_output_reasoning) AS tokens_output_reasoning,
            sum(tokens_output_audio) AS tokens_output_audio, sum(tokens_output_image) AS tokens_output_image,
            sum(units_images) AS units_images, sum(units_characters) AS units_characters,
            sum(units_audio_milliseconds) AS units_audio_milliseconds,
            sum(units_video_milliseconds) AS units_video_milliseconds, sum(units_searches) AS units_searches,
            sum(units_fetches) AS units_fetches, sum(units_file_searches) AS units_file_searches,
            sum(units_container_sessions) AS units_container_sessions, sum(units_rerank_units) AS units_rerank_units,
            sum(units_pages) AS units_pages, sum(cost_pico) AS cost_pico, sum(upstream_cost_pico) AS upstream_cost_pico,
            sum(latency_ms) AS latency_ms, sum(first_byte_ms) AS first_byte_ms,
            count(*) FILTER (WHERE upstream_cost_pico IS NULL) AS unknown_cost_requests,
            coalesce(sum(cost_pico) FILTER (WHERE upstream_cost_pico IS NULL), 0) AS unknown_cost_pico
          FROM billing.usage WHERE number BETWEEN first AND last GROUP BY 1, 2, 3, 4, 5, 6, 7),
        batch AS MATERIALIZED (
          SELECT of.*, coalesce(a.time_zone, 'UTC') AS zone
          FROM alike of LEFT JOIN billing.account a ON a.id = of.account_id),
        hours (account_id, hour, key_id, model, outcome,
            requests, tokens_in, tokens_out, units_images, units_characters, units_audio_milliseconds, units_video_milliseconds,
            units_searches, units_fetches, units_file_searches, units_container_sessions, units_rerank_units, units_pages,
            cost_pico
          ) AS MATERIALIZED (
            SELECT account_id, date_trunc('hour', occurred, zone), key_id, model, outcome, sum(requests),
              sum(tokens_input + tokens_input_audio + tokens_input_image + tokens_cache_read + tokens_cache_read_audio +
                tokens_cache_read_image + tokens_cache_write + tokens_cache_write_1h),
              sum(tokens_output + tokens_output_reasoning + tokens_output_audio + tokens_output_image),
              sum(units_images), sum(units_characters), sum(units_audio_milliseconds), sum(units_video_milliseconds),
              sum(units_searches), sum(units_fetches), sum(units_file_searches), sum(units_container_sessions),
              sum(units_rerank_units), sum(units_pages), sum(cost_pico)
            FROM batch GROUP BY 1, 2, 3, 4, 5),
        hours_by_key AS (
          INSERT INTO billing.usage_hour AS h (account_id, hour, key_id, model, outcome,
            requests, tokens_in, tokens_out, units_images, units_characters, units_audio_milliseconds, units_video_milliseconds,
            units_searches, units_fetches, units_file_searches, units_container_sessions, units_rerank_units, units_pages,
            cost_pico)
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
            cost_pico = h.cost_pico + excluded.cost_pico),
        hours_of_accounts AS (
          INSERT INTO billing.account_hour AS h (account_id, hour, model, outcome,
            requests, tokens_in, tokens_out, units_images, units_characters, units_audio_milliseconds, units_video_milliseconds,
            units_searches, units_fetches, units_file_searches, units_container_sessions, units_rerank_units, units_pages,
            cost_pico)
          SELECT account_id, hour, model, outcome,
            sum(requests), sum(tokens_in), sum(tokens_out), sum(units_images), sum(units_characters),
            sum(units_audio_milliseconds), sum(units_video_milliseconds), sum(units_searches), sum(units_fetches),
            sum(units_file_searches), sum(units_container_sessions), sum(units_rerank_units), sum(units_pages), sum(cost_pico)
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
            cost_pico = h.cost_pico + excluded.cost_pico),
        hours_of_upstreams AS (
          INSERT INTO billing.served_hour AS h (hour, upstream, model, outcome,
            requests, latency_ms, first_byte_ms, cost_pico, upstream_cost_pico, unknown_cost_requests, unknown_cost_pico)
          SELECT date_trunc('hour', occurred, 'UTC'), upstream, model, outcome, sum(requests), sum(latency_ms),
            sum(first_byte_ms), sum(cost_pico), coalesce(sum(upstream_cost_pico), 0), sum(unknown_cost_requests),
            sum(unknown_cost_pico)
          FROM batch GROUP BY 1, 2, 3, 4
          ON CONFLICT (hour, upstream, model, outcome) DO UPDATE SET
            requests = h.requests + excluded.requests,
            latency_ms = h.latency_ms + excluded.latency_ms,
            first_byte_ms = h.first_byte_ms + excluded.first_byte_ms,
            cost_pico = h.cost_pico + excluded.cost_pico,
            upstream_cost_pico = h.upstream_cost_pico + excluded.upstream_cost_pico,
            unknown_cost_requests = h.unknown_cost_requests + excluded.unknown_cost_requests,
            unknown_cost_pico = h.unknown_cost_pico + excluded.unknown_cost_pico),
        keys AS (
          UPDATE billing.api_key k
          SET spent_pico = k.spent_pico + spent.cost, last_used_at = greatest(k.last_used_at, spent.used_at)
          FROM (SELECT key_id, sum(cost_pico) AS cost, max(used_at) AS used_at FROM batch GROUP BY 1) AS spent
          WHERE k.id = spent.key_id),
        -- Days and months are those of the account's time zone.
        spans AS (
          INSERT INTO billing.key_spend AS s (key_id, span, starts_on, spent_pico)
          SELECT key_id, span, date_trunc(span, occurred AT TIME ZONE zone), sum(cost_pico)
          FROM batch CROSS JOIN unnest(ARRAY['day', 'month']) AS span
          GROUP BY 1, 2, 3
          ON CONFLICT (key_id, span, starts_on) DO UPDATE SET spent_pico = s.spent_pico + excluded.spent_pico),
        months AS MATERIALIZED (
          SELECT account_id, booked, billing.booked_month(account_id, booked) AS month
          FROM (SELECT DISTINCT account_id, booked FROM batch) AS each)
        INSERT INTO billing.usage_month AS m (account_id, month, key_id, model,
          requests, tokens_input, tokens_input_audio, tokens_input_image, tokens_cache_read, tokens_cache_read_audio,
          tokens_cache_read_image, tokens_cache_write, tokens_cache_write_1h, tokens_output, tokens_output_reasoning,
          tokens_output_audio, tokens_output_image, units_images, units_characters, units_audio_milliseconds,
          units_video_milliseconds, units_searches, units_fetches, units_file_searches, units_container_sessions,
          units_rerank_units, units_pages, cost_pico)
        SELECT account_id, month, key_id, model,
          sum(requests), sum(tokens_input), sum(tokens_input_audio), sum(tokens_input_image), sum(tokens_cache_read),
          sum(tokens_cache_read_audio), sum(tokens_cache_read_image), sum(tokens_cache_write), sum(tokens_cache_write_1h),
          sum(tokens_output), sum(tokens_output_reasoning), sum(tokens_output_audio), sum(tokens_output_image),
          sum(units_images), sum(units_characters), sum(units_audio_milliseconds), sum(units_video_milliseconds),
          sum(units_searches), sum(units_fetches), sum(units_file_searches), sum(units_container_sessions),
          sum(units_rerank_units), sum(units_pages), sum(cost_pico)
        FROM batch JOIN months USING (account_id, booked) GROUP BY 1, 2, 3, 4
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
      END $$;
    `);
  }

  /** The function of the release before gives the same sums: a release that is put back may keep this one. */
  async down(): Promise<void> {}
}
