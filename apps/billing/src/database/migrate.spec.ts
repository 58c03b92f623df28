import { readFileSync } from 'node:fs';
import { connect as connectTo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  addressThrough,
  createTestDatabase,
  describeSchema,
  freePort,
  type TestDatabase,
  waitFor,
} from '@tollgate/harness';
import { connectPatiently } from '@tollgate/platform/process';
import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createDataSource } from './data-source.ts';
import { migrate, MIGRATIONS } from './migrate.ts';

let database: TestDatabase;
const clients: pg.Client[] = [];
const migrateAlone = (url: string): Promise<void> => migrate(url);
beforeEach(async () => {
  database = await createTestDatabase(migrateAlone);
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.end();
  await database.drop();
});

test('a database that starts later is waited for; one that does not is told of', async () => {
  const port = await freePort();
  const url = addressThrough(database.url, { port });
  const absent = createDataSource(url);
  await expect(connectPatiently(absent, 300)).rejects.toThrow(/^PostgreSQL was not there for .*ECONNREFUSED/);

  const migrated = migrate(url);
  await sleep(600);
  const server = createServer((client) => {
    const there = connectTo(Number(new URL(database.url).port), '127.0.0.1');
    client.pipe(there).pipe(client);
    for (const socket of [client, there]) socket.on('error', () => socket.destroy());
  }).listen(port, '127.0.0.1');
  try {
    await migrated;
  } finally {
    server.close();
  }
});

test('a database that says no is not waited for', async () => {
  const url = new URL(database.url);
  url.pathname = '/there_is_none';
  await expect(migrate(url.href)).rejects.toThrow('"there_is_none" does not exist');
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(database.url);
  await client.connect();
  clients.push(client);
  return client;
}

class AddNotes1764200000001 implements MigrationInterface {
  name = 'AddNotes1764200000001';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE billing.export_job ADD note text');
  }
  async down(): Promise<void> {}
}

test('a migration that a long reading holds up lets the others pass, and is tried again until it gets its turn', async () => {
  const [reading, looking] = [await connect(), await connect()];
  await reading.query('BEGIN; SELECT count(*) FROM billing.export_job');
  let ended = false;
  const migrated = migrate(database.url, undefined, [...MIGRATIONS, AddNotes1764200000001]).finally(
    () => (ended = true),
  );
  const waiting = async () =>
    (
      await looking.query(`SELECT FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
        WHERE l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND NOT l.granted AND c.relname = 'export_job' AND l.mode = 'AccessExclusiveLock'`)
    ).rowCount;
  await waitFor(async () => (await waiting()) === 1, 'the migration to wait', 20_000, 20);
  // Whoever comes after it is not kept for longer than it waits itself.
  await looking.query('SELECT count(*) FROM billing.export_job');
  expect(ended).toBe(false);
  await reading.query('COMMIT');
  await migrated;
  const { rowCount } = await looking.query('SELECT FROM billing.migration WHERE name = $1', [
    AddNotes1764200000001.name,
  ]);
  expect(rowCount).toBe(1);
}, 60_000);

test('several migrations at once take turns', async () => {
  const all = [...MIGRATIONS, AddNotes1764200000001] as const;
  await Promise.all([1, 2, 3].map(() => migrate(database.url, undefined, all)));
  const { rows } = await (await connect()).query('SELECT name FROM billing.migration ORDER BY id');
  expect(rows.map(({ name }: { name: string }) => name)).toEqual(all.map(({ name }) => name));
});

test('a database from before the baseline is left as it is, and told what to do', async () => {
  const client = await connect();
  await client.query(
    `UPDATE billing.migration SET timestamp = 1764000001000, name = 'CreateAccounts1764000001000'`,
  );
  const before = await describeSchema(database.url, ['billing']);
  await expect(migrate(database.url)).rejects.toThrow(
    'The schema "billing" of this database was made before its migrations became one baseline. Nothing was changed.',
  );
  expect(await describeSchema(database.url, ['billing'])).toEqual(before);
});

test('what docs/upgrade.md says carries a database over whose schema is the same', async () => {
  await database.drop();
  database = await createTestDatabase();
  await migrate(database.url, undefined, [MIGRATIONS[0]]);
  const client = await connect();
  await client.query(`
    UPDATE billing.migration SET timestamp = 1764000101000, name = 'ValidateLedgerKinds1764000101000';
    CREATE SCHEMA pricing; CREATE TABLE pricing.migration (LIKE billing.migration INCLUDING ALL);
    INSERT INTO pricing.migration (timestamp, name) VALUES (1764000001000, 'CreateDrafts1764000001000')`);
  const documentation = readFileSync(join(import.meta.dirname, '../../../../docs/upgrade.md'), 'utf8');
  const sql = /```sql\n([\s\S]*?)```/.exec(documentation)?.[1] ?? '';
  expect(sql).toContain('billing.migration');
  await client.query(sql);
  await migrate(database.url);
  const { rows } = await client.query('SELECT name FROM pricing.migration');
  expect(rows).toEqual([{ name: 'Baseline1764000200000' }]);
});
