import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Batches of usage that are written beside each other: a batch takes its numbers first, writes its rows, and then waits for
 * the batch before it. Who posts by the release before takes the journal's row, as ever: of two that took the same numbers
 * one is refused, and comes again.
 */
export class BatchesSideBySide1764700000000 implements MigrationInterface {
  name = 'BatchesSideBySide1764700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- How far numbers are taken by batches that are being posted; what is committed stands in billing.journal. No
      -- transaction takes a sequence back: billing.take_numbers sees where it is ahead for nothing.
      CREATE SEQUENCE billing.journal_taken MINVALUE 0;

      -- Keys of advisory locks, one for each number behind the first and two of their own.
      CREATE FUNCTION billing.journal_lock(number bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
        SELECT 8029000000000000000 + number $$;

      -- Waits until nobody posts and keeps it so until the transaction ends.
      CREATE FUNCTION billing.hold_journal() RETURNS bigint LANGUAGE plpgsql AS $$
      DECLARE
        last bigint;
      BEGIN
        PERFORM pg_advisory_xact_lock(billing.journal_lock(-2));
        SELECT last_number INTO STRICT last FROM billing.journal FOR UPDATE;
        RETURN last;
      END $$;

      -- Begins a batch: beside others, or alone. Its sums are left to billing.book_batch, not to each statement's triggers:
      -- the first batch to touch a sum would keep all others waiting until its end.
      -- Answers the last number to who is alone.
      CREATE FUNCTION billing.begin_batch(alone boolean) RETURNS bigint LANGUAGE plpgsql AS $$
      DECLARE
        last bigint;
      BEGIN
        IF alone THEN
          last := billing.hold_journal();
        ELSE
          PERFORM pg_advisory_xact_lock_shared(billing.journal_lock(-2));
          -- Whoever posts the same request at the same time is not waited for: it is tried again alone.
          PERFORM set_config('lock_timeout', '1s', true);
        END IF;
        PERFORM set_config('tollgate.sums', 'by batch', true);
        RETURN last;
      END $$;

      -- Takes the numbers behind those that are taken, and answers the first of them; null where that is not known. Each batch
      -- holds the lock of its last number until it ends. Where nobody holds that of the last number taken, numbers go on
      -- behind the last one committed.
      CREATE FUNCTION billing.take_numbers(count bigint) RETURNS bigint LANGUAGE plpgsql AS $$
      DECLARE
        taken bigint;
      BEGIN
        PERFORM pg_advisory_lock(billing.journal_lock(-1));
        BEGIN
          SELECT last_value INTO taken FROM billing.journal_taken;
          IF pg_try_advisory_xact_lock(billing.journal_lock(taken)) THEN
            SELECT last_number INTO taken FROM billing.journal;
          END IF;
          IF pg_try_advisory_xact_lock(billing.journal_lock(taken + count)) THEN
            PERFORM setval('billing.journal_taken', taken + count);
          ELSE
            taken := NULL;
          END IF;
        EXCEPTION WHEN query_canceled OR OTHERS THEN
          PERFORM pg_advisory_unlock(billing.journal_lock(-1));
          RAISE;
        END;
        PERFORM pg_advisory_unlock(billing.journal_lock(-1));
        RETURN taken + 1;
      END $$;

      -- Ends a batch: waits for the batch before it, makes its numbers the last ones and adds its sums. False where it cannot
      -- be: the batch before it came to nothing, or a month it is booked in was closed meanwhile. From here to the commit
      -- nobody else is here. Its plans are kept from when the tables were small: with no scan of a whole table, only the
      -- looks into indices are left.
      CREATE FUNCTION billing.book_batch(first bigint, last bigint) RETURNS boolean LANGUAGE plpgsql
        SET enable_seqscan = off AS $$
      BEGIN
        PERFORM set_config('lock_timeout', '20s', true);
        PERFORM pg_advisory_xact_lock_shared(billing.journal_lock(first - 1));
        UPDATE billing.journal SET last_number = last WHERE last_number = first - 1;
        IF NOT FOUND OR EXISTS (
          SELECT FROM billing.ledger_transaction t JOIN billing.account a ON a.id = t.account_id
          WHERE t.number BETWEEN first AND last AND t.booked_at < a.closed_until) THEN
          RETURN false;
        END IF;
        PERFORM billing.sum_transactions(first, last), billing.sum_usage(first, last), billing.sum_lost(first, last);
        PERFORM set_config('tollgate.sums', '', true);
        RETURN true;
      END $$;

      CREATE FUNCTION billing.sum_transactions(first bigint, last bigint) RETURNS void LANGUAGE plpgsql
        SET enable_seqscan = off AS $$
      BEGIN
        WITH transactions AS MATERIALIZED (
          SELECT account_id, date_bin('15 minutes', booked_at, timestamptz '2000-01-01T00:00:00Z') AS quarter, kind,
            number, 'customer:' || account_id AS customer
          FROM billing.ledger_transaction WHERE number BETWEEN first AND last),
        entries AS MATERIALIZED (
          SELECT number, ledger_account, amount_pico FROM billing.ledger_entry
          WHERE number BETWEEN first AND last AND ledger_account LIKE 'customer:%'),
        sums AS MATERIALIZED (
          SELECT t.account_id, t.quarter, t.kind, count(*) AS transactions, sum(e.amount_pico) AS amount_pico,
            max(e.number) AS number
          FROM transactions t LEFT JOIN entries e ON e.number = t.number AND e.ledger_account = t.customer
          GROUP BY 1, 2, 3),
        balances AS (
          INSERT INTO billing.account_balance AS b (account_id, balance_pico, last_number)
          SELECT account_id, sum(amount_pico), max(number) FROM sums WHERE number IS NOT NULL GROUP BY 1
          ON CONFLICT (account_id) DO UPDATE SET
            balance_pico = b.balance_pico + excluded.balance_pico, last_number = excluded.last_number)
        INSERT INTO billing.ledger_month AS m (account_id, month, kind, transactions, amount_pico)
        SELECT account_id, billing.booked_month(account_id, quarter), kind, sum(transactions),
          coalesce(sum(amount_pico), 0)
        FROM sums GROUP BY 1, 2, 3
        ON CONFLICT (account_id, month, kind) DO UPDATE SET
          transactions = m.transactions + excluded.transactions, amount_pico = m.amount_pico + excluded.amount_pico;
      END $$;

      CREATE FUNCTION billing.sum_usage(first bigint, last bigint) RETURNS void LANGUAGE plpgsql
        SET enable_seqscan = off AS $$
      BEGIN
        WITH batch AS MATERIALIZED (
          SELECT u.*, coalesce(a.time_zone, 'UTC') AS zone,
            date_bin('15 minutes', u.booked_at, timestamptz '2000-01-01T00:00:00Z') AS quarter
          FROM billing.usage u LEFT JOIN billing.account a ON a.id = u.account_id
          WHERE u.number BETWEEN first AND last),
        hours (account_id, hour, key_id, model, outcome,
            requests, tokens_in, tokens_out, units_images, units_characters, units_audio_milliseconds,
            units_video_milliseconds, units_searches, units_fetches, units_file_searches, units_container_sessions,
            units_rerank_units, units_pages, cost_pico
          ) AS MATERIALIZED (
            SELECT account_id, date_trunc('hour', occurred_at, zone), key_id, model, outcome, count(*),
              sum(tokens_input + tokens_input_audio + tokens_input_image + tokens_cache_read
                + tokens_cache_read_audio + tokens_cache_read_image + tokens_cache_write
                + tokens_cache_write_1h),
              sum(tokens_output + tokens_output_reasoning + tokens_output_audio + tokens_output_image),
              sum(units_images), sum(units_characters), sum(units_audio_milliseconds), sum(units_video_milliseconds),
              sum(units_searches), sum(units_fetches), sum(units_file_searches), sum(units_container_sessions),
              sum(units_rerank_units), sum(units_pages), sum(cost_pico)
            FROM batch GROUP BY 1, 2, 3, 4, 5),
        hours_by_key AS (
          INSERT INTO billing.usage_hour AS h
            (account_id, hour, key_id, model, outcome,
            requests, tokens_in, tokens_out, units_images, units_characters, units_audio_milliseconds,
            units_video_milliseconds, units_searches, units_fetches, units_file_searches, units_container_sessions,
            units_rerank_units, units_pages, cost_pico)
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
          INSERT INTO billing.account_hour AS h
            (account_id, hour, model, outcome,
            requests, tokens_in, tokens_out, units_images, units_characters, units_audio_milliseconds,
            units_video_milliseconds, units_searches, units_fetches, units_file_searches, units_container_sessions,
            units_rerank_units, units_pages, cost_pico)
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
            cost_pico = h.cost_pico + excluded.cost_pico),
        hours_of_upstreams AS (
          INSERT INTO billing.served_hour AS h
          SELECT date_trunc('hour', occurred_at, 'UTC'), upstream, model, outcome, count(*), sum(latency_ms),
            sum(first_byte_ms), sum(cost_pico), coalesce(sum(upstream_cost_pico), 0),
            count(*) FILTER (WHERE upstream_cost_pico IS NULL),
            coalesce(sum(cost_pico) FILTER (WHERE upstream_cost_pico IS NULL), 0)
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
          FROM (SELECT key_id, sum(cost_pico) AS cost, max(occurred_at) AS used_at FROM batch GROUP BY 1) AS spent
          WHERE k.id = spent.key_id),
        -- Days and months are those of the account's time zone.
        spans AS (
          INSERT INTO billing.key_spend AS s (key_id, span, starts_on, spent_pico)
          SELECT b.key_id, span, date_trunc(span, b.hour AT TIME ZONE b.zone), sum(b.cost_pico)
          FROM (SELECT key_id, zone, date_bin('15 minutes', occurred_at, timestamptz '2000-01-01T00:00:00Z') AS hour,
              sum(cost_pico) AS cost_pico FROM batch GROUP BY 1, 2, 3) AS b
          CROSS JOIN unnest(ARRAY['day', 'month']) AS span
          GROUP BY 1, 2, 3
          ON CONFLICT (key_id, span, starts_on) DO UPDATE SET spent_pico = s.spent_pico + excluded.spent_pico),
        -- Every month of every time zone begins on a quarter of an hour.
        months AS MATERIALIZED (
          SELECT account_id, quarter, billing.booked_month(account_id, quarter) AS month
          FROM (SELECT DISTINCT account_id, quarter FROM batch) AS each)
        INSERT INTO billing.usage_month AS m (account_id, month, key_id, model,
          requests, tokens_input, tokens_input_audio, tokens_input_image, tokens_cache_read, tokens_cache_read_audio,
          tokens_cache_read_image, tokens_cache_write, tokens_cache_write_1h, tokens_output, tokens_output_reasoning,
          tokens_output_audio, tokens_output_image, units_images, units_characters, units_audio_milliseconds,
          units_video_milliseconds, units_searches, units_fetches, units_file_searches, units_container_sessions,
          units_rerank_units, units_pages, cost_pico)
        SELECT account_id, month, key_id, model,
          count(*), sum(tokens_input), sum(tokens_input_audio), sum(tokens_input_image), sum(tokens_cache_read),
          sum(tokens_cache_read_audio), sum(tokens_cache_read_image), sum(tokens_cache_write),
          sum(tokens_cache_write_1h), sum(tokens_output), sum(tokens_output_reasoning), sum(tokens_output_audio),
          sum(tokens_output_image), sum(units_images), sum(units_characters), sum(units_audio_milliseconds),
          sum(units_video_milliseconds), sum(units_searches), sum(units_fetches), sum(units_file_searches),
          sum(units_container_sessions), sum(units_rerank_units), sum(units_pages), sum(cost_pico)
        FROM batch JOIN months USING (account_id, quarter) GROUP BY 1, 2, 3, 4
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

      CREATE FUNCTION billing.sum_lost(first bigint, last bigint) RETURNS void LANGUAGE plpgsql
        SET enable_seqscan = off AS $$
      BEGIN
        INSERT INTO billing.served_hour AS h
        SELECT date_trunc('hour', occurred_at, 'UTC'), upstream, model, 'lost', count(*), sum(latency_ms), 0, 0,
          coalesce(sum(upstream_cost_pico), 0), count(*) FILTER (WHERE upstream_cost_pico IS NULL), 0
        FROM billing.lost_attempt WHERE number BETWEEN first AND last GROUP BY 1, 2, 3
        ON CONFLICT (hour, upstream, model, outcome) DO UPDATE SET
          requests = h.requests + excluded.requests,
          latency_ms = h.latency_ms + excluded.latency_ms,
          upstream_cost_pico = h.upstream_cost_pico + excluded.upstream_cost_pico,
          unknown_cost_requests = h.unknown_cost_requests + excluded.unknown_cost_requests;
      END $$;

      -- Whatever is not written in a batch is summed by each statement, as the release before does it.
      CREATE OR REPLACE TRIGGER hours_are_summed AFTER INSERT ON billing.usage
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
        WHEN (current_setting('tollgate.sums', true) IS DISTINCT FROM 'by batch') EXECUTE FUNCTION billing.add_usage_hours();
      CREATE OR REPLACE TRIGGER months_are_summed AFTER INSERT ON billing.usage
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
        WHEN (current_setting('tollgate.sums', true) IS DISTINCT FROM 'by batch') EXECUTE FUNCTION billing.add_usage_months();
      CREATE OR REPLACE TRIGGER served_hours_are_summed AFTER INSERT ON billing.usage
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
        WHEN (current_setting('tollgate.sums', true) IS DISTINCT FROM 'by batch') EXECUTE FUNCTION billing.add_served_hours();
      CREATE OR REPLACE TRIGGER lost_hours_are_summed AFTER INSERT ON billing.lost_attempt
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
        WHEN (current_setting('tollgate.sums', true) IS DISTINCT FROM 'by batch') EXECUTE FUNCTION billing.add_lost_hours();
      CREATE OR REPLACE TRIGGER months_are_summed AFTER INSERT ON billing.ledger_transaction
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
        WHEN (current_setting('tollgate.sums', true) IS DISTINCT FROM 'by batch') EXECUTE FUNCTION billing.add_transaction_months();
      CREATE OR REPLACE TRIGGER months_are_summed AFTER INSERT ON billing.ledger_entry
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
        WHEN (current_setting('tollgate.sums', true) IS DISTINCT FROM 'by batch') EXECUTE FUNCTION billing.add_entry_months();

      -- All entries of a transaction that are there sum to zero, and none is ever changed: so those that are added do too.
      CREATE OR REPLACE FUNCTION billing.check_entries() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
      DECLARE
        off bigint;
        low bigint;
        high bigint;
      BEGIN
        SELECT number INTO off FROM inserted GROUP BY number HAVING sum(amount_pico) <> 0 LIMIT 1;
        IF FOUND THEN
          RAISE EXCEPTION 'ledger transaction % does not sum to zero', off USING ERRCODE = 'check_violation';
        END IF;
        SELECT min(number), max(number) INTO low, high FROM inserted;
        -- A batch has all numbers of its range: to count these is less work than to look each of them up.
        IF high - low < 10000 AND
          (SELECT count(*) FROM billing.ledger_transaction WHERE number BETWEEN low AND high) > high - low THEN
          RETURN NULL;
        END IF;
        SELECT of.number INTO off FROM (SELECT DISTINCT number FROM inserted) AS of
          WHERE (SELECT t.number FROM billing.ledger_transaction t WHERE t.number = of.number) IS NULL LIMIT 1;
        IF FOUND THEN
          RAISE EXCEPTION 'there is no ledger transaction %', off USING ERRCODE = 'foreign_key_violation';
        END IF;
        RETURN NULL;
      END $$;
    `);
  }

  async down(): Promise<void> {
    throw new Error('The service of this release posts by these functions: restore a backup.');
  }
}
