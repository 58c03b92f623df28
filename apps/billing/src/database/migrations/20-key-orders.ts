import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keys in the order of when they were used, when they expire, of their group and whose they are: a page of it is read, not all
 * keys. What bookings change stands by itself, in a table with few indices.
 */
export class KeyOrders1766000000000 implements MigrationInterface {
  name = 'KeyOrders1766000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER spent_order_is_written ON billing.api_key;
      DROP TRIGGER text_is_written ON billing.api_key;

      -- The hour of a use: of many uses in it only the first is written.
      CREATE FUNCTION billing.used_hour(at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
        SELECT coalesce(date_bin('1 hour', at, timestamptz '2000-01-01T00:00:00Z'), timestamptz '-infinity') $$;

      -- Where a key stands by what bookings change of it. Deleted ones are in no order.
      CREATE TABLE billing.key_order (
        key_id uuid PRIMARY KEY REFERENCES billing.api_key ON DELETE CASCADE,
        account_id uuid NOT NULL,
        spent_order smallint NOT NULL,
        used_hour timestamptz NOT NULL
      );
      ALTER TABLE billing.key_text DROP spent_order,
        ADD is_deleted boolean NOT NULL DEFAULT false,
        -- Before all times is what never is.
        ADD expires_at timestamptz NOT NULL DEFAULT '-infinity',
        ADD group_name text NOT NULL DEFAULT '',
        ADD owner_id uuid;
      ALTER TABLE billing.key_text
        ALTER is_deleted DROP DEFAULT, ALTER expires_at DROP DEFAULT, ALTER group_name DROP DEFAULT;

      CREATE OR REPLACE FUNCTION billing.write_key_text() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO billing.key_text AS t (key_id, account_id, text, is_deleted, expires_at, group_name, owner_id)
        VALUES (new.id, new.account_id, lower(new.name || chr(10) || new.masked), new.deleted_at IS NOT NULL,
          coalesce(new.expires_at, '-infinity'), new.group_name, new.owner_id)
        ON CONFLICT (key_id) DO UPDATE SET account_id = excluded.account_id, text = excluded.text,
          is_deleted = excluded.is_deleted, expires_at = excluded.expires_at, group_name = excluded.group_name,
          owner_id = excluded.owner_id;
        IF new.deleted_at IS NULL THEN
          INSERT INTO billing.key_order AS o (key_id, account_id, spent_order, used_hour)
          VALUES (new.id, new.account_id, billing.spent_order(new.spent_pico), billing.used_hour(new.last_used_at))
          ON CONFLICT (key_id) DO UPDATE SET account_id = excluded.account_id, spent_order = excluded.spent_order,
            used_hour = excluded.used_hour;
        ELSE
          DELETE FROM billing.key_order WHERE key_id = new.id;
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER text_is_written
        AFTER INSERT OR UPDATE OF account_id, name, masked, deleted_at, expires_at, group_name, owner_id ON billing.api_key
        FOR EACH ROW EXECUTE FUNCTION billing.write_key_text();

      -- Of a batch all at once: row by row it would take twice as long.
      CREATE FUNCTION billing.write_key_orders() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE billing.key_order p
        SET spent_order = billing.spent_order(n.spent_pico), used_hour = billing.used_hour(n.last_used_at)
        FROM changed n JOIN before o ON o.id = n.id
        WHERE p.key_id = n.id AND (billing.spent_order(o.spent_pico) <> billing.spent_order(n.spent_pico)
          OR billing.used_hour(o.last_used_at) <> billing.used_hour(n.last_used_at));
        RETURN NULL;
      END $$;
      CREATE TRIGGER orders_are_written AFTER UPDATE ON billing.api_key
        REFERENCING OLD TABLE AS before NEW TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION billing.write_key_orders();

      UPDATE billing.key_text t SET is_deleted = k.deleted_at IS NOT NULL,
        expires_at = coalesce(k.expires_at, '-infinity'), group_name = k.group_name, owner_id = k.owner_id
      FROM billing.api_key k WHERE k.id = t.key_id;
      CREATE INDEX key_text_by_end ON billing.key_text (account_id, expires_at, key_id) WHERE NOT is_deleted;
      CREATE INDEX key_text_by_owner ON billing.key_text (account_id, owner_id, key_id) WHERE NOT is_deleted;
      CREATE INDEX key_text_by_group ON billing.key_text (account_id, group_name, key_id DESC) WHERE NOT is_deleted;

      INSERT INTO billing.key_order (key_id, account_id, spent_order, used_hour)
      SELECT id, account_id, billing.spent_order(spent_pico), billing.used_hour(last_used_at)
      FROM billing.api_key WHERE deleted_at IS NULL;
      CREATE INDEX key_order_by_spent ON billing.key_order (account_id, spent_order, key_id);
      CREATE INDEX key_order_by_use ON billing.key_order (account_id, used_hour, key_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER orders_are_written ON billing.api_key;
      DROP TRIGGER text_is_written ON billing.api_key;
      DROP FUNCTION billing.write_key_orders();
      DROP TABLE billing.key_order;
      DROP FUNCTION billing.used_hour(timestamptz);
      ALTER TABLE billing.key_text DROP is_deleted, DROP expires_at, DROP group_name, DROP owner_id, ADD spent_order smallint;
      CREATE OR REPLACE FUNCTION billing.write_key_text() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO billing.key_text AS t (key_id, account_id, text, spent_order)
        VALUES (new.id, new.account_id, lower(new.name || chr(10) || new.masked),
          CASE WHEN new.deleted_at IS NULL THEN billing.spent_order(new.spent_pico) END)
        ON CONFLICT (key_id) DO UPDATE SET
          account_id = excluded.account_id, text = excluded.text, spent_order = excluded.spent_order;
        RETURN NULL;
      END $$;
      CREATE TRIGGER text_is_written AFTER INSERT OR UPDATE OF account_id, name, masked, deleted_at ON billing.api_key
        FOR EACH ROW EXECUTE FUNCTION billing.write_key_text();
      CREATE TRIGGER spent_order_is_written AFTER UPDATE OF spent_pico ON billing.api_key
        FOR EACH ROW WHEN (billing.spent_order(old.spent_pico) <> billing.spent_order(new.spent_pico))
        EXECUTE FUNCTION billing.write_key_text();
      UPDATE billing.key_text t SET spent_order = billing.spent_order(k.spent_pico)
      FROM billing.api_key k WHERE k.id = t.key_id AND k.deleted_at IS NULL;
      CREATE INDEX key_text_by_spent ON billing.key_text (account_id, spent_order, key_id) WHERE spent_order IS NOT NULL;
    `);
  }
}
