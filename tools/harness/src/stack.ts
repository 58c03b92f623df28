import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ownDatabase, ownRedis, type StoreOptions } from './own-stores.ts';
import { freePort } from './ports.ts';
import { isReady, type RunningProcess, startProcess } from './process.ts';
import { findProgram, seedStack, toServiceUrl } from './seed-stack.ts';
import { waitFor } from './wait-for.ts';

export interface StackOptions extends StoreOptions {
  /** Port of the front door. */
  readonly port: number;
  readonly admin: { readonly email: string; readonly password: string };
  /** A key of an earlier start, which is kept while it is there, or `new` to make one. */
  readonly apiKey: string;
  /** Ports of an earlier start, taken again so that what names them stays true. */
  readonly ports?: Readonly<Record<string, number>>;
  /** False where services connect as the role of `databaseUrl`, since nobody may make roles there. */
  readonly serviceRoles?: boolean;
  /** See `SeedOptions`. */
  readonly simulatorServes?: 'every' | undefined;
  readonly providerEnvironment?: Readonly<Record<string, string>> | undefined;
  /** More gateways beside the front door. */
  readonly moreGateways?: number;
  /** More billings, which take usage from the queue beside the first. Gateways ask them in turn: each has one of them. */
  readonly moreBillings?: number;
  /** Variables of a service that differ, given the Redis address. */
  readonly env?: (service: string, redisUrl: string) => Promise<Readonly<Record<string, string>>>;
  /** Services in few files, which start three times as fast, or file by file. */
  readonly form?: 'bundle' | 'dist' | undefined;
  /** Another checkout that is built, from which a service is started; this one where there is none. */
  readonly root?: (service: string) => string | undefined;
  /** Put before the program of a service: see `ProcessOptions`. */
  readonly prefix?: (service: string) => readonly string[];
  /** For what keeps one session longer than people are let before they prove once more who they are. */
  readonly longSessions?: boolean;
  /** Gives the start up: what runs so far is stopped again. */
  readonly signal?: AbortSignal;
  readonly say?: (text: string) => void;
}

export interface RunningStack {
  readonly baseUrl: string;
  readonly simulatorUrl: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly gatewayUrls: readonly string[];
  readonly apiKey: string;
  readonly accountId: string;
  /** What was done for the credentials of providers, in words. */
  readonly providers: readonly string[];
  readonly ports: Readonly<Record<string, number>>;
  readonly services: ReadonlyMap<string, { readonly url: string; readonly process: RunningProcess }>;
  stop(): Promise<void>;
}

const LONG_SESSIONS = {
  OPERATOR_SESSION_IDLE_HOURS: '24',
  OPERATOR_SESSION_MAX_HOURS: '24',
  REAUTHENTICATE_AFTER_MINUTES: '1440',
};

const READY_MS = 60_000;

/** The heap that Node takes in a container of 2 GiB. On a large machine it would let far more garbage lie before it looks. */
const GATEWAY_NODE_ARGS = ['--max-semi-space-size=32', '--max-old-space-size=1024'];
/** As in its image: each of V8's threads would keep what it freed in an arena of its own. */
export const GATEWAY_ENV = { MALLOC_ARENA_MAX: '2' };

/** Starts everything that a request meets, as separate processes, from the built programs. */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const say = options.say ?? (() => {});
  const undo: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    return await start(options, say, undo, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  options: StackOptions,
  say: (text: string) => void,
  undo: (() => Promise<void>)[],
  stop: () => Promise<void>,
): Promise<RunningStack> {
  const logs = join(options.home, 'logs');
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  const ports = await choosePorts(options);

  say('Starting PostgreSQL and Redis');
  const [databaseUrl, redisUrl] = await Promise.all([
    ownDatabase(options, ports['postgres'], undo),
    ownRedis(options, ports['redis'], undo),
  ]);

  options.signal?.throwIfAborted();
  say('Bringing the database up to date, with a first account and prices');
  const serviceUrl = (service: string) => toServiceUrl(options, databaseUrl, service);
  const url = (name: string) => `http://127.0.0.1:${ports[name]}`;
  const { template } = options;
  const first =
    template && template.simulatorPort === ports['simulator']
      ? template
      : await seedStack(options, { databaseUrl, redisUrl, simulatorUrl: url('simulator') });

  options.signal?.throwIfAborted();
  say('Starting the services');
  const environments = environmentsOf(options, ports, serviceUrl, redisUrl);
  const services = new Map<string, { url: string; process: RunningProcess }>();
  for (const [name, { app, env }] of Object.entries(environments)) {
    const changed = await options.env?.(name, redisUrl);
    const process = startProcess({
      name,
      script: findProgram(app, 'main', options.form, options.root?.(name)),
      nodeArgs: app === 'gateway' ? GATEWAY_NODE_ARGS : [],
      env: { ...env, ...changed },
      prefix: () => options.prefix?.(name) ?? [],
      logFile: join(logs, `${name}.log`),
      onCrash: (how, afterMs) => options.onCrash?.(name, how, afterMs),
      onStart: (pid) => options.onStart?.(name, pid),
    });
    services.set(name, { url: url(name), process });
  }
  // The gateways first: they must still find the others while they finish.
  undo.push(async () => {
    const all = [...services.values()].map(({ process }) => process);
    const isGateway = ({ name }: RunningProcess) => name.startsWith('gateway');
    await Promise.all(all.filter(isGateway).map((process) => process.stop()));
    await Promise.all(all.filter((process) => !isGateway(process)).map((process) => process.stop()));
  });
  for (const name of services.keys()) {
    const ready = () => {
      options.signal?.throwIfAborted();
      return isReady(url(name));
    };
    await waitFor(ready, `${name} (its log: ${join(logs, `${name}.log`)})`, READY_MS, 50);
    say(`  ${name} is ready`);
  }

  return {
    baseUrl: url('gateway'),
    simulatorUrl: url('simulator'),
    databaseUrl,
    redisUrl,
    gatewayUrls: [...services.keys()].filter((name) => name.startsWith('gateway')).map(url),
    apiKey: first.apiKey,
    accountId: first.accountId,
    providers: first.providers ?? [],
    ports,
    services,
    stop,
  };
}

async function choosePorts(options: StackOptions): Promise<Record<string, number>> {
  const single = ['simulator', 'pricing', 'pricing_tcp', 'billing', 'billing_tcp', 'postgres', 'redis'];
  const more = (name: string, count = 0) =>
    Array.from({ length: count }, (_, index) => `${name}-${index + 2}`);
  const billings = more('billing', options.moreBillings).flatMap((name) => [name, `${name}_tcp`]);
  const names = [...single, ...more('gateway', options.moreGateways), ...billings];
  const ports: Record<string, number> = { gateway: options.port };
  const preferred: StackOptions['ports'] = {
    ...(options.template && { simulator: options.template.simulatorPort }),
    ...options.ports,
  };
  for (const name of names) ports[name] = await freePort(preferred[name]);
  return ports;
}

function environmentsOf(
  options: StackOptions,
  ports: Readonly<Record<string, number>>,
  serviceUrl: (service: string) => string,
  redisUrl: string,
): Record<string, { app: string; env: Record<string, string> }> {
  const http = (name: string) => `http://127.0.0.1:${ports[name]}`;
  const tcp = (name: string) => `tcp://127.0.0.1:${ports[`${name}_tcp`]}`;
  const port = (name: string) => ({ HOST: '127.0.0.1', PORT: String(ports[name]) });
  const trusted = { SERVICE_SECRETS: options.secrets.service_secret, TRUSTED_PROXIES: '127.0.0.1' };
  const inner = (service: string) => ({
    ...port(service),
    ...trusted,
    DATABASE_URL: serviceUrl(service) || options.databaseUrl || '',
    REDIS_URL: redisUrl,
  });
  const named = (pattern: RegExp) => Object.keys(ports).filter((name) => pattern.test(name));
  const gateways = named(/^gateway/);
  const billings = named(/^billing(?:-\d+)?$/);
  /** No load balancer is before billing here. */
  const billingOf = (gateway: string) => billings[gateways.indexOf(gateway) % billings.length] ?? 'billing';
  const gateway = (name: string) => ({
    app: 'gateway',
    env: {
      ...GATEWAY_ENV,
      ...port(name),
      REDIS_URL: redisUrl,
      SEAL_KEY: options.secrets.seal_key,
      SERVICE_SECRETS: options.secrets.service_secret,
      BILLING_TCP_URL: tcp(billingOf(name)),
      PRICING_TCP_URL: tcp('pricing'),
      BILLING_HTTP_URL: http(billingOf(name)),
      PRICING_HTTP_URL: http('pricing'),
      SPOOL_DIR: join(options.home, 'spool', name),
      // Nobody balances the load here.
      DRAIN_S: '0',
      // Tests tell the simulator by it what to do.
      PASS_HEADERS: 'x-sim-script',
    },
  });
  const billing = (name: string) => ({
    app: 'billing',
    env: {
      ...inner('billing'),
      ...port(name),
      TCP_PORT: String(ports[`${name}_tcp`]),
      SESSION_SECRET: options.secrets.session_secret,
      PRICING_TCP_URL: tcp('pricing'),
      EXPORT_DIR: join(options.home, 'exports'),
      // Passkeys are bound to a name, and the address of this machine has none.
      PUBLIC_URL: `http://localhost:${options.port}`,
      ...(options.longSessions === true ? LONG_SESSIONS : {}),
    },
  });
  return {
    simulator: { app: 'simulator', env: port('simulator') },
    pricing: {
      app: 'pricing',
      env: {
        ...inner('pricing'),
        TCP_PORT: String(ports['pricing_tcp']),
        SEAL_KEY: options.secrets.seal_key,
        BILLING_TCP_URL: tcp('billing'),
      },
    },
    ...Object.fromEntries(billings.map((name) => [name, billing(name)])),
    ...Object.fromEntries(gateways.map((name) => [name, gateway(name)])),
  };
}
