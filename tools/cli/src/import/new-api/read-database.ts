import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { z } from 'zod';
import { Failure } from '../../failure.ts';
import { channelRow, type NewApi, optionRow, tokenRow, userRow } from './rows.ts';

/** All rows of a table; those that were deleted are marked in `deleted_at`. */
type ReadTable = (table: string) => Promise<Record<string, unknown>[]>;

/**
 * Reads the database of a new-api or one-api and changes nothing in it.
 *
 * @param where a PostgreSQL URL or the path of an SQLite file.
 * @throws Failure when it cannot be opened, or is the database of something else.
 */
export async function readNewApi(where: string): Promise<NewApi> {
  try {
    return await (/^postgres(ql)?:\/\//.test(where) ? fromPostgres(where) : fromSqlite(where));
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

async function fromSqlite(path: string): Promise<NewApi> {
  if (!existsSync(path))
    throw new Failure(
      `There is no file ${path}.`,
      'Name the SQLite file, such as one-api.db, or a PostgreSQL URL.',
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
  const rows = async <T>(table: string, row: z.ZodType<T>): Promise<T[]> =>
    z
      .array(row)
      .parse(
        (await read(table))
          .filter(({ deleted_at }) => deleted_at === null || deleted_at === undefined)
          .sort((a, b) => Number(a['id'] ?? 0) - Number(b['id'] ?? 0)),
      );
  return {
    channels: await rows('channels', channelRow),
    tokens: await rows('tokens', tokenRow),
    users: await rows('users', userRow),
    options: new Map((await rows('options', optionRow)).map(({ key, value }) => [key, value])),
  };
}
