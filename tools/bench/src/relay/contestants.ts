import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  freePort,
  type RunningProcess,
  type RunningStack,
  startProcess,
  startRedis,
  startStack,
  waitFor,
  newStackSecrets,
} from '@tollgate/harness';

const HERE = import.meta.dirname;
const PEER = join(
  createRequire(import.meta.url).resolve('@portkey-ai/gateway/package.json'),
  '..',
  'build',
  'start-server.js',
);

/** A relay that is measured, and who else works for it. */
export interface Contestant {
  readonly name: 'direct' | 'bare' | 'portkey' | 'tollgate' | 'processes';
  readonly port: number;
  /** Headers that every request to it needs. */
  readonly headers: Readonly<Record<string, string>>;
  readonly pid: () => number;
  /** Other processes whose work is for this one's requests. */
  readonly others: Readonly<Record<string, () => number>>;
  /** Ends it and starts it again; resolves to the milliseconds from then until it was ready. */
  restart(): Promise<number>;
}

export interface Arena {
  /** The reference, the peer and Tollgate. */
  readonly contestants: readonly Contestant[];
  /** The upstream without anything before it. */
  readonly direct: Contestant;
  readonly tollgate: Tollgate;
  stop(): Promise<void>;
}

/** The stack that is measured, beside its front door. */
export interface Tollgate {
  readonly baseUrl: string;
  /** Calls the admin API as the owner. @throws for any answer that is no success. */
  admin<T = Record<string, unknown>>(method: string, path: string, body?: object): Promise<T>;
  readonly key: string;
  readonly databaseUrl: string;
  readonly accountId: string;
}

const say = (text: string) => process.stderr.write(`${text}\n`);

/**
 * Starts the upstream, the reference, the peer and Tollgate in production mode, each in processes of its own.
 *
 * @param gatewayEnv variables of the gateway that differ, such as a profiler's.
 * @param processes where there are more than one, a second gateway of so many is a contestant too.
 */
export async function openArena(
  home: string,
  gatewayEnv: Readonly<Record<string, string>> = {},
  processes = 1,
): Promise<Arena> {
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  const logs = join(home, 'logs');
  mkdirSync(logs, { recursive: true });
  const run = async (
    name: string,
    script: string,
    ready: string | undefined,
    env: (port: number) => object,
  ) => {
    const port = await freePort();
    const variables = {
      PORT: String(port),
      NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
      ...env(port),
    };
    const process = startProcess({ name, script, env: variables, logFile: join(logs, `${name}.log`) });
    undo.push(() => process.stop(2_000));
    await waitFor(
      () => answers(port, ready ?? '/'),
      `${name} (its log: ${join(logs, name)}.log)`,
      60_000,
      50,
    );
    return { port, pid: process.pid, restart: restarting(process, port, ready ?? '/') };
  };
  try {
    const upstream = await run('upstream', join(HERE, 'lean-upstream.ts'), undefined, () => ({}));
    const upstreamUrl = `http://127.0.0.1:${upstream.port}`;
    const bare = await run('bare', join(HERE, 'bare-relay.ts'), '/readyz', () => ({ UPSTREAM: upstreamUrl }));
    const peer = await startPeer(logs, undo);
    const redis = await startRedis({ directory: join(home, 'redis') });
    undo.push(() => redis.stop());
    const stack = await startStack({
      longSessions: true,
      home,
      port: await freePort(),
      redisUrl: redis.url,
      secrets: newStackSecrets(),
      admin: OWNER,
      apiKey: 'new',
      moreGateways: processes > 1 ? 1 : 0,
      env: (service) =>
        Promise.resolve({
          ...OPEN,
          ...(service === 'gateway' ? gatewayEnv : {}),
          ...(service === 'gateway-2' ? { GATEWAY_PROCESSES: String(processes) } : {}),
        }),
      say,
    });
    undo.push(() => stack.stop());
    const pidOf = (name: string) => () => stack.services.get(name)?.process.pid() ?? 0;
    const tollgate = await prepareTollgate(stack, upstreamUrl);
    const gatewayCalled = (name: Contestant['name'], service: string): Contestant => {
      const { process, url } = stack.services.get(service) ?? {};
      const port = Number(new URL(url ?? stack.baseUrl).port);
      return {
        name,
        port,
        headers: { authorization: `Bearer ${tollgate.key}` },
        pid: pidOf(service),
        others: { redis: redis.pid, billing: pidOf('billing'), pricing: pidOf('pricing') },
        restart: process ? restarting(process, port, '/readyz') : () => Promise.resolve(NaN),
      };
    };
    return {
      direct: { name: 'direct', ...upstream, headers: {}, others: {} },
      tollgate,
      contestants: [
        { name: 'bare', ...bare, headers: { authorization: 'Bearer credential' }, others: {} },
        {
          name: 'portkey',
          ...peer,
          headers: {
            authorization: 'Bearer credential',
            'x-portkey-provider': 'openai',
            'x-portkey-custom-host': `${upstreamUrl}/v1`,
          },
          others: {},
        },
        gatewayCalled('tollgate', 'gateway'),
        ...(processes > 1 ? [gatewayCalled('processes', 'gateway-2')] : []),
      ],
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startPeer(logs: string, undo: (() => Promise<unknown>)[]) {
  const port = await freePort();
  const process = startProcess({
    name: 'portkey',
    script: PEER,
    args: ['--headless', `--port=${port}`],
    env: { PORT: String(port) },
    logFile: join(logs, 'portkey.log'),
  });
  undo.push(() => process.stop(2_000));
  await waitFor(() => answers(port, '/'), 'portkey', 60_000, 50);
  return { port, pid: process.pid, restart: restarting(process, port, '/') };
}

const restarting = (process: RunningProcess, port: number, path: string) => async (): Promise<number> => {
  await process.stop();
  const startedAt = performance.now();
  process.start();
  await waitFor(() => answers(port, path), `${process.name} again`, 60_000, 5);
  return performance.now() - startedAt;
};

const OWNER = { email: 'owner@bench.example', password: randomBytes(16).toString('hex') };

/** The public routes are measured, not their limit for one address. */
const OPEN = { PUBLIC_REQUESTS_PER_MINUTE: '100000000' };

/** So high that nobody meets it, and a limit all the same: it is charged for every request. */
const LIMITS = { requests_per_minute: 100_000_000, tokens_per_minute: 10_000_000_000 };

async function prepareTollgate(stack: RunningStack, upstreamUrl: string): Promise<Tollgate> {
  const { baseUrl, databaseUrl, accountId } = stack;
  const login = await fetch(`${baseUrl}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(OWNER),
  });
  if (!login.ok) throw new Error(`sign-in failed with ${login.status}: ${await login.text()}`);
  const cookie = login.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const admin = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { cookie, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as T;
  };
  await admin('PUT', '/api/catalogue/limits', { client: LIMITS, key: LIMITS, route: {} });
  await admin('PUT', '/api/catalogue/upstreams/lean', {
    base_url: upstreamUrl,
    protocols: ['openai-chat'],
    credentials: [{ name: 'a', secret: 'credential' }],
    allow_private_addresses: true,
  });
  for (const name of ['lean', 'renamed'])
    await admin('PUT', `/api/catalogue/models/${name}`, {
      vendor: 'openai',
      prices: { input: 1_000_000, output: 3_000_000 },
      max_output_tokens: 4_000,
    });
  await admin('PUT', '/api/catalogue/groups/bench', {
    ratio: '1',
    models: ['*'],
    limits: LIMITS,
  });
  await admin('PUT', '/api/catalogue/pools/bench?before=simulated', {
    groups: ['bench'],
    models: ['*'],
    members: [{ upstream: 'lean', model_map: { renamed: 'lean' } }],
  });
  const { key } = await admin<{ key: string }>('POST', '/api/keys', { name: 'bench', group: 'bench' });
  await waitFor(async () => {
    const answer = await fetch(`${baseUrl}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    return (await answer.text()).includes('renamed');
  }, 'the models of the benchmark');
  return { baseUrl, admin, key, databaseUrl, accountId };
}

async function answers(port: number, path: string): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(1_000) });
    await answer.arrayBuffer();
    return path === '/' || answer.ok;
  } catch {
    return false;
  }
}
