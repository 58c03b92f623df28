import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import packages from '../debian-packages.json' with { type: 'json' };
import { installWithApt } from './apt.ts';
import { findOnPath } from './on-path.ts';
import { freePort } from './ports.ts';
import { waitFor } from './wait-for.ts';

export interface RunningRedis {
  readonly url: string;
  readonly port: number;
  readonly pid: () => number;
  /** Ends it in order. */
  stop(): Promise<void>;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again on the same port with the same files. */
  restart(): Promise<void>;
}

const NAMES = ['redis-server', 'valkey-server'];
const PID_FILE = 'redis.pid';

/**
 * The Redis or Valkey server of this machine; on Debian and Ubuntu, as root, it is installed when it is missing.
 *
 * @throws with what to do when there is none and it cannot be installed.
 */
export function findRedis(say: (text: string) => void = () => {}): string {
  const found = findOnPath(NAMES);
  if (found) return found;
  installWithApt(packages.redis, say);
  const installed = findOnPath(NAMES);
  if (installed) return installed;
  throw new Error(
    [
      'Redis is needed and was not found. Do one of these and try again:',
      '  Debian, Ubuntu:  sudo apt-get install redis-server',
      '  Fedora:          sudo dnf install valkey',
      '  macOS:           brew install redis',
      '  anywhere:        set REDIS_URL to a Redis 7 or Valkey that runs already',
    ].join('\n'),
  );
}

interface RedisStartOptions {
  readonly directory?: string;
  readonly port?: number;
  /** Whoever connects must know it. */
  readonly password?: string;
  /** Any other settings, by the names that a configuration file has for them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The configuration file of a Sentinel: it is one in place of a server. */
  readonly sentinel?: string;
  /** Called when it ended without being asked to. */
  readonly onEnd?: (how: string) => void;
}

/** Starts a Redis on the loopback address. With a directory it keeps its data there, without one nothing. */
export async function startRedis(options: RedisStartOptions = {}): Promise<RunningRedis> {
  const program = findRedis();
  const port = options.port ?? (await freePort());
  const storage = options.directory
    ? [
        '--dir',
        options.directory,
        '--pidfile',
        join(options.directory, PID_FILE),
        '--appendonly',
        'yes',
        '--save',
        '',
      ]
    : // A replica, too, writes nothing into the directory that it was started from.
      ['--appendonly', 'no', '--save', '', '--repl-diskless-load', 'swapdb'];
  const settings = Object.entries(options.settings ?? {}).flatMap(([name, value]) => [
    `--${name}`,
    ...value.split(' '),
  ]);
  const server = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--maxmemory-policy',
    'noeviction',
    ...storage,
  ];
  let child: ChildProcess;
  let stopping: ChildProcess | undefined;
  if (options.directory) await endLeftover(options.directory);

  const launch = async () => {
    // A password comes by the standard input, for arguments are shown to everybody on the machine.
    const byInput = options.password ? ['-'] : [];
    const words = options.sentinel ? [options.sentinel, '--sentinel'] : [...server, ...settings, ...byInput];
    const started = spawn(program, words, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    started.stdin.on('error', () => {});
    started.stdin.end(options.password ? `requirepass ${options.password}\n` : '');
    child = started;
    await waitFor(() => {
      if (started.exitCode !== null)
        throw new Error(`${program} ended with exit code ${started.exitCode} (is port ${port} taken?)`);
      return answers(port, started.pid, options.password);
    }, `Redis on port ${port}`);
    started.once(
      'exit',
      (code, signal) => stopping === started || options.onEnd?.(signal ?? `exit code ${code}`),
    );
  };
  const end = async (signal: NodeJS.Signals) => {
    const ending = child;
    stopping = ending;
    if (ending.exitCode !== null || ending.signalCode !== null) return;
    const exited = new Promise((resolve) => ending.once('exit', resolve));
    ending.kill(signal);
    await exited;
  };
  await launch();
  return {
    url: `redis://${options.password ? `:${options.password}@` : ''}127.0.0.1:${port}`,
    port,
    pid: () => child.pid ?? 0,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    restart: launch,
  };
}

/** A server that a killed parent left behind still writes to the directory: it is asked to end. */
async function endLeftover(directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, PID_FILE);
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8'));
  if (Number.isInteger(pid) && isRedis(pid)) {
    process.kill(pid, 'SIGTERM');
    await waitFor(() => !isRedis(pid), 'the end of an earlier Redis');
  }
  rmSync(file, { force: true });
}

function isRedis(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const command = `/proc/${pid}/cmdline`;
    return !existsSync(command) || /redis|valkey/.test(readFileSync(command, 'utf8'));
  } catch {
    return false;
  }
}

/** Whether this very process answers: another server may have the port already. */
function answers(port: number, pid: number | undefined, password?: string): Promise<boolean> {
  return new Promise((resolve) => {
    const sign = password ? `AUTH ${password}\r\n` : '';
    const socket = connect(port, '127.0.0.1', () => socket.write(`${sign}INFO server\r\n`));
    socket.setTimeout(500, () => socket.destroy());
    let text = '';
    socket.on('data', (data) => {
      text += data.toString();
      const found = /process_id:(\d+)/.exec(text);
      if (!found) return;
      resolve(Number(found[1]) === pid);
      socket.destroy();
    });
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(false));
  });
}
