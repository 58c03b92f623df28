import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  freePort,
  newStackSecrets,
  type RunningProcess,
  startProcess,
  startRedis,
  startStack,
  waitFor,
} from '@tollgate/harness';
import { answers } from './answers.ts';
import type { Contestant } from './contestant.ts';
import { startProxies } from './proxies.ts';
import { OPEN, OWNER, prepareTollgate, type Tollgate } from './tollgate.ts';

const HERE = import.meta.dirname;
const PEER = join(
  createRequire(import.meta.url).resolve('@portkey-ai/gateway/package.json'),
  '..',
  'build',
  'start-server.js',
);

export interface Arena {
  /** The references, the peer and Tollgate. */
  readonly contestants: readonly Contestant[];
  /** The upstream without anything before it. */
  readonly direct: Contestant;
  readonly tollgate: Tollgate;
  stop(): Promise<void>;
}

interface ArenaOptions {
  /** Where data and logs are. */
  readonly home: string;
  /** Variables of the gateway that differ, such as a profiler's. */
  readonly gatewayEnv?: Readonly<Record<string, string>>;
  /** Services in few files, as they are delivered, or file by file. */
  readonly form?: 'bundle' | 'dist';
  /** Where there are more than one, a second gateway of so many is a contestant too. */
  readonly processes?: number;
  /** A checkout that is built: its gateway is a contestant too, with the same billing, pricing and Redis. */
  readonly against?: string | undefined;
  /** Those that are wanted; all of them where nothing is said. */
  readonly only?: (name: string) => boolean;
}

const say = (text: string) => process.stderr.write(`${text}\n`);

type Undo = (() => Promise<unknown>)[];

/** Starts the upstream, the references, the peer and Tollgate in production mode, each in processes of its own. */
export async function openArena(options: ArenaOptions): Promise<Arena> {
  const { home, only = () => true } = options;
  const undo: Undo = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  mkdirSync(join(home, 'logs'), { recursive: true });
  try {
    const upstream = await startScript({
      name: 'upstream',
      home,
      undo,
      script: join(HERE, 'lean-upstream.ts'),
    });
    const upstreamUrl = `http://127.0.0.1:${upstream.port}`;
    const plain = await startPlain(home, upstreamUrl, undo);
    const proxies =
      only('nginx') || only('go') ? await startProxies({ home, upstreamPort: upstream.port, undo }) : [];
    const { tollgate, gateways } = await startGateways(options, upstreamUrl, undo);
    return {
      direct: { name: 'direct', ...upstream, headers: {}, others: {} },
      tollgate,
      contestants: [...proxies, ...plain, ...gateways].filter(({ name }) => only(name)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The least that a relay on this platform can be, and a peer. */
async function startPlain(home: string, upstreamUrl: string, undo: Undo): Promise<readonly Contestant[]> {
  const credential = { authorization: 'Bearer credential' };
  const bare = await startScript({
    name: 'bare',
    home,
    undo,
    script: join(HERE, 'bare-relay.ts'),
    ready: '/readyz',
    env: { UPSTREAM: upstreamUrl },
  });
  const peer = await startScript({
    name: 'portkey',
    home,
    undo,
    script: PEER,
    args: (port) => ['--headless', `--port=${port}`],
  });
  const routed = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${upstreamUrl}/v1` };
  return [
    { name: 'bare', ...bare, headers: credential, others: {} },
    { name: 'portkey', ...peer, headers: { ...credential, ...routed }, others: {} },
  ];
}

interface Script {
  readonly name: string;
  readonly home: string;
  readonly undo: Undo;
  readonly script: string;
  /** What it answers with success once it is ready. */
  readonly ready?: string;
  readonly args?: (port: number) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

async function startScript({ name, home, undo, script, ready = '/', args, env }: Script) {
  const port = await freePort();
  const logFile = join(home, 'logs', `${name}.log`);
  const variables = { PORT: String(port), NODE_OPTIONS: '--disable-warning=ExperimentalWarning', ...env };
  const process = startProcess({ name, script, args: args?.(port) ?? [], env: variables, logFile });
  undo.push(() => process.stop(2_000));
  await waitFor(() => answers(port, ready), `${name} (its log: ${logFile})`, 60_000, 50);
  return { port, pid: process.pid, restart: restarting(process, port, ready) };
}

const restarting = (process: RunningProcess, port: number, path: string) => async (): Promise<number> => {
  await process.stop();
  const startedAt = performance.now();
  process.start();
  await waitFor(() => answers(port, path), `${process.name} again`, 60_000, 5);
  return performance.now() - startedAt;
};

/** One stack, and each gateway of it that is measured. */
async function startGateways(
  { home, gatewayEnv = {}, form, processes = 1, against }: ArenaOptions,
  upstreamUrl: string,
  undo: Undo,
): Promise<{ readonly tollgate: Tollgate; readonly gateways: readonly Contestant[] }> {
  const more: readonly Contestant['name'][] = [
    ...(against === undefined ? [] : (['before'] as const)),
    ...(processes > 1 ? (['processes'] as const) : []),
  ];
  const services = new Map(more.map((name, index) => [`gateway-${index + 2}`, name]));
  const redis = await startRedis({ directory: join(home, 'redis') });
  undo.push(() => redis.stop());
  const stack = await startStack({
    longSessions: true,
    form,
    home,
    port: await freePort(),
    redisUrl: redis.url,
    secrets: newStackSecrets(),
    admin: OWNER,
    apiKey: 'new',
    moreGateways: more.length,
    env: (service) =>
      Promise.resolve({
        ...OPEN,
        ...(service === 'gateway' || services.get(service) === 'before' ? gatewayEnv : {}),
        ...(services.get(service) === 'processes' ? { GATEWAY_PROCESSES: String(processes) } : {}),
      }),
    root: (service) => (services.get(service) === 'before' ? against : undefined),
    say,
  });
  undo.push(() => stack.stop());
  const tollgate = await prepareTollgate(stack, upstreamUrl);
  const pidOf = (name: string) => () => stack.services.get(name)?.process.pid() ?? 0;
  const others = { redis: redis.pid, billing: pidOf('billing'), pricing: pidOf('pricing') };
  const gateway = (service: string, name: Contestant['name']): Contestant => {
    const { process, url } = stack.services.get(service) ?? {};
    const port = Number(new URL(url ?? stack.baseUrl).port);
    return {
      name,
      port,
      others,
      pid: pidOf(service),
      headers: { authorization: `Bearer ${tollgate.key}` },
      restart: process ? restarting(process, port, '/readyz') : () => Promise.resolve(Number.NaN),
    };
  };
  return {
    tollgate,
    gateways: [
      gateway('gateway', 'tollgate'),
      ...[...services].map(([service, name]) => gateway(service, name)),
    ],
  };
}
