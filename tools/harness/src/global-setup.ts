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
    // Nobody follows it, and databases are thrown away sooner than it pays to look after them.
    settings: { wal_level: 'minimal', max_wal_senders: '0', autovacuum: 'off', checkpoint_timeout: '1h' },
  });
  process.env['TEST_DATABASE_URL'] = postgres.url;
  running.set({ directory, postgres });
}
