import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { endLeftoverPostgres, restoreBaseBackup, takeBaseBackup } from '@tollgate/harness';
import { takeHome } from './only-one.ts';

/** What `npm start` would lose and could not make again, beside the database. */
const KEPT = ['state.json', 'exports'] as const;

/**
 * Backs up the running deployment of a home directory: its PostgreSQL while it works, its secrets and its exports.
 *
 * @param into gets a directory for this backup, named after the moment.
 * @returns that directory.
 * @throws where the deployment does not run, or uses a PostgreSQL that is not its own.
 */
export async function backUpHome(home: string, into: string): Promise<string> {
  const directory = join(home, 'postgres');
  const running = join(home, 'dev.json');
  if (!existsSync(running)) throw new Error(`nothing runs from ${home}; start it with npm start first`);
  if (!existsSync(join(directory, 'PG_VERSION')))
    throw new Error(
      'this deployment uses a PostgreSQL of yours (DATABASE_URL): back that up, see docs/backup.md',
    );
  const { database_url } = JSON.parse(readFileSync(running, 'utf8')) as { database_url: string };
  const name = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const partial = join(into, `${name}.partial`);
  mkdirSync(partial, { recursive: true, mode: 0o700 });
  try {
    await takeBaseBackup({ url: database_url, directory, to: join(partial, 'postgres') });
    for (const part of KEPT)
      if (existsSync(join(home, part))) cpSync(join(home, part), join(partial, part), { recursive: true });
    const to = join(into, name);
    renameSync(partial, to);
    return to;
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Puts a deployment back to a backup of {@link backUpHome}. What was there is kept beside, below `before-<backup>`; spools
 * stay where they are, so that what they hold is still posted. So does Redis: it knows which versions of prices and of
 * credit were given since the backup, and by that the next start goes on above them.
 *
 * @throws while the deployment runs, or when the backup is damaged; then nothing has changed.
 */
export async function restoreHome(home: string, from: string): Promise<void> {
  const giveBack = takeHome(home);
  const fresh = join(home, 'postgres.restored');
  try {
    rmSync(fresh, { recursive: true, force: true });
    await restoreBaseBackup({ from: join(from, 'postgres'), directory: fresh });
    await endLeftoverPostgres(join(home, 'postgres'));
    const aside = join(home, `before-${basename(from)}`);
    if (existsSync(aside)) throw new Error(`${aside} is there from an earlier restore; move it away first`);
    mkdirSync(aside, { mode: 0o700 });
    for (const part of ['postgres', ...KEPT])
      if (existsSync(join(home, part))) renameSync(join(home, part), join(aside, part));
    renameSync(fresh, join(home, 'postgres'));
    for (const part of KEPT)
      if (existsSync(join(from, part))) cpSync(join(from, part), join(home, part), { recursive: true });
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    giveBack();
  }
}
