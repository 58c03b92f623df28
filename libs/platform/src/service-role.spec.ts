import { createTestDatabase, type TestDatabase } from '@tollgate/harness';
import pg from 'pg';
import { admitServiceRole } from './service-role.ts';

let database: TestDatabase;
let owner: pg.Client;
let serviceUrl: string;
const clients: pg.Client[] = [];

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  clients.push(client);
  return client;
}
const runs = { query: async (sql: string, values?: unknown[]) => (await owner.query(sql, values)).rows };
const admit = (url = serviceUrl) => admitServiceRole(runs, ['books', 'books_archive'], url);

beforeEach(async () => {
  database = await createTestDatabase();
  owner = await connect(database.url);
  serviceUrl = database.serviceUrl('billing');
  await owner.query(`
    CREATE SCHEMA books; CREATE SCHEMA books_archive;
    CREATE TABLE books.entry (id bigint GENERATED ALWAYS AS IDENTITY, amount int NOT NULL);
    CREATE FUNCTION books.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'append only'; END $$;
    CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON books.entry EXECUTE FUNCTION books.refuse();
    CREATE SCHEMA elsewhere; CREATE TABLE elsewhere.secret (id int)`);
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.end();
  await database.drop();
});

test('a service writes rows of its schema, in tables too that are made later, and reads no other schema', async () => {
  await admit();
  await owner.query('CREATE TABLE books_archive.later (id int)');
  const service = await connect(serviceUrl);
  await service.query('INSERT INTO books.entry (amount) VALUES (1)');
  await service.query('INSERT INTO books_archive.later VALUES (1)');
  expect((await service.query('SELECT amount FROM books.entry')).rows).toEqual([{ amount: 1 }]);
  await expect(service.query('SELECT * FROM elsewhere.secret')).rejects.toThrow('permission denied');
});

test.each([
  ['SET session_replication_role = replica', 'permission denied'],
  ['ALTER TABLE books.entry DISABLE TRIGGER append_only', 'must be owner'],
  ['DROP TRIGGER append_only ON books.entry', 'must be owner'],
  [
    'CREATE OR REPLACE FUNCTION books.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
    'denied',
  ],
  ['TRUNCATE books.entry', 'permission denied'],
  ['DROP TABLE books.entry', 'must be owner'],
  ['ALTER TABLE books.entry DROP COLUMN amount', 'must be owner'],
  ['CREATE TABLE books.shadow (id int)', 'permission denied'],
  ['DELETE FROM books.entry', 'append only'],
  ['CREATE ROLE other', 'permission denied'],
])('a service cannot %s', async (sql, refusal) => {
  await admit();
  await owner.query('INSERT INTO books.entry (amount) VALUES (1)');
  const service = await connect(serviceUrl);
  await expect(service.query(sql)).rejects.toThrow(refusal);
});

test('a second migration changes nothing but the password, which is taken from the address again', async () => {
  await admit();
  const changed = new URL(serviceUrl);
  changed.password = 'o\'ther%2F"';
  await admit(changed.href);
  expect((await (await connect(changed.href)).query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await expect(connect(serviceUrl)).rejects.toThrow('password authentication failed');
});

test.each([
  ['who migrates', (url: URL) => (url.username = new URL(database.url).username), 'need a role of their own'],
  [
    'a superuser',
    () => owner.query(`CREATE ROLE "${new URL(serviceUrl).username}" SUPERUSER`),
    'owns nothing',
  ],
  [
    'an owner of tables',
    () => {
      const name = new URL(serviceUrl).username;
      return owner.query(`CREATE ROLE "${name}"; ALTER TABLE elsewhere.secret OWNER TO "${name}"`);
    },
    'owns nothing',
  ],
])('%s is no role for a service', async (_, arrange, refusal) => {
  const url = new URL(serviceUrl);
  await arrange(url);
  await expect(admit(url.href)).rejects.toThrow(refusal);
});

test('who may make no roles says which one is missing', async () => {
  const plain = new URL(database.serviceUrl('pricing'));
  await owner.query(`CREATE ROLE "${plain.username}" LOGIN PASSWORD 'test'`);
  const client = await connect(plain.href);
  const query = async (sql: string, values?: unknown[]) => (await client.query(sql, values)).rows;
  await expect(admitServiceRole({ query }, ['books'], serviceUrl)).rejects.toThrow('CREATE ROLE');
});

/** An owner that is no superuser, as CloudNativePG makes it with `ALTER ROLE … CREATEROLE`. */
async function connectOwner(): Promise<pg.Client> {
  const url = new URL(database.serviceUrl('pricing'));
  await owner.query(`CREATE ROLE "${url.username}" LOGIN CREATEROLE PASSWORD 'test'`);
  await owner.query(`GRANT CREATE ON DATABASE "${url.pathname.slice(1)}" TO "${url.username}"`);
  const client = await connect(url.href);
  await client.query('CREATE SCHEMA own; CREATE TABLE own.entry (id int)');
  return client;
}

test('who may make roles, and is no superuser, makes it and changes its password', async () => {
  const client = await connectOwner();
  const query = async (sql: string, values?: unknown[]) => (await client.query(sql, values)).rows;
  await admitServiceRole({ query }, ['own'], serviceUrl);
  const changed = new URL(serviceUrl);
  changed.password = 'other';
  await admitServiceRole({ query }, ['own'], changed.href);
  await (await connect(changed.href)).query('INSERT INTO own.entry VALUES (1)');
});

test('a role that somebody else made keeps its password, where the owner may not change it', async () => {
  const client = await connectOwner();
  const query = async (sql: string, values?: unknown[]) => (await client.query(sql, values)).rows;
  await owner.query(`CREATE ROLE "${new URL(serviceUrl).username}" LOGIN PASSWORD 'test'`);
  await admitServiceRole({ query }, ['own'], serviceUrl);
  await (await connect(serviceUrl)).query('INSERT INTO own.entry VALUES (1)');
});
