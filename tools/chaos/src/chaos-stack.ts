import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Checkout,
  createDatabase,
  findProgram,
  freePort,
  isReady,
  newStackSecrets,
  redisCall,
  type RunningPostgres,
  type RunningProcess,
  type RunningRedis,
  type RunningStack,
  startPostgres,
  startRedis,
  startStack,
  waitFor,
} from '@tollgate/harness';
import { createBillingCrash } from './crash-billings.ts';
import { crashPostgres, listProcesses } from './crash-postgres.ts';
import { changeSpooledLine } from './damaged-spool.ts';
import type { GatewayEnd } from './evidence.ts';
import { type FarStores, startFarStores } from './far-stores.ts';
import type { Fault } from './faults.ts';
import type { ProgramMutation } from './program-mutations.ts';
import { SHARDS } from './usage-jobs.ts';

type MarkedMutation = ProgramMutation & { readonly mark: string };

export interface ChaosStack {
  readonly stack: RunningStack;
  readonly redis: RunningRedis;
  readonly home: string;
  readonly owner: { readonly email: string; readonly password: string };
  /** Does something to a part of the stack and takes it back. Resolves when that part is there again, or on its way. */
  cause(fault: Fault): Promise<void>;
  /** Ends the delay of what billings say to PostgreSQL and Redis, where there is one. */
  bringNear(): void;
  /** What the audit must know of the faults. */
  readonly redisLossesMs: readonly number[];
  readonly gatewayEnds: readonly GatewayEnd[];
  readonly damagedIds: ReadonlySet<string>;
  stop(): Promise<void>;
}

/** How long a service is of the earlier release: each takes orders, and answers the others, meanwhile. */
const ROLLED_BACK_MS = 10_000;
const READY_MS = 60_000;
const BILLINGS = ['billing', 'billing-2', 'billing-3'] as const;
const FROZEN_MS = 3_000;
const FULL_MS = 4_000;
const WRONG_CLOCK_MS = 3_000;
const TEN_YEARS_MS = 10 * 365.25 * 86_400_000;
const preload = (name: string): string => `--import=${join(import.meta.dirname, 'preload', `${name}.mjs`)}`;

/**
 * Two gateways, three billings that share the shards of one queue, pricing, the simulator, and a PostgreSQL and a Redis that
 * keep what they are given.
 */
export async function startChaosStack(
  home: string,
  {
    mutation,
    older,
    delayMs = 0,
  }: {
    readonly mutation?: MarkedMutation | undefined;
    readonly older?: Checkout | undefined;
    readonly delayMs?: number | undefined;
  },
): Promise<ChaosStack> {
  const form = mutation ? 'dist' : 'bundle';
  const settings = {
    directory: join(home, 'postgres'),
    password: randomBytes(16).toString('hex'),
    port: await freePort(),
  };
  const redisHome = join(home, 'redis');
  const owner = { email: 'owner@chaos.example', password: randomBytes(16).toString('hex') };
  let postgres: RunningPostgres = await startPostgres(settings);
  const redis = await startRedis({ directory: redisHome });
  let far: FarStores | undefined;
  const stopServers = async () => {
    await far?.stop();
    await redis.stop();
    await postgres.stop();
  };
  let isDiskFull = false;
  let damage: (() => void) | undefined;
  const redisLossesMs: number[] = [];
  const gatewayEnds: GatewayEnd[] = [];
  const damagedIds = new Set<string>();
  const clockFile = (service: string) => join(home, `clock-of-${service}`);

  try {
    const databaseUrl = await createDatabase(postgres.url, 'tollgate');
    if (delayMs > 0) far = await startFarStores(databaseUrl, redis.url, delayMs);
    const started = await startStack({
      longSessions: true,
      home,
      port: await freePort(),
      secrets: { ...newStackSecrets(), postgres_password: settings.password },
      admin: owner,
      apiKey: 'new',
      databaseUrl: far?.databaseUrl ?? databaseUrl,
      redisUrl: redis.url,
      moreGateways: 1,
      moreBillings: BILLINGS.length - 1,
      // A mutation names the file that it changes.
      form,
      env: async (service) => ({
        ...environmentOf(service, clockFile(service), mutation),
        ...(far && service.startsWith('billing') ? { REDIS_URL: far.redisUrl } : {}),
      }),
      prefix(service) {
        if (service !== 'gateway-2') return [];
        damage?.();
        damage = undefined;
        // A process that may write no file as long as a usage event; its log goes nowhere, for that is a file too.
        return isDiskFull ? ['sh', '-c', 'ulimit -S -f 1; exec "$@" > /dev/null 2>&1', 'sh'] : [];
      },
    });
    const stack = { ...started, databaseUrl };
    far?.begin();

    const service = (name: string): RunningProcess => {
      const found = stack.services.get(name);
      if (!found) throw new Error(`there is no service ${name}`);
      return found.process;
    };
    const noteEnd = (name: string) =>
      gatewayEnds.push({ gateway: stack.services.get(name)?.url ?? '', atMs: Date.now() });
    const crashBillings = createBillingCrash(stack);
    const killGateway = (name: string) => {
      noteEnd(name);
      service(name).kill();
    };
    const restartGateway = async (name: string) => {
      noteEnd(name);
      await service(name).stop();
      service(name).start();
    };
    const restartWith = async (name: string, script: string) => {
      if (name.startsWith('gateway')) noteEnd(name);
      await service(name).stop();
      service(name).start({}, script);
      await waitFor(
        () => isReady(stack.services.get(name)?.url ?? ''),
        `${name} of ${script}`,
        READY_MS,
        100,
      );
    };
    const rollBack = async (name: string) => {
      if (!older) throw new Error('there is no earlier release to roll back to');
      const app = name.replace(/-\d+$/, '');
      try {
        await restartWith(name, older.program(app));
        await sleep(ROLLED_BACK_MS);
      } finally {
        await restartWith(name, findProgram(app, 'main', form));
      }
    };
    const loseRedis = async () => {
      redisLossesMs.push(Date.now());
      await crashRedis(redis, redisHome);
      redisLossesMs.push(Date.now());
    };
    const wrongClock = async (name: string, shiftMs: number) => {
      writeFileSync(clockFile(name), String(Math.round(shiftMs)));
      await sleep(WRONG_CLOCK_MS);
      rmSync(clockFile(name));
    };
    const causes: Readonly<Record<Fault, () => Promise<void> | void>> = {
      'kill gateway': () => killGateway('gateway'),
      'kill gateway-2': () => killGateway('gateway-2'),
      'kill billing': () => crashBillings('billing'),
      'kill billing-2': () => crashBillings('billing-2'),
      'kill billing-3': () => crashBillings('billing-3'),
      'kill billing-2 and billing-3': () => crashBillings('billing-2', 'billing-3'),
      'kill all billings': () => crashBillings(...BILLINGS),
      'kill pricing': () => service('pricing').kill(),
      'kill redis': () => crashRedis(redis),
      'kill redis with its data': loseRedis,
      async 'kill postgres'() {
        await crashPostgres(settings.directory);
        postgres = await startPostgres(settings);
      },
      'freeze gateway': () => freeze([service('gateway').pid()]),
      'freeze billing': () => freeze([service('billing').pid()]),
      'freeze pricing': () => freeze([service('pricing').pid()]),
      'freeze redis': () => freeze([redis.pid()]),
      'freeze postgres': () => freeze(listProcesses(settings.directory)),
      'roll back gateway-2': () => rollBack('gateway-2'),
      'roll back billing': () => rollBack('billing'),
      'roll back pricing': () => rollBack('pricing'),
      async 'fill the disk of gateway-2'() {
        isDiskFull = true;
        await restartGateway('gateway-2');
        await sleep(FULL_MS);
        isDiskFull = false;
        await restartGateway('gateway-2');
      },
      async 'fill redis'() {
        await redisCall(redis.port, 'CONFIG', 'SET', 'maxmemory', '1');
        await sleep(FULL_MS);
        await redisCall(redis.port, 'CONFIG', 'SET', 'maxmemory', '0');
      },
      'set the clock of gateway to 2036': () => wrongClock('gateway', TEN_YEARS_MS),
      'set the clock of gateway-2 to 1970': () => wrongClock('gateway-2', 86_400_000 - Date.now()),
      async 'change a line in the spool of gateway-2'() {
        // Nobody else may know the event: no billing posts, and Redis forgets what it was given.
        for (const name of BILLINGS) service(name).freeze();
        await sleep(1_000);
        damage = () => {
          const id = changeSpooledLine(join(home, 'spool', 'gateway-2'));
          if (id !== undefined) damagedIds.add(id);
        };
        killGateway('gateway-2');
        await loseRedis();
        await sleep(500);
        for (const name of BILLINGS) service(name).thaw();
      },
    };
    return {
      stack,
      redis,
      home,
      owner,
      redisLossesMs,
      gatewayEnds,
      damagedIds,
      cause: async (fault) => causes[fault](),
      bringNear: () => far?.end(),
      async stop() {
        await stack.stop();
        await stopServers();
      },
    };
  } catch (error) {
    await stopServers();
    throw error;
  }
}

function environmentOf(
  service: string,
  clockFile: string,
  mutation: MarkedMutation | undefined,
): Record<string, string> {
  const isGateway = service.startsWith('gateway');
  const isMutated = mutation !== undefined && service.startsWith(mutation.service);
  const preloads = [
    ...(isGateway ? [preload('shift-clock')] : []),
    ...(isMutated ? [preload('mutate')] : []),
  ];
  return {
    ...(preloads.length > 0 ? { NODE_OPTIONS: preloads.join(' ') } : {}),
    ...(isGateway ? { SHIFT_CLOCK_FILE: clockFile, USAGE_QUEUE_SHARDS: String(SHARDS) } : {}),
    ...(isMutated ? { MUTATION: JSON.stringify(mutation) } : {}),
  };
}

async function freeze(pids: readonly number[]): Promise<void> {
  signal(pids, 'SIGSTOP');
  await sleep(FROZEN_MS);
  signal(pids, 'SIGCONT');
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It ended meanwhile.
    }
  }
}

/** @param lost where its files are, which a disk that died took with it. */
async function crashRedis(redis: RunningRedis, lost?: string): Promise<void> {
  await redis.kill();
  if (lost !== undefined) rmSync(join(lost, 'appendonlydir'), { recursive: true, force: true });
  await redis.restart();
}
