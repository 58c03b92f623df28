import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the service does to its tables' shape, as functions that run with the rights of who migrates: the service's own
 * role owns nothing.
 */
export class AdmitServiceRole1764000090000 implements MigrationInterface {
  name = 'AdmitServiceRole1764000090000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION billing.create_usage_partition(month date) RETURNS void
      LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      DECLARE
        name text := 'usage_' || to_char(month, 'YYYY_MM');
        starts timestamptz := month::timestamp AT TIME ZONE 'UTC';
        ends timestamptz := (month + interval '1 month') AT TIME ZONE 'UTC';
      BEGIN
        IF extract(day FROM month) <> 1 THEN
          RAISE EXCEPTION '% is not the first of a month', month;
        END IF;
        -- Nothing may fall into the default partition between the move and the attachment.
        LOCK TABLE billing.usage_default IN ACCESS EXCLUSIVE MODE;
        EXECUTE format('CREATE TABLE billing.%I (LIKE billing.usage INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
        EXECUTE format(
          'WITH moved AS (DELETE FROM billing.usage_default WHERE occurred_at >= $1 AND occurred_at < $2 RETURNING *)
           INSERT INTO billing.%I SELECT * FROM moved', name) USING starts, ends;
        EXECUTE format(
          'ALTER TABLE billing.usage ATTACH PARTITION billing.%I FOR VALUES FROM (%L) TO (%L)', name, starts, ends);
      END $$;

      -- The rows of a month that was taken out stay in a table of billing_archive.
      CREATE FUNCTION billing.detach_usage_partition(month date) RETURNS void
      LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      DECLARE
        name text := 'usage_' || to_char(month, 'YYYY_MM');
      BEGIN
        EXECUTE format('ALTER TABLE billing.usage DETACH PARTITION billing.%I', name);
        EXECUTE format('ALTER TABLE billing.%I SET SCHEMA billing_archive', name);
      END $$;

      REVOKE EXECUTE ON FUNCTION billing.create_usage_partition(date), billing.detach_usage_partition(date) FROM PUBLIC;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION billing.create_usage_partition(date);
      DROP FUNCTION billing.detach_usage_partition(date);
    `);
  }
}
