// What the system says of the connection that a real PostgreSQL answers on.
import { createTestDatabase, readTcpTimer, tellsTcpTimers } from '@tollgate/harness';
import { createDataSource } from './data-source.ts';

(tellsTcpTimers ? test : test.skip)(
  'the system asks by and by whether the database is still there',
  async () => {
    const database = await createTestDatabase();
    const source = await createDataSource(database.url).initialize();
    try {
      const [row]: { port: number }[] = await source.query('SELECT inet_client_port() AS port');
      expect(readTcpTimer(row?.port ?? 0)).toBe('keep-alive');
    } finally {
      await source.destroy();
      await database.drop();
    }
  },
);
