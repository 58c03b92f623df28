import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findHaproxy, freePort, waitFor } from '@tollgate/harness';
import { startLoadBalancer } from '../reliability/load-balancer.ts';

const CONFIG = join(import.meta.dirname, '..', '..', '..', '..', 'docker', 'haproxy.cfg');

interface Front {
  /** What stands in front, for people. */
  readonly name: string;
  readonly url: string;
  /** How many gateways get requests at the moment. */
  ready(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * HAProxy with the configuration that compose gives it, but for the port and the addresses of the gateways.
 *
 * @throws with its own words when it does not take the configuration.
 */
async function startHaproxy(program: string, gateways: readonly string[]): Promise<Front> {
  const directory = mkdtempSync(join(tmpdir(), 'haproxy-'));
  const [socket, file] = [join(directory, 'stats'), join(directory, 'haproxy.cfg')];
  const port = await freePort();
  writeFileSync(file, configFor(gateways, port, socket));
  const child = spawn(program, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const said: string[] = [];
  child.on('error', ({ message }) => said.push(message));
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ready = async () => readyIn(await ask(socket, 'show stat'));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await waitFor(async () => {
      if (child.exitCode !== null || child.pid === undefined) throw new Error(said.join(''));
      return (await ready().catch(() => undefined)) !== undefined;
    }, 'HAProxy');
  } catch (error) {
    await stop();
    throw error;
  }
  return { name: 'HAProxy', url: `http://127.0.0.1:${port}`, ready, stop };
}

/** The file with these gateways in place of its own, on a port of this machine, with a socket that tells their state. */
function configFor(gateways: readonly string[], port: number, socket: string): string {
  const servers = gateways.map((url, index) => `    server gateway-${index + 1} ${new URL(url).host}`);
  let wasServer = false;
  const lines = readFileSync(CONFIG, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const isServer = line.startsWith('    server ');
      const isFirst = isServer && !wasServer;
      wasServer = isServer;
      if (isServer) return isFirst ? servers : [];
      if (line.trim() === 'bind :3000') return [`    bind 127.0.0.1:${port}`];
      return line === 'global' ? [line, `    stats socket ${socket}`] : [line];
    });
  return lines.join('\n');
}

const ask = (socket: string, question: string): Promise<string> => {
  const connection = connect(socket);
  connection.end(`${question}\n`);
  return text(connection);
};

/** The servers of the backend `ready` that are up. */
function readyIn(table: string): number {
  const [head = '', ...rows] = table.split('\n').map((line) => line.replace(/^# /, '').split(','));
  const [backend, server, status] = ['pxname', 'svname', 'status'].map((name) => [...head].indexOf(name));
  const at = (row: readonly string[], column = -1) => row[column] ?? '';
  return rows.filter(
    (row) =>
      at(row, backend) === 'ready' && at(row, server) !== 'BACKEND' && at(row, status).startsWith('UP'),
  ).length;
}

const say = (text: string): void => void process.stderr.write(`Scale-out: ${text}\n`);

/** What puts gateways behind one address: HAProxy, or our own balancer where there is none, which is said aloud. */
export function findFront(): (gateways: readonly string[]) => Promise<Front> {
  const program = findHaproxy(say);
  if (program !== undefined) return (gateways) => startHaproxy(program, gateways);
  say('there is no haproxy here and none could be installed: the balancer of these tests stands in for it.');
  return async (gateways) => {
    const { url, ready, stop } = await startLoadBalancer(gateways);
    return { name: 'a balancer of our own', url, ready: () => Promise.resolve(ready().length), stop };
  };
}
