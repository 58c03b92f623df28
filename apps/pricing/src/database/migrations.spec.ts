import { createTestDatabase, describeSchema, digestRows, type TestDatabase } from '@tollgate/harness';
import type { Migrations } from '@tollgate/platform/process';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createDataSource } from './data-source.ts';
import { migrate, MIGRATIONS } from './migrate.ts';

/** Literal, so that they can be written before any later migration. */
const ROWS = `
  INSERT INTO pricing.snapshot (version, hash, published_at, actor, reason, catalogue)
    SELECT n, repeat('a', 64), '2026-01-05T00:00:00Z', 'owner@pricing.example', 'a test', '{}' FROM generate_series(1, 3) AS n;
  INSERT INTO pricing.draft (name, reason, changes, status, actor, changed_at, version)
    VALUES ('march', 'new prices', '[]', 'published', 'owner@pricing.example', '2026-01-05T00:00:00Z', 3)`;

const databases: TestDatabase[] = [];
afterEach(async () => {
  for (const database of databases.splice(0)) await database.drop();
});

/** A database that has rows after so many of the migrations, and is brought up to date one at a time. */
async function make(migrations: Migrations, rowsAfter: number): Promise<TestDatabase> {
  const database = await createTestDatabase();
  databases.push(database);
  for (let count = 1; count <= migrations.length; count += 1) {
    await migrate(database.url, database.serviceUrl('pricing'), [
      migrations[0],
      ...migrations.slice(1, count),
    ]);
    if (count !== rowsAfter) continue;
    const source = await createDataSource(database.url).initialize();
    await source.query(ROWS);
    await source.destroy();
  }
  return database;
}

const migration = (sql: string): new () => MigrationInterface =>
  class {
    name = 'Probe1764000200001';
    async up(runner: QueryRunner): Promise<void> {
      await runner.query(sql);
    }
    async down(): Promise<void> {}
  };

async function compare(migrations: Migrations): Promise<{ schemas: boolean; rows: boolean }> {
  const [fresh, upgraded] = [await make(migrations, migrations.length), await make(migrations, 1)];
  const [schemas, rows] = [
    await Promise.all([fresh, upgraded].map(({ url }) => describeSchema(url, ['pricing']))),
    await Promise.all([fresh, upgraded].map(({ url }) => digestRows(url, 'pricing'))),
  ];
  return { schemas: isSame(schemas), rows: isSame(rows) };
}

const isSame = ([one, other]: unknown[]): boolean => JSON.stringify(one) === JSON.stringify(other);

test.each([
  ['the migrations there are', MIGRATIONS],
  [
    'migrations that come later',
    [
      ...MIGRATIONS,
      migration(`ALTER TABLE pricing.draft ADD note text NOT NULL DEFAULT ''`),
    ] satisfies Migrations,
  ],
])('of %s, a new database and an upgraded one have the same schema and rows', async (_, migrations) => {
  expect(await compare(migrations)).toEqual({ schemas: true, rows: true });
});

test('a migration that depends on the rows there are, or changes some of them, is noticed', async () => {
  const dependent = `DO $$ BEGIN
    IF EXISTS (SELECT FROM pricing.draft) THEN ALTER TABLE pricing.draft ADD note text; END IF; END $$`;
  expect((await compare([...MIGRATIONS, migration(dependent)])).schemas).toBe(false);
  const changing = `UPDATE pricing.draft SET revision = revision + 1`;
  expect(await compare([...MIGRATIONS, migration(changing)])).toEqual({ schemas: true, rows: false });
});

test('a database from before the baseline is left as it is, and told what to do', async () => {
  const database = await make(MIGRATIONS, 1);
  const source = await createDataSource(database.url).initialize();
  await source.query(`UPDATE pricing.migration SET name = 'CreateSnapshots1764000000000'`);
  await source.destroy();
  await expect(migrate(database.url)).rejects.toThrow('docs/upgrade.md');
});
