import { DatabaseSync } from 'node:sqlite';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';

type Value = string | number | boolean | null;
type Row = Readonly<Record<string, Value>>;

/** Rows as new-api has them, by table. */
export type NewApiRows = Readonly<Record<'channels' | 'users' | 'tokens' | 'options', readonly Row[]>>;

/**
 * The columns of new-api's models: their names, the kinds of its fields, and whether they have an index or a default. What is in
 * brackets is the type as a model states it.
 */
const MODELS: Readonly<Record<keyof NewApiRows, string>> = {
  channels: `id key, type int =0, key text !, open_ai_organization text, test_model text, status int =1, name text index,
    weight uint =0, created_time int, test_time int, response_time int, base_url text ='', other text, balance float,
    balance_updated_time int, models text, group [varchar(64)] ='default', used_quota int =0, model_mapping [text],
    status_code_mapping [varchar(1024)] ='', priority int =0, auto_ban int =1, other_info text, tag text index,
    setting [text], param_override [text], header_override [text], remark [varchar(255)], channel_info [json], settings text`,
  users: `id key, username text index, password text !, display_name text index, role [int] =1, status [int] =1,
    email text index, github_id text index, discord_id text index, oidc_id text index, wechat_id text index,
    telegram_id text index, access_token [char(32)], quota [int] =0, used_quota [int] =0, request_count [int] =0,
    group [varchar(64)] ='default', aff_code [varchar(32)], aff_count [int] =0, aff_quota [int] =0, aff_history [int] =0,
    inviter_id [int], deleted_at time, linux_do_id text index, setting [text], remark [varchar(255)],
    stripe_customer [varchar(64)], created_at int, last_login_at int =0, auth_version [bigint] =1`,
  tokens: `id key, user_id int, key [varchar(128)], status int =1, name text index, created_time int, accessed_time int,
    expired_time int =-1, remain_quota int =0, unlimited_quota bool, model_limits_enabled bool, model_limits [text],
    allow_ips text ='', used_quota int =0, group text ='', cross_group_retry bool, deleted_at time`,
  options: 'key text primary, value text',
};
type Dialect = 'sqlite' | 'postgres' | 'mysql';
/** What GORM makes of each kind. */
const TYPES: Readonly<Record<string, Readonly<Record<Dialect, string>>>> = {
  key: {
    sqlite: 'integer PRIMARY KEY AUTOINCREMENT',
    postgres: 'bigserial PRIMARY KEY',
    mysql: 'bigint AUTO_INCREMENT PRIMARY KEY',
  },
  int: { sqlite: 'integer', postgres: 'bigint', mysql: 'bigint' },
  uint: { sqlite: 'integer', postgres: 'bigint', mysql: 'bigint unsigned' },
  float: { sqlite: 'real', postgres: 'decimal', mysql: 'double' },
  bool: { sqlite: 'numeric', postgres: 'boolean', mysql: 'boolean' },
  text: { sqlite: 'text', postgres: 'text', mysql: 'longtext' },
  time: { sqlite: 'datetime', postgres: 'timestamptz', mysql: 'datetime(3)' },
};
const quote = (dialect: Dialect, name: string): string => (dialect === 'mysql' ? `\`${name}\`` : `"${name}"`);

function toColumn(dialect: Dialect, text: string): string {
  const [, name = '', kind = '', how = ''] = /^(\w+) (\S+)(?: (.+))?$/.exec(text.trim()) ?? [];
  const stated = /^\[(.+)\]$/.exec(kind)?.[1];
  // MySQL has no index and no default of long texts.
  const type =
    kind === 'text' && dialect === 'mysql' && /^(?:index|primary|=)/.test(how)
      ? 'varchar(191)'
      : (stated ?? TYPES[kind]?.[dialect] ?? '');
  const more =
    how === '!'
      ? ' NOT NULL'
      : how === 'primary'
        ? ' PRIMARY KEY'
        : how.startsWith('=')
          ? ` DEFAULT ${how.slice(1)}`
          : '';
  return `${quote(dialect, name)} ${type}${more}`;
}

const tablesOf = (dialect: Dialect): string[] =>
  Object.entries(MODELS).map(
    ([table, columns]) =>
      `CREATE TABLE ${table} (${columns
        .split(/,\s+/)
        .map((column) => toColumn(dialect, column))
        .join(', ')})`,
  );

const insertsOf = (dialect: Dialect, rows: Partial<NewApiRows>) =>
  Object.entries(rows).flatMap(([table, list]) =>
    list.map((row) => ({
      sql: `INSERT INTO ${table} (${Object.keys(row)
        .map((name) => quote(dialect, name))
        .join()}) VALUES (${Object.keys(row)
        .map((_name, index) => (dialect === 'postgres' ? `$${index + 1}` : '?'))
        .join()})`,
      values: Object.values(row),
    })),
  );

/** A database that new-api has made, empty. */
export interface NewApiDatabase {
  /** As the command takes it. */
  readonly where: string;
  readonly insert: (rows: Partial<NewApiRows>) => Promise<void>;
}

/** Makes an SQLite file as new-api does. */
export async function makeSqlite(path: string): Promise<NewApiDatabase> {
  const open = <T>(work: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(path);
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  open((database) => database.exec(tablesOf('sqlite').join(';')));
  return {
    where: path,
    insert: async (rows) =>
      open((database) => {
        for (const { sql, values } of insertsOf('sqlite', rows))
          database
            .prepare(sql)
            .run(...values.map((value) => (typeof value === 'boolean' ? Number(value) : value)));
      }),
  };
}

/** Makes new-api's tables in an empty database of a MySQL or MariaDB, and names it as new-api's own setting does. */
export async function makeMysql(url: string): Promise<NewApiDatabase> {
  const run = async (statements: readonly { sql: string; values?: readonly Value[] }[]) => {
    const connection = await createConnection({ uri: url });
    for (const { sql, values } of statements) await connection.query(sql, values && [...values]);
    await connection.end();
  };
  await run(tablesOf('mysql').map((sql) => ({ sql })));
  const { username, password, host, pathname } = new URL(url);
  return {
    where: `${username}:${password}@tcp(${host})${pathname}?charset=utf8mb4&parseTime=True`,
    insert: (rows) => run(insertsOf('mysql', rows)),
  };
}

/** Makes new-api's tables in an empty database of a PostgreSQL. */
export async function makePostgres(url: string): Promise<NewApiDatabase> {
  const run = async (statements: readonly { sql: string; values?: readonly Value[] }[]) => {
    const client = new pg.Client(url);
    await client.connect();
    for (const { sql, values } of statements) await client.query(sql, values && [...values]);
    await client.end();
  };
  await run(tablesOf('postgres').map((sql) => ({ sql })));
  return { where: url, insert: (rows) => run(insertsOf('postgres', rows)) };
}
