import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from './postgres.ts';
import { running } from './test-server.ts';

export default async function setup(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-pg-'));
  const postgres = await startPostgres({
    directory: join(directory, 'data'),
    password: 'test',
    durable: false,
  });
  process.env['TEST_DATABASE_URL'] = postgres.url;
  running.set({ directory, postgres });
}
