import { DatabaseSync } from 'node:sqlite';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';

type Value = string | number | boolean | null;
type Row = Readonly<Record<string, Value>>;

/** Rows as new-api has them, by table. */
export type NewApiRows = Readonly<Record<'channels' | 'users' | 'tokens' | 'options', readonly Row[]>>;

/** The tables as new-api's own migrations make them, in the words that all three databases share. */
const TABLES = (bool: string, json: string): string => `
  CREATE TABLE channels (id bigint PRIMARY KEY, type bigint DEFAULT 0, "key" text NOT NULL, open_ai_organization text,
    test_model text, status bigint DEFAULT 1, name text, weight bigint DEFAULT 0, created_time bigint, test_time bigint,
    response_time bigint, base_url text DEFAULT '', other text, balance numeric, balance_updated_time bigint,
    models text, "group" varchar(64) DEFAULT 'default', used_quota bigint DEFAULT 0, model_mapping text,
    status_code_mapping varchar(1024) DEFAULT '', priority bigint DEFAULT 0, auto_ban bigint DEFAULT 1, other_info text,
    tag text, setting text, param_override text, header_override text, remark varchar(255), channel_info ${json},
    settings text);
  CREATE TABLE users (id bigint PRIMARY KEY, username text UNIQUE, password text NOT NULL, display_name text,
    role bigint DEFAULT 1, status bigint DEFAULT 1, email text, access_token char(32), quota bigint DEFAULT 0,
    used_quota bigint DEFAULT 0, request_count bigint DEFAULT 0, "group" varchar(64) DEFAULT 'default',
    aff_code varchar(32), deleted_at timestamp);
  CREATE TABLE tokens (id bigint PRIMARY KEY, user_id bigint, "key" char(48) UNIQUE, status bigint DEFAULT 1, name text,
    created_time bigint, accessed_time bigint, expired_time bigint DEFAULT -1, remain_quota bigint DEFAULT 0,
    unlimited_quota ${bool}, model_limits_enabled ${bool}, model_limits varchar(1024) DEFAULT '',
    allow_ips text DEFAULT '', used_quota bigint DEFAULT 0, "group" text DEFAULT '', deleted_at timestamp);
  CREATE TABLE options ("key" text PRIMARY KEY, value text);`;

const inserts = (rows: NewApiRows) =>
  Object.entries(rows).flatMap(([table, list]) =>
    list.map((row) => ({
      sql: `INSERT INTO ${table} (${Object.keys(row)
        .map((name) => `"${name}"`)
        .join()}) VALUES `,
      values: Object.values(row),
    })),
  );

/** Writes new-api's SQLite file. */
export function writeSqlite(path: string, rows: NewApiRows): void {
  const database = new DatabaseSync(path);
  database.exec(TABLES('numeric DEFAULT false', 'json'));
  for (const { sql, values } of inserts(rows))
    database
      .prepare(`${sql} (${values.map(() => '?').join()})`)
      .run(...values.map((value) => (typeof value === 'boolean' ? Number(value) : value)));
  database.close();
}

/** Fills an empty MySQL or MariaDB as new-api does: its names of columns are quoted otherwise, and long texts are `longtext`. */
export async function writeMysql(url: string, rows: NewApiRows): Promise<void> {
  const connection = await createConnection({ uri: url, multipleStatements: true });
  const inItsWords = (sql: string) =>
    sql
      .replaceAll('"', '`')
      .replaceAll(/\btext (PRIMARY KEY|UNIQUE)/g, 'varchar(191) $1')
      .replaceAll(/ text DEFAULT ''/g, ' text');
  await connection.query(inItsWords(TABLES('boolean DEFAULT false', 'json')));
  for (const { sql, values } of inserts(rows))
    await connection.query(inItsWords(`${sql} (${values.map(() => '?').join()})`), values);
  await connection.end();
}

/** Fills an empty PostgreSQL database as new-api does. */
export async function writePostgres(url: string, rows: NewApiRows): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(TABLES('boolean DEFAULT false', 'json'));
  for (const { sql, values } of inserts(rows))
    await client.query(`${sql} (${values.map((_value, index) => `$${index + 1}`).join()})`, values);
  await client.end();
}
