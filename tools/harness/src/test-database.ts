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

/** A fresh database in the test run's server. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = process.env['TEST_DATABASE_URL'];
  if (!server)
    throw new Error(
      'TEST_DATABASE_URL is not set: run the tests through Jest, whose global set-up starts a server',
    );
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = await createDatabase(server, name);
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
