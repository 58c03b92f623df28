import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createDatabase } from './postgres.ts';

/** A fresh database in the test run's server. */
export async function createTestDatabase(): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const server = process.env['TEST_DATABASE_URL'];
  if (!server)
    throw new Error(
      'TEST_DATABASE_URL is not set: run the tests through Jest, whose global set-up starts a server',
    );
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = await createDatabase(server, name);
  return {
    url,
    async drop() {
      const client = new pg.Client(server);
      await client.connect();
      await client.query(`DROP DATABASE IF EXISTS ${client.escapeIdentifier(name)} WITH (FORCE)`);
      await client.end();
    },
  };
}
