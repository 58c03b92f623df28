import type { Migrations } from '@tollgate/platform/process';
import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrate, MIGRATIONS } from '../src/database/migrate.ts';
import { BASELINE_ROWS } from './baseline-rows.ts';

export const upTo = (all: Migrations, count: number): Migrations => [all[0], ...all.slice(1, count)];

export async function query<T extends pg.QueryResultRow>(
  { url }: { url: string },
  sql: string,
): Promise<T[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** These are what databases begin as: they are made once, and copied from then on. */
export const migrateAll = (url: string): Promise<void> => migrate(url);
export async function makeBaseline(url: string): Promise<void> {
  await migrate(url, undefined, upTo(MIGRATIONS, 1));
  await query({ url }, BASELINE_ROWS);
}
export async function makeUpgraded(url: string): Promise<void> {
  await makeBaseline(url);
  for (let count = 2; count <= MIGRATIONS.length; count += 1)
    await migrate(url, undefined, upTo(MIGRATIONS, count));
}

/** What a later migration may look like: it runs the given SQL. */
export const migration = (number: number, sql: string): new () => MigrationInterface =>
  class {
    name = `Probe${1_800_000_000_000 + number}`;
    async up(runner: QueryRunner): Promise<void> {
      await runner.query(sql);
    }
    async down(): Promise<void> {}
  };
