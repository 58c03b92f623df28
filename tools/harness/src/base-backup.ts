import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  chmod,
  chown,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { unprivileged } from './unprivileged.ts';

/** What a backup holds, with a checksum of every file. */
interface BackupManifest {
  readonly taken_at: string;
  readonly server_version: string;
  readonly start_wal: string;
  readonly end_lsn: string;
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

const MANIFEST = 'manifest.json';
const DATA = 'data';
/** What a server makes again: the directories stay, their contents do not come along. */
const EMPTIED =
  /^(?:pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\/./;
const LEFT_OUT =
  /^postmaster\.(?:pid|opts)$|(?:^|\/)pgsql_tmp|(?:^|\/)pg_internal\.init|^backup_label|^current_logfiles$/;

/**
 * Copies the data directory of a running PostgreSQL, with the write-ahead log that makes the copy whole. Nobody who
 * uses the server notices, but for the reading.
 *
 * @param options.url of any database of the server, for a superuser or who may call `pg_backup_start`.
 * @param options.directory the server's data directory, on this machine.
 * @param options.to is made; it must not be there. It is there only once it is complete.
 */
export async function takeBaseBackup(options: {
  readonly url: string;
  readonly directory: string;
  readonly to: string;
}): Promise<BackupManifest> {
  const { directory, to } = options;
  if (await exists(to)) throw new Error(`${to} is there already; a backup does not overwrite`);
  const partial = `${to}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(join(partial, DATA), { recursive: true, mode: 0o700 });
  const client = new pg.Client(options.url);
  await client.connect();
  try {
    const ask = async (sql: string) => (await client.query<Record<string, string>>(sql)).rows[0] ?? {};
    const taken_at = new Date().toISOString();
    const { server_version = '' } = await ask('SHOW server_version');
    // Until this session ends the server keeps the log that the copy needs.
    await ask(
      `SELECT pg_create_physical_replication_slot('tollgate_backup_' || pg_backend_pid(), true, true)`,
    );
    await ask(`SELECT pg_backup_start('tollgate', fast => true)`);
    await copyTree(directory, join(partial, DATA));
    const end = await ask(
      `SELECT lsn::text, pg_walfile_name(lsn) AS wal, labelfile FROM pg_backup_stop(wait_for_archive => false)`,
    );
    const label = end['labelfile'] ?? '';
    await writeFile(join(partial, DATA, 'backup_label'), label, { mode: 0o600 });
    const start_wal = /\(file ([0-9A-F]{24})\)/.exec(label)?.[1] ?? '';
    for (const name of await readdir(join(directory, 'pg_wal')))
      if (/^[0-9A-F]{24}$/.test(name) && name >= start_wal && name <= (end['wal'] ?? ''))
        await copyFile(join(directory, 'pg_wal', name), join(partial, DATA, 'pg_wal', name));
    const manifest: BackupManifest = {
      taken_at,
      server_version,
      start_wal,
      end_lsn: end['lsn'] ?? '',
      files: await measure(join(partial, DATA)),
    };
    await writeFile(join(partial, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    await rename(partial, to);
    return manifest;
  } finally {
    await client.end();
  }
}

/**
 * Makes a data directory from a backup. The server that is started on it recovers by itself: to the end of the backup,
 * or with an archive to the last of what was archived, or to `until`.
 *
 * @param options.archive the directory that the lost server's `archive_command` copied its log to.
 * @throws when the directory is not empty, or a file of the backup is not what it was.
 */
export async function restoreBaseBackup(options: {
  readonly from: string;
  readonly directory: string;
  readonly archive?: string;
  readonly until?: Date;
}): Promise<BackupManifest> {
  const { from, directory, archive, until } = options;
  if ((await exists(directory)) && (await readdir(directory)).length > 0)
    throw new Error(`${directory} is not empty; move it away first`);
  const manifest = JSON.parse(await readFile(join(from, MANIFEST), 'utf8')) as BackupManifest;
  const found = await measure(join(from, DATA));
  const names = new Set([...Object.keys(manifest.files), ...Object.keys(found)]);
  for (const name of names)
    if (found[name]?.sha256 !== manifest.files[name]?.sha256)
      throw new Error(`the backup is damaged: ${name} is not what was written`);
  await mkdir(directory, { recursive: true });
  await chmod(directory, 0o700);
  await copyTree(join(from, DATA), directory, true);
  if (archive !== undefined) {
    const quoted = archive.replaceAll("'", "''");
    const settings = [
      `restore_command = 'cp "${quoted}/%f" "%p"'`,
      `recovery_target_action = 'promote'`,
      ...(until ? [`recovery_target_time = '${until.toISOString()}'`] : []),
    ];
    await writeFile(join(directory, 'postgresql.auto.conf'), `${settings.join('\n')}\n`, { flag: 'a' });
    await writeFile(join(directory, 'recovery.signal'), '');
  }
  await giveToServer(directory);
  return manifest;
}

/** Where the server runs as a user of its own, the files are that user's. */
async function giveToServer(directory: string): Promise<void> {
  const { owner } = unprivileged();
  if (!owner) return;
  const paths = (await treeOf(directory)).map(({ parentPath, name }) => join(directory, parentPath, name));
  for (const path of [directory, ...paths]) await chown(path, owner.uid, owner.gid);
}

/** The setting of PostgreSQL that copies each finished file of its log to a directory, and overwrites none there. */
export const archiveCommand = (archive: string): string =>
  `test ! -f "${archive}/%f" && cp "%p" "${archive}/%f.part" && mv "${archive}/%f.part" "${archive}/%f"`;

/** A file that the server removes meanwhile is none that the copy needs: the log says that it went. */
async function copyTree(from: string, to: string, whole = false): Promise<void> {
  for (const { parentPath, name, kind } of await treeOf(from)) {
    const path = join(parentPath, name);
    if (!whole && (LEFT_OUT.test(path) || EMPTIED.test(path))) continue;
    if (kind === 'directory') await mkdir(join(to, path), { recursive: true, mode: 0o700 });
    else await copyFile(join(from, path), join(to, path)).catch(unlessGone);
  }
}

interface Found {
  readonly parentPath: string;
  readonly name: string;
  readonly kind: 'directory' | 'file';
}

/** Directories before what is in them; paths are relative. */
async function treeOf(root: string, parentPath = ''): Promise<Found[]> {
  const found: Found[] = [];
  const entries = await readdir(join(root, parentPath), { withFileTypes: true }).catch(unlessGone);
  for (const entry of entries ?? []) {
    const { name } = entry;
    if (entry.isSymbolicLink() || (!entry.isDirectory() && !entry.isFile()))
      throw new Error(`${join(parentPath, name)} is no plain file; tablespaces are not backed up`);
    found.push({ parentPath, name, kind: entry.isDirectory() ? 'directory' : 'file' });
    if (entry.isDirectory()) found.push(...(await treeOf(root, join(parentPath, name))));
  }
  return found;
}

async function measure(root: string): Promise<BackupManifest['files']> {
  const files: Record<string, { bytes: number; sha256: string }> = {};
  for (const { parentPath, name, kind } of await treeOf(root)) {
    if (kind === 'directory') continue;
    const path = join(parentPath, name);
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(join(root, path))) hash.update(chunk as Buffer);
    files[path] = { bytes: (await stat(join(root, path))).size, sha256: hash.digest('hex') };
  }
  return files;
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
