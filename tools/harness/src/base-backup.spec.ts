import { appendFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { restoreBaseBackup, takeBaseBackup } from './base-backup.ts';
import { type RunningPostgres, startPostgres } from './postgres.ts';
import { waitFor } from './wait-for.ts';

const home = mkdtempSync(join(tmpdir(), 'tollgate-backup-'));
const [source, backup] = [join(home, 'source'), join(home, 'backup')];
let server: RunningPostgres;

beforeAll(async () => {
  server = await startPostgres({ directory: source, password: 'test', durable: false });
}, 60_000);
afterAll(async () => {
  await server?.stop();
  rmSync(home, { recursive: true, force: true });
});

async function ask<T extends object>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

test('a backup under writes holds whole transactions only, and all that were done when it began', async () => {
  await ask(server.url, 'CREATE TABLE pair (n int, side text, filler text)');
  const writer = new pg.Client(server.url);
  await writer.connect();
  let [written, stopped] = [0, false];
  const writing = (async () => {
    while (!stopped) {
      await writer.query('BEGIN');
      for (const side of ['left', 'right'])
        await writer.query('INSERT INTO pair VALUES ($1, $2, repeat($2, 200))', [written, side]);
      await writer.query('COMMIT');
      written += 1;
    }
    await writer.end();
  })();
  await waitFor(() => written > 20, 'some writes');
  let before: number;
  let manifest: Awaited<ReturnType<typeof takeBaseBackup>>;
  // A writer that gets no processor meanwhile shows nothing.
  do {
    rmSync(backup, { recursive: true, force: true });
    before = written;
    manifest = await takeBaseBackup({ url: server.url, directory: source, to: backup });
  } while (written === before);
  stopped = true;
  await writing;
  expect(Object.keys(manifest.files)).toContain(`pg_wal/${manifest.start_wal}`);
  expect(await ask(server.url, 'SELECT slot_name FROM pg_replication_slots')).toEqual([]);

  const directory = join(home, 'restored');
  await restoreBaseBackup({ from: backup, directory });
  const restored = await startPostgres({ directory, password: 'test', durable: false });
  try {
    const [found] = await ask<{ pairs: number; halves: number }>(
      restored.url,
      `SELECT count(*)::int AS pairs, (count(*) FILTER (WHERE sides <> 2))::int AS halves
       FROM (SELECT count(*) AS sides FROM pair GROUP BY n) AS each`,
    );
    expect(found?.halves).toBe(0);
    expect(found?.pairs).toBeGreaterThanOrEqual(before);
    expect(found?.pairs).toBeLessThanOrEqual(written);
  } finally {
    await restored.stop();
  }
}, 60_000);

test('a backup that is there is not overwritten, and a directory with data is not restored into', async () => {
  await expect(takeBaseBackup({ url: server.url, directory: source, to: backup })).rejects.toThrow(
    'is there already',
  );
  await expect(restoreBaseBackup({ from: backup, directory: source })).rejects.toThrow('is not empty');
});

test('a file of a backup that changed is named, and nothing is restored', async () => {
  const file = readdirSync(join(backup, 'data', 'global')).find((name) => /^\d+$/.test(name)) ?? '';
  appendFileSync(join(backup, 'data', 'global', file), 'x');
  const directory = join(home, 'damaged');
  await expect(restoreBaseBackup({ from: backup, directory })).rejects.toThrow(`global/${file}`);
  expect(existsSync(directory)).toBe(false);
});
