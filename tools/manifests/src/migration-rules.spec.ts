import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './manifest.ts';
import { migrationFaults, parseStatements } from './migration-rules.ts';

const MIGRATIONS = globSync('apps/*/src/database/migrations/[0-9]*.ts', { cwd: ROOT });
const migration = (sql: string, extra = '') => `export class A implements MigrationInterface {
  name = 'A';
  ${extra}
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(\`${sql}\`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE billing.everything');
  }
}
`;
const reasons = (sql: string) => migrationFaults(migration(sql)).map(({ why }) => why);

test.each(MIGRATIONS)('%s can run while the services of the release before it serve', (path) => {
  const source = readFileSync(join(ROOT, path), 'utf8');
  expect(parseStatements(source).length).toBeGreaterThan(0);
  expect(migrationFaults(source)).toEqual([]);
});

test('the migrations of both services are read', () => {
  for (const service of ['billing', 'pricing'])
    expect(MIGRATIONS).toContain(`apps/${service}/src/database/migrations/1-baseline.ts`);
});

test.each([
  ['ALTER TABLE billing.usage DROP model', 'drops a column'],
  ['ALTER TABLE billing.account ADD a int, DROP COLUMN b', 'drops a column'],
  ['ALTER TABLE billing.account RENAME COLUMN a TO b', 'renames'],
  ['ALTER TABLE billing.account RENAME TO customer', 'renames'],
  ['ALTER TABLE billing.account SET SCHEMA other', 'moves'],
  ['ALTER TABLE billing.usage ALTER COLUMN model TYPE varchar(9)', 'changes a type'],
  ['ALTER TABLE billing.session ALTER address DROP DEFAULT', 'drops a default'],
  ['ALTER TABLE billing.account ALTER name SET NOT NULL', 'sets NOT NULL'],
  ['ALTER TABLE billing.account ADD a int NOT NULL', 'does not fill'],
  ['ALTER TABLE billing.usage ADD id uuid DEFAULT gen_random_uuid()', 'rewrites'],
  ['ALTER TABLE billing.usage ADD CONSTRAINT a CHECK (cost_pico >= 0)', 'NOT VALID first'],
  [
    'ALTER TABLE billing.ledger_entry ADD FOREIGN KEY (number) REFERENCES billing.x (number)',
    'NOT VALID first',
  ],
  ['ALTER TABLE billing.usage ADD UNIQUE (request_id)', 'builds an index under a lock'],
  ['CREATE INDEX of_model ON billing.usage (model)', 'builds an index while'],
  ['CREATE UNIQUE INDEX of_model ON billing.audit_log (at)', 'builds an index while'],
  ['DROP TABLE billing.session', 'drops what'],
  ['DROP FUNCTION billing.check_entries', 'drops what'],
  ['LOCK TABLE billing.usage', 'locks'],
  ['TRUNCATE billing.usage_hour', 'locks'],
  ['REINDEX TABLE billing.usage', 'locks'],
])('%s is refused: it %s', (sql, why) => {
  expect(reasons(sql)).toEqual([expect.stringContaining(why)]);
});

test.each([
  'CREATE TABLE billing.new (a int PRIMARY KEY, b int NOT NULL); CREATE INDEX new_b ON billing.new (b)',
  'CREATE TABLE billing.new (a int); ALTER TABLE billing.new DROP a',
  "ALTER TABLE billing.usage ADD a int, ADD b text NOT NULL DEFAULT 'x, (y', ADD c timestamptz DEFAULT now()",
  'ALTER TABLE billing.account ADD a int CHECK (a > 0), ALTER name DROP NOT NULL',
  'ALTER TABLE billing.usage ADD CONSTRAINT a CHECK (cost_pico >= 0) NOT VALID',
  'ALTER TABLE billing.usage VALIDATE CONSTRAINT a',
  'ALTER TABLE billing.usage ADD CONSTRAINT a UNIQUE USING INDEX a',
  'CREATE UNIQUE INDEX CONCURRENTLY a ON billing.audit_log (a)',
  'CREATE INDEX a ON ONLY billing.usage (a); ALTER INDEX billing.a ATTACH PARTITION billing.a_2026_11',
  'CREATE FUNCTION billing.f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN; DROP TABLE x; END $$',
  'SELECT 1 -- DROP TABLE billing.usage',
])('%s is allowed', (sql) => {
  expect(reasons(sql)).toEqual([]);
});

test('a migration that says why it is a contract may take away what nobody reads any more', () => {
  const sql = 'ALTER TABLE billing.account DROP a';
  expect(migrationFaults(migration(sql, `readonly contract = 'since 0.3 nothing reads it';`))).toEqual([]);
  expect(migrationFaults(migration(sql, `readonly contract = '';`))).toHaveLength(1);
});
