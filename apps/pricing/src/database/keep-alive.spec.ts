import { Socket } from 'node:net';
import { createTestDatabase } from '@tollgate/harness';
import { createDataSource } from './data-source.ts';

test('the system asks by and by whether the database is still there', async () => {
  const database = await createTestDatabase();
  const kept = jest.spyOn(Socket.prototype, 'setKeepAlive');
  const source = await createDataSource(database.url).initialize();
  try {
    await source.query('SELECT 1');
    expect(kept.mock.calls).toEqual([[true, 10_000]]);
  } finally {
    kept.mockRestore();
    await source.destroy();
    await database.drop();
  }
});
