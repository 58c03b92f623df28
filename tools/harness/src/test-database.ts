import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createDatabase, serviceAddress } from './postgres.ts';

export interface TestDatabase {
  /** As superuser: what owns the schema, and what a test looks with. */
  readonly url: string;
  /** As the role of a service, which its migration makes. */
  serviceUrl(service: 'billing' | 'pricing'): string;
  drop(): Promise<void>;
}

type Prepare = (url: string) => Promise<void>;

/** The names of databases that were prepared in this worker. They end with the server. */
const prepared = new Map<Prepare, Promise<string>>();

async function prepareDatabase(server: string, prepare: Prepare): Promise<string> {
  const name = newName('prepared');
  await prepare(await createDatabase(server, name));
  return name;
}

const newName = (what: string): string => `${what}_${randomBytes(6).toString('hex')}`;

/**
 * A fresh database in the test run's server.
 *
 * @param prepare what is done to it first. It is done once, and copied from then on.
 */
export async function createTestDatabase(prepare?: Prepare): Promise<TestDatabase> {
  const server = process.env['TEST_DATABASE_URL'];
  if (!server)
    throw new Error(
      'TEST_DATABASE_URL is not set: run the tests through Jest, whose global set-up starts a server',
    );
  if (prepare && !prepared.has(prepare)) prepared.set(prepare, prepareDatabase(server, prepare));
  const name = newName('test');
  const url = await createDatabase(server, name, prepare && (await prepared.get(prepare)));
  return {
    url,
    serviceUrl: (service) => serviceAddress(url, service, 'test'),
    async drop() {
      const client = new pg.Client(server);
      await client.connect();
      await client.query(`DROP DATABASE IF EXISTS ${client.escapeIdentifier(name)} WITH (FORCE)`);
      for (const service of ['billing', 'pricing'])
        await client.query(`DROP ROLE IF EXISTS ${client.escapeIdentifier(`${name}_${service}`)}`);
      await client.end();
    },
  };
}
