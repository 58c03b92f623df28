import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What stays of a month of the usage log whose rows are dropped, so that audits and verifications still agree. */
export class DroppedMonths1766000000000 implements MigrationInterface {
  name = 'DroppedMonths1766000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Months that were taken out of the log and whose rows are dropped, slice by slice.
      CREATE TABLE billing.usage_drop (
        month date PRIMARY KEY REFERENCES billing.usage_detached,
        actor text NOT NULL,
        reason text NOT NULL,
        begun_at timestamptz NOT NULL DEFAULT now(),
        -- Rows up to this number are dropped, so many.
        number bigint NOT NULL DEFAULT 0,
        rows bigint NOT NULL DEFAULT 0,
        ended_at timestamptz
      );

      -- Dropped rows, added up where they are alike in all that any sum tells apart. Hours and months of every time zone
      -- begin on a quarter of an hour, and times are the beginnings of those.
      CREATE TABLE billing.usage_rollup (
        month date NOT NULL REFERENCES billing.usage_drop,
        -- The greatest of theirs.
        number bigint NOT NULL,
        occurred_at timestamptz NOT NULL,
        booked_at timestamptz NOT NULL,
        account_id uuid NOT NULL,
        key_id uuid NOT NULL,
        model text NOT NULL,
        vendor text NOT NULL,
        upstream text NOT NULL,
        outcome text NOT NULL,
        requests int NOT NULL,
        tokens_input bigint NOT NULL,
        tokens_input_audio bigint NOT NULL,
        tokens_input_image bigint NOT NULL,
        tokens_cache_read bigint NOT NULL,
        tokens_cache_read_audio bigint NOT NULL,
        tokens_cache_read_image bigint NOT NULL,
        tokens_cache_write bigint NOT NULL,
        tokens_cache_write_1h bigint NOT NULL,
        tokens_output bigint NOT NULL,
        tokens_output_reasoning bigint NOT NULL,
        tokens_output_audio bigint NOT NULL,
        tokens_output_image bigint NOT NULL,
        units_images bigint NOT NULL,
        units_characters bigint NOT NULL,
        units_audio_milliseconds bigint NOT NULL,
        units_video_milliseconds bigint NOT NULL,
        units_searches bigint NOT NULL,
        units_fetches bigint NOT NULL,
        units_file_searches bigint NOT NULL,
        units_container_sessions bigint NOT NULL,
        units_rerank_units bigint NOT NULL,
        units_pages bigint NOT NULL,
        cost_pico numeric(38, 0) NOT NULL,
        -- Null where the catalogue did not say: these are not alike with others.
        upstream_cost_pico numeric(38, 0),
        latency_ms bigint NOT NULL,
        first_byte_ms bigint NOT NULL
      );
      CREATE INDEX usage_rollup_booked ON billing.usage_rollup (account_id, booked_at);
      CREATE INDEX usage_rollup_booked_at ON billing.usage_rollup USING brin (booked_at)
        WITH (autosummarize = on, pages_per_range = 32);
      CREATE INDEX usage_rollup_occurred_at ON billing.usage_rollup USING brin (occurred_at)
        WITH (autosummarize = on, pages_per_range = 32);

      -- Numbers of dropped rows, as spans without a gap.
      CREATE TABLE billing.usage_rollup_numbers (
        first bigint PRIMARY KEY,
        last bigint NOT NULL CHECK (last >= first)
      );

      CREATE FUNCTION billing.drop_usage_partition(month date) RETURNS void
      LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      DECLARE
        name text := 'usage_' || to_char(month, 'YYYY_MM');
        has_rows boolean;
      BEGIN
        EXECUTE format('LOCK TABLE billing_archive.%I IN ACCESS EXCLUSIVE MODE', name);
        EXECUTE format('SELECT EXISTS (SELECT FROM billing_archive.%I)', name) INTO has_rows;
        IF has_rows THEN
          RAISE EXCEPTION '% has rows that are not added up', name;
        END IF;
        EXECUTE format('DROP TABLE billing_archive.%I', name);
      END $$;
      REVOKE EXECUTE ON FUNCTION billing.drop_usage_partition(date) FROM PUBLIC;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    const dropped = (await runner.query('SELECT FROM billing.usage_drop LIMIT 1')) as unknown[];
    if (dropped.length > 0) throw new Error('Rows of the usage log were dropped: restore a backup.');
    await runner.query(`
      DROP FUNCTION billing.drop_usage_partition(date);
      DROP TABLE billing.usage_rollup_numbers, billing.usage_rollup, billing.usage_drop;
    `);
  }
}
