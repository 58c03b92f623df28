import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packages from '../debian-packages.json' with { type: 'json' };
import { installWithApt } from './apt.ts';
import { findOnPath } from './on-path.ts';
import { freePort } from './ports.ts';
import { waitFor } from './wait-for.ts';

interface RunningMariadb {
  /** `mysql://` of a database that is empty, for a user who may make others. */
  readonly url: string;
  stop(): Promise<void>;
}

const DATABASE = 'relay';
const [USER, PASSWORD] = ['relay', 'of-nobody'];

/** Starts a MariaDB on the loopback address, which keeps nothing; undefined where there is none and none can be installed. */
export async function startMariadb(): Promise<RunningMariadb | undefined> {
  if (!findPrograms()) installWithApt(packages.mariadb, () => {});
  const programs = findPrograms();
  if (!programs) return undefined;
  const { server, install } = programs;
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-mariadb-'));
  const data = join(directory, 'data');
  mkdirSync(data);
  const own = ['--no-defaults', `--datadir=${data}`, ...(process.getuid?.() === 0 ? ['--user=root'] : [])];
  const made = spawnSync(install, [...own, '--auth-root-authentication-method=normal', '--skip-test-db'], {
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`MariaDB's tables could not be made:\n${made.stdout}${made.stderr}`);
  writeFileSync(join(directory, 'init.sql'), INIT.map((line) => `${line};\n`).join(''));
  const port = await freePort();
  const child = spawn(
    server,
    [
      ...own,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(directory, 'socket')}`,
      `--init-file=${join(directory, 'init.sql')}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const said: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => void said.push(chunk.toString()));
  const ended = once(child, 'exit');
  await waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`MariaDB ended:\n${said.join('')}`);
      return isOpen(port);
    },
    'MariaDB',
    60_000,
    100,
  );
  return {
    url: `mysql://${USER}:${PASSWORD}@127.0.0.1:${port}/${DATABASE}`,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** What makes the tables calls a program that newer releases have in the package of the client. */
function findPrograms(): { readonly server: string; readonly install: string } | undefined {
  const server = findOnPath(['mariadbd', 'mysqld']);
  const install = findOnPath(['mariadb-install-db']);
  return server && install && findOnPath(['my_print_defaults']) ? { server, install } : undefined;
}

/** What the server is told when it starts. */
const INIT = [
  `CREATE DATABASE ${DATABASE} CHARACTER SET utf8mb4`,
  `CREATE USER ${USER}@'127.0.0.1' IDENTIFIED BY '${PASSWORD}'`,
  `GRANT ALL ON *.* TO ${USER}@'127.0.0.1'`,
];

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
