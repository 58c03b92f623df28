import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { z } from 'zod';
import { Failure } from '../../failure.ts';
import { channelRow, type NewApi, optionRow, tokenRow, userRow } from './rows.ts';
import { noteUnreadColumns } from './source-fields.ts';

/** All rows of a table; those that were deleted are marked in `deleted_at`. */
type ReadTable = (table: string) => Promise<Record<string, unknown>[]>;

/**
 * Reads the database of a new-api or one-api and changes nothing in it.
 *
 * @param where a PostgreSQL URL, that of a MySQL or MariaDB, also as its `SQL_DSN` has it, or the path of an SQLite file.
 * @throws Failure when it cannot be opened, or is the database of something else.
 */
export async function readNewApi(where: string): Promise<NewApi> {
  try {
    if (/^postgres(ql)?:\/\//.test(where)) return await fromPostgres(where);
    const mysql = findMysqlUrl(where);
    return await (mysql === undefined ? fromSqlite(where) : fromMysql(mysql));
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (error instanceof z.ZodError)
      throw new Failure(
        `A row is not what new-api writes: ${z.prettifyError(error)}`,
        'Is this its database?',
      );
    throw new Failure(
      `The database cannot be read: ${(error as Error).message}`,
      'It is the one of a new-api or one-api, with the tables channels, tokens, users and options.',
    );
  }
}

async function fromPostgres(url: string): Promise<NewApi> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return await allOf(
      async (table) => (await client.query(`SELECT * FROM ${table}`)).rows as Record<string, unknown>[],
    );
  } finally {
    await client.end();
  }
}

/** `user:password@tcp(host:port)/name?…` is how new-api's own setting names a MySQL. */
function findMysqlUrl(where: string): URL | undefined {
  if (/^(?:mysql|mariadb):\/\//.test(where)) return URL.parse(where) ?? undefined;
  const [, user, password, address, name] =
    /^([^:@/]+):(.*)@tcp\(([^)]+)\)\/([^?]+)(?:\?.*)?$/.exec(where) ?? [];
  if (user === undefined || password === undefined) return undefined;
  return new URL(`mysql://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${address}/${name}`);
}

async function fromMysql(url: URL): Promise<NewApi> {
  const connection = await createConnection({
    host: url.hostname,
    port: Number(url.port || 3306),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    connectTimeout: 10_000,
    supportBigNumbers: true,
    bigNumberStrings: true,
  });
  try {
    await connection.query('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
    return await allOf(async (table) =>
      recordsSchema.parse((await connection.query(`SELECT * FROM ${table}`))[0]),
    );
  } finally {
    await connection.end();
  }
}
const recordsSchema = z.array(z.record(z.string(), z.unknown()));

async function fromSqlite(path: string): Promise<NewApi> {
  if (!existsSync(path))
    throw new Failure(
      `There is no file ${path}.`,
      'Name the SQLite file, such as one-api.db, or the URL of a PostgreSQL or MySQL.',
    );
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    database.exec('BEGIN');
    return await allOf(async (table) => database.prepare(`SELECT * FROM ${table}`).all());
  } finally {
    database.close();
  }
}

async function allOf(read: ReadTable): Promise<NewApi> {
  const unread: string[] = [];
  const rows = async <T>(table: string, row: z.ZodObject & z.ZodType<T>): Promise<T[]> => {
    const records = (await read(table))
      .filter(({ deleted_at }) => deleted_at === null || deleted_at === undefined)
      .sort((a, b) => Number(a['id'] ?? 0) - Number(b['id'] ?? 0));
    unread.push(...noteUnreadColumns(table, records, Object.keys(row.shape)));
    return z.array(row).parse(records);
  };
  return {
    channels: await rows('channels', channelRow),
    tokens: await rows('tokens', tokenRow),
    users: await rows('users', userRow),
    options: new Map((await rows('options', optionRow)).map(({ key, value }) => [key, value])),
    unread,
  };
}
