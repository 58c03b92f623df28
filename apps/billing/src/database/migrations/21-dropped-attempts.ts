import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What stays of lost attempts of a month that is dropped: they leave with it. */
export class DroppedAttempts1766100000000 implements MigrationInterface {
  name = 'DroppedAttempts1766100000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE billing.usage_drop
        -- Attempts up to this number leave: an audit that began after the month was taken out has read them. Null where the drop
        -- began before attempts left with their month.
        ADD COLUMN attempts_to bigint,
        -- Those that were booked up to this moment were looked at, and so many have left.
        ADD COLUMN attempts_at timestamptz,
        ADD COLUMN attempts bigint NOT NULL DEFAULT 0;

      -- Dropped attempts, added up where they are alike in all that sums of upstreams tell apart; times are beginnings of quarters
      -- of an hour. Their numbers stand in billing.usage_rollup_numbers.
      CREATE TABLE billing.lost_rollup (
        month date NOT NULL REFERENCES billing.usage_drop,
        -- The greatest of theirs.
        number bigint NOT NULL,
        occurred_at timestamptz NOT NULL,
        booked_at timestamptz NOT NULL,
        upstream text NOT NULL,
        model text NOT NULL,
        attempts bigint NOT NULL,
        latency_ms bigint NOT NULL,
        -- Null where the catalogue did not say: these are not alike with others.
        upstream_cost_pico numeric(38, 0)
      );
      CREATE INDEX lost_rollup_occurred ON billing.lost_rollup (occurred_at);
      CREATE INDEX lost_rollup_booked ON billing.lost_rollup (booked_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    const dropped = (await runner.query('SELECT FROM billing.lost_rollup LIMIT 1')) as unknown[];
    if (dropped.length > 0) throw new Error('Lost attempts were dropped: restore a backup.');
    await runner.query(`
      DROP TABLE billing.lost_rollup;
      ALTER TABLE billing.usage_drop DROP COLUMN attempts_to, DROP COLUMN attempts_at, DROP COLUMN attempts;
    `);
  }
}
