import { createTestDatabase } from '@tollgate/harness';
import { Client } from 'pg';

export interface DatabaseClient {
  readonly client: Client;
  /** Ends the connection, and drops the database. */
  readonly close: () => Promise<void>;
}

/** A connection to an empty database of its own. */
export async function openDatabaseClient(): Promise<DatabaseClient> {
  const database = await createTestDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  return {
    client,
    async close() {
      await client.end();
      await database.drop();
    },
  };
}
