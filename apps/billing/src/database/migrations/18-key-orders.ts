import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keys in the order of what they spent, when they were used, when they expire, of their group and whose they are: a page of it
 * is read, not all keys. What bookings change stands by itself, in a table with few indices.
 */
export class KeyOrders1765800000000 implements MigrationInterface {
  name = 'KeyOrders1765800000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- How many digits an amount has, and the first two of them: it grows with what was spent, and few bookings change it.
      CREATE FUNCTION billing.spent_order(spent_pico numeric) RETURNS smallint LANGUAGE sql IMMUTABLE AS $$
        SELECT CASE WHEN spent_pico > 0
          THEN (length(spent_pico::text) * 100 + left(spent_pico::text || '0', 2)::int)::smallint ELSE 0::smallint END $$;
      -- The hour of a use: of many uses in it only the first is written. Before all times is what never is.
      CREATE FUNCTION billing.used_hour(at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
        SELECT coalesce(date_bin('1 hour', at, timestamptz '2000-01-01T00:00:00Z'), timestamptz '-infinity') $$;

      -- Where keys stand: by what bookings change of them, and by what people change. Deleted ones are in neither.
      CREATE TABLE billing.key_order (
        key_id uuid PRIMARY KEY REFERENCES billing.api_key ON DELETE CASCADE,
        account_id uuid NOT NULL,
        spent_order smallint NOT NULL,
        used_hour timestamptz NOT NULL
      );
      CREATE TABLE billing.key_place (
        key_id uuid PRIMARY KEY REFERENCES billing.api_key ON DELETE CASCADE,
        account_id uuid NOT NULL,
        expires_at timestamptz NOT NULL,
        group_name text NOT NULL,
        owner_id uuid
      );

      CREATE FUNCTION billing.write_key_place() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF new.deleted_at IS NOT NULL THEN
          DELETE FROM billing.key_order WHERE key_id = new.id;
          DELETE FROM billing.key_place WHERE key_id = new.id;
          RETURN NULL;
        END IF;
        INSERT INTO billing.key_order AS o (key_id, account_id, spent_order, used_hour)
        VALUES (new.id, new.account_id, billing.spent_order(new.spent_pico), billing.used_hour(new.last_used_at))
        ON CONFLICT (key_id) DO UPDATE SET
          account_id = excluded.account_id, spent_order = excluded.spent_order, used_hour = excluded.used_hour;
        INSERT INTO billing.key_place AS p (key_id, account_id, expires_at, group_name, owner_id)
        VALUES (new.id, new.account_id, coalesce(new.expires_at, '-infinity'), new.group_name, new.owner_id)
        ON CONFLICT (key_id) DO UPDATE SET account_id = excluded.account_id, expires_at = excluded.expires_at,
          group_name = excluded.group_name, owner_id = excluded.owner_id;
        RETURN NULL;
      END $$;
      CREATE TRIGGER place_is_written
        AFTER INSERT OR UPDATE OF account_id, deleted_at, expires_at, group_name, owner_id ON billing.api_key
        FOR EACH ROW EXECUTE FUNCTION billing.write_key_place();

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

      INSERT INTO billing.key_order (key_id, account_id, spent_order, used_hour)
      SELECT id, account_id, billing.spent_order(spent_pico), billing.used_hour(last_used_at)
      FROM billing.api_key WHERE deleted_at IS NULL;
      INSERT INTO billing.key_place (key_id, account_id, expires_at, group_name, owner_id)
      SELECT id, account_id, coalesce(expires_at, '-infinity'), group_name, owner_id
      FROM billing.api_key WHERE deleted_at IS NULL;
      CREATE INDEX key_order_by_spent ON billing.key_order (account_id, spent_order, key_id);
      CREATE INDEX key_order_by_use ON billing.key_order (account_id, used_hour, key_id);
      CREATE INDEX key_place_by_end ON billing.key_place (account_id, expires_at, key_id);
      CREATE INDEX key_place_by_owner ON billing.key_place (account_id, owner_id, key_id);
      CREATE INDEX key_place_by_group ON billing.key_place (account_id, group_name, key_id DESC);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER orders_are_written ON billing.api_key;
      DROP TRIGGER place_is_written ON billing.api_key;
      DROP FUNCTION billing.write_key_orders();
      DROP FUNCTION billing.write_key_place();
      DROP TABLE billing.key_order, billing.key_place;
      DROP FUNCTION billing.used_hour(timestamptz);
      DROP FUNCTION billing.spent_order(numeric);
    `);
  }
}
