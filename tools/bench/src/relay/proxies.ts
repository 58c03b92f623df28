import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { freePort, waitFor } from '@tollgate/harness';
import { answers } from './answers.ts';
import type { Contestant } from './contestant.ts';

const say = (text: string) => process.stderr.write(`${text}\n`);

/** Whether a program is installed. */
const isInstalled = (name: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

interface ProxyOptions {
  readonly home: string;
  readonly upstreamPort: number;
  /** What ends them. */
  readonly undo: (() => Promise<unknown>)[];
}

/** Plain reverse proxies on other platforms, those that are installed: what can be had at the least for passing bytes on. */
export async function startProxies(options: ProxyOptions): Promise<readonly Contestant[]> {
  const started: Contestant[] = [];
  if (isInstalled('nginx')) started.push(await startNginx(options));
  else say('nginx is not installed, so it is not measured.');
  if (isInstalled('go')) started.push(await startGo(options));
  else say('Go is not installed, so its reverse proxy is not measured.');
  return started;
}

async function startNginx({ home, upstreamPort, undo }: ProxyOptions): Promise<Contestant> {
  const directory = join(home, 'nginx');
  mkdirSync(directory, { recursive: true });
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    join(directory, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${directory}/nginx.pid;
error_log stderr warn;
events { worker_connections 8192; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${directory}/${name};`).join('\n  ')}
  keepalive_requests 100000000;
  client_max_body_size 32m;
  client_body_buffer_size 1m;
  upstream lean { server 127.0.0.1:${upstreamPort}; keepalive 2048; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://lean;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`,
  );
  return startProgram('nginx', port, ['nginx', '-c', join(directory, 'nginx.conf')], { home, undo });
}

async function startGo({ home, upstreamPort, undo }: ProxyOptions): Promise<Contestant> {
  const program = join(home, 'reverse-proxy');
  const caches = { GOCACHE: join(home, 'go-cache'), GO111MODULE: 'off', HOME: home };
  execFileSync('go', ['build', '-o', program, join(import.meta.dirname, 'reverse-proxy.go')], {
    env: { ...process.env, ...caches },
  });
  const port = await freePort();
  const env = { PORT: String(port), UPSTREAM: `http://127.0.0.1:${upstreamPort}` };
  return startProgram('go', port, [program], { home, undo, env });
}

async function startProgram(
  name: 'nginx' | 'go',
  port: number,
  [program = '', ...args]: readonly string[],
  { home, undo, env = {} }: Omit<ProxyOptions, 'upstreamPort'> & { readonly env?: Record<string, string> },
): Promise<Contestant> {
  const log = join(home, 'logs', `${name}.log`);
  const file = openSync(log, 'a', 0o600);
  const start = () =>
    spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', file, file] });
  let child = start();
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    await once(child, 'exit');
  };
  const ready = () => waitFor(() => answers(port, '/'), `${name} (its log: ${log})`, 20_000, 5);
  undo.push(stop);
  await ready();
  return {
    name,
    port,
    headers: { authorization: 'Bearer credential' },
    pid: () => child.pid ?? 0,
    others: {},
    async restart() {
      await stop();
      const startedAt = performance.now();
      child = start();
      await ready();
      return performance.now() - startedAt;
    },
  };
}
