import { Socket } from 'node:net';
import { createTestDatabase } from '@tollgate/harness';
import { openDatabases } from './data-source.ts';

test('each pool has the system ask by and by whether its database is still there', async () => {
  const database = await createTestDatabase();
  const kept = jest.spyOn(Socket.prototype, 'setKeepAlive');
  const { close, ...pools } = await openDatabases(database.url);
  try {
    await Promise.all(Object.values(pools).map((pool) => pool.query('SELECT 1')));
    expect(kept.mock.calls).toEqual(Array(4).fill([true, 10_000]));
  } finally {
    kept.mockRestore();
    await close();
    await database.drop();
  }
});
