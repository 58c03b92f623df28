// What the system says of the connections that a real PostgreSQL answers on.
import { createTestDatabase, readTcpTimer, tellsTcpTimers } from '@tollgate/harness';
import { openDatabases } from './data-source.ts';

(tellsTcpTimers ? test : test.skip)(
  'the system asks by and by whether the database is still there',
  async () => {
    const database = await createTestDatabase();
    const { close, ...pools } = await openDatabases(database.url);
    try {
      const timers = Object.values(pools).map(async (pool) => {
        const [row]: { port: number }[] = await pool.query('SELECT inet_client_port() AS port');
        return readTcpTimer(row?.port ?? 0);
      });
      expect(await Promise.all(timers)).toEqual(Array(4).fill('keep-alive'));
    } finally {
      await close();
      await database.drop();
    }
  },
);
