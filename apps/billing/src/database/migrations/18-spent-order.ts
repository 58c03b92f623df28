import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys in the order of what they have spent, as far as an index can follow bookings: a page of it is read, not all keys. */
export class SpentOrder1765800000000 implements MigrationInterface {
  name = 'SpentOrder1765800000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- How many digits an amount has, and the first two of them: it grows with what was spent, and few bookings change it.
      CREATE FUNCTION billing.spent_order(spent_pico numeric) RETURNS smallint LANGUAGE sql IMMUTABLE AS $$
        SELECT CASE WHEN spent_pico > 0
          THEN (length(spent_pico::text) * 100 + left(spent_pico::text || '0', 2)::int)::smallint ELSE 0::smallint END $$;

      -- Null of keys that were deleted, which are in no order.
      ALTER TABLE billing.key_text ADD spent_order smallint;

      CREATE OR REPLACE FUNCTION billing.write_key_text() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO billing.key_text AS t (key_id, account_id, text, spent_order)
        VALUES (new.id, new.account_id, lower(new.name || chr(10) || new.masked),
          CASE WHEN new.deleted_at IS NULL THEN billing.spent_order(new.spent_pico) END)
        ON CONFLICT (key_id) DO UPDATE SET
          account_id = excluded.account_id, text = excluded.text, spent_order = excluded.spent_order;
        RETURN NULL;
      END $$;
      CREATE OR REPLACE TRIGGER text_is_written
        AFTER INSERT OR UPDATE OF account_id, name, masked, deleted_at ON billing.api_key
        FOR EACH ROW EXECUTE FUNCTION billing.write_key_text();
      -- No index on keys themselves has their spending: see the table of texts.
      CREATE TRIGGER spent_order_is_written AFTER UPDATE OF spent_pico ON billing.api_key
        FOR EACH ROW WHEN (billing.spent_order(old.spent_pico) <> billing.spent_order(new.spent_pico))
        EXECUTE FUNCTION billing.write_key_text();

      UPDATE billing.key_text t SET spent_order = billing.spent_order(k.spent_pico)
      FROM billing.api_key k WHERE k.id = t.key_id AND k.deleted_at IS NULL;
      CREATE INDEX key_text_by_spent ON billing.key_text (account_id, spent_order, key_id) WHERE spent_order IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER spent_order_is_written ON billing.api_key;
      CREATE OR REPLACE FUNCTION billing.write_key_text() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO billing.key_text AS t (key_id, account_id, text)
        VALUES (new.id, new.account_id, lower(new.name || chr(10) || new.masked))
        ON CONFLICT (key_id) DO UPDATE SET account_id = excluded.account_id, text = excluded.text;
        RETURN NULL;
      END $$;
      CREATE OR REPLACE TRIGGER text_is_written AFTER INSERT OR UPDATE OF account_id, name, masked ON billing.api_key
        FOR EACH ROW EXECUTE FUNCTION billing.write_key_text();
      ALTER TABLE billing.key_text DROP spent_order;
      DROP FUNCTION billing.spent_order(numeric);
    `);
  }
}
