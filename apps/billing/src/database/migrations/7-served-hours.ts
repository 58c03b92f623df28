import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sums of all accounts together by hour, upstream, model and outcome, with what upstreams charge. The log is read before
 * anybody has to wait: only what was posted meanwhile is added while nobody posts.
 */
export class ServedHours1764600000000 implements MigrationInterface {
  name = 'ServedHours1764600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TEMPORARY TABLE served_so_far (
        hour timestamptz, upstream text, model text, outcome text, requests bigint, latency_ms numeric,
        first_byte_ms numeric, cost_pico numeric, upstream_cost_pico numeric,
        unknown_cost_requests bigint, unknown_cost_pico numeric
      ) ON COMMIT DROP;

      DO $$
      DECLARE
        add_served CONSTANT text := 'INSERT INTO served_so_far
          SELECT date_trunc(''hour'', occurred_at, ''UTC''), upstream, model, outcome, count(*), sum(latency_ms),
            sum(first_byte_ms), sum(cost_pico), coalesce(sum(upstream_cost_pico), 0),
            count(*) FILTER (WHERE upstream_cost_pico IS NULL),
            coalesce(sum(cost_pico) FILTER (WHERE upstream_cost_pico IS NULL), 0)
          FROM %s WHERE %s GROUP BY 1, 2, 3, 4';
        known bigint;
        archived regclass;
      BEGIN
        SELECT last_number INTO known FROM billing.journal;
        EXECUTE format(add_served, 'billing.usage', 'number <= $1') USING known;
        -- Whoever has read the log keeps a month from being taken out of it.
        FOR archived IN SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = 'billing_archive' AND c.relname LIKE 'usage%' AND c.relkind = 'r'
        LOOP
          EXECUTE format(add_served, archived, 'number <= $1') USING known;
        END LOOP;
        -- From here on whoever posts waits.
        PERFORM FROM billing.journal FOR UPDATE;
        EXECUTE format(add_served, 'billing.usage', 'number > $1') USING known;
      END $$;

      CREATE TABLE billing.served_hour (
        -- By UTC: these are of no account, and so of no account's clock.
        hour timestamptz NOT NULL,
        upstream text NOT NULL,
        model text NOT NULL,
        -- As in the usage log, or 'lost': attempts that brought nothing, and that upstreams may bill.
        outcome text NOT NULL,
        requests bigint NOT NULL,
        latency_ms bigint NOT NULL,
        first_byte_ms bigint NOT NULL,
        -- What customers were charged.
        cost_pico numeric(38, 0) NOT NULL,
        upstream_cost_pico numeric(38, 0) NOT NULL,
        -- Requests of which nobody knows what the upstream charges, and what customers were charged for them.
        unknown_cost_requests bigint NOT NULL,
        unknown_cost_pico numeric(38, 0) NOT NULL,
        PRIMARY KEY (hour, upstream, model, outcome)
        -- Every batch adds to the same few rows: their new versions find room beside them.
      ) WITH (fillfactor = 50);

      INSERT INTO billing.served_hour
      SELECT hour, upstream, model, outcome, sum(requests), sum(latency_ms), sum(first_byte_ms),
        sum(cost_pico), sum(upstream_cost_pico), sum(unknown_cost_requests), sum(unknown_cost_pico)
      FROM served_so_far GROUP BY 1, 2, 3, 4;

      INSERT INTO billing.served_hour
      SELECT date_trunc('hour', occurred_at, 'UTC'), upstream, model, 'lost', count(*), sum(latency_ms), 0, 0,
        coalesce(sum(upstream_cost_pico), 0), count(*) FILTER (WHERE upstream_cost_pico IS NULL), 0
      FROM billing.lost_attempt GROUP BY 1, 2, 3;

      -- Once a statement: a batch of requests touches few of these.
      CREATE FUNCTION billing.add_served_hours() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO billing.served_hour AS h
        SELECT date_trunc('hour', occurred_at, 'UTC'), upstream, model, outcome, count(*), sum(latency_ms),
          sum(first_byte_ms), sum(cost_pico), coalesce(sum(upstream_cost_pico), 0),
          count(*) FILTER (WHERE upstream_cost_pico IS NULL),
          coalesce(sum(cost_pico) FILTER (WHERE upstream_cost_pico IS NULL), 0)
        FROM inserted GROUP BY 1, 2, 3, 4
        ON CONFLICT (hour, upstream, model, outcome) DO UPDATE SET
          requests = h.requests + excluded.requests,
          latency_ms = h.latency_ms + excluded.latency_ms,
          first_byte_ms = h.first_byte_ms + excluded.first_byte_ms,
          cost_pico = h.cost_pico + excluded.cost_pico,
          upstream_cost_pico = h.upstream_cost_pico + excluded.upstream_cost_pico,
          unknown_cost_requests = h.unknown_cost_requests + excluded.unknown_cost_requests,
          unknown_cost_pico = h.unknown_cost_pico + excluded.unknown_cost_pico;
        RETURN NULL;
      END $$;
      CREATE TRIGGER served_hours_are_summed AFTER INSERT ON billing.usage
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION billing.add_served_hours();

      CREATE FUNCTION billing.add_lost_hours() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO billing.served_hour AS h
        SELECT date_trunc('hour', occurred_at, 'UTC'), upstream, model, 'lost', count(*), sum(latency_ms), 0, 0,
          coalesce(sum(upstream_cost_pico), 0), count(*) FILTER (WHERE upstream_cost_pico IS NULL), 0
        FROM inserted GROUP BY 1, 2, 3
        ON CONFLICT (hour, upstream, model, outcome) DO UPDATE SET
          requests = h.requests + excluded.requests,
          latency_ms = h.latency_ms + excluded.latency_ms,
          upstream_cost_pico = h.upstream_cost_pico + excluded.upstream_cost_pico,
          unknown_cost_requests = h.unknown_cost_requests + excluded.unknown_cost_requests;
        RETURN NULL;
      END $$;
      CREATE TRIGGER lost_hours_are_summed AFTER INSERT ON billing.lost_attempt
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION billing.add_lost_hours();
    `);
  }

  async down(): Promise<void> {
    throw new Error('The service of this release sums hours by upstream: restore a backup.');
  }
}
