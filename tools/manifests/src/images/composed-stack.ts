import { randomBytes } from 'node:crypto';
import { waitFor } from '@tollgate/harness';
import { z } from 'zod';
import { readCompose } from '../compose.ts';
import { fillIn, toRunArguments, type Values } from './compose-arguments.ts';
import type { Podman } from './podman.ts';

const READY_MS = 60_000;
const PROXY_PORT = 3000;
const COMMAND = 'cli';

/** In place of PostgreSQL's, Valkey's and HAProxy's own images, which are in a registry: Debian's packages of them. */
export const SERVERS_IMAGE = 'localhost/tollgate-servers:trixie';
export const SERVERS_PACKAGES = ['postgresql', 'valkey-server', 'valkey-tools', 'haproxy'];

/** What PostgreSQL's own image does when its volume is empty, with the same variables. */
const START_POSTGRES = `
set -e
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH; data=/var/lib/postgresql/tollgate
if [ ! -d $data ]; then
  printf %s "$POSTGRES_PASSWORD" > /tmp/password
  initdb -D $data -U "$POSTGRES_USER" --pwfile=/tmp/password -A scram-sha-256 > /dev/null
  echo 'host all all all scram-sha-256' >> $data/pg_hba.conf
  echo "CREATE DATABASE $POSTGRES_DB" | postgres --single -D $data postgres > /dev/null
fi
exec postgres -D $data -c listen_addresses='*'
`;
const OUTSIDE: Readonly<Record<string, { options: readonly string[]; command: readonly string[] }>> = {
  postgres: {
    options: ['--user', 'postgres', '--tmpfs', '/run/postgresql:mode=1777'],
    command: ['bash', '-c', START_POSTGRES],
  },
  redis: { options: [], command: [] },
  proxy: { options: [], command: ['haproxy', '-W', '-db', '-f', '/usr/local/etc/haproxy/haproxy.cfg'] },
};

export interface ComposedStack {
  /** Where the proxy is reached from this machine. */
  readonly url: string;
  readonly apiKey: string;
  readonly admin: { readonly email: string; readonly password: string };
  /** Seconds from the start of a container to its first good answer. */
  readonly startS: ReadonlyMap<string, number>;
  readonly start: (name: string) => Promise<number>;
  readonly addressOf: (name: string) => Promise<string>;
  readonly query: (sql: string) => Promise<string>;
  /** What `docker compose run --rm -e NAME=value cli <args>` writes. */
  readonly command: (args: readonly string[], environment?: Values) => Promise<string>;
}

const password = () => randomBytes(24).toString('hex');
const key = () => randomBytes(32).toString('base64');

const newValues = (version: string): Values => ({
  TOLLGATE_VERSION: version,
  POSTGRES_PASSWORD: password(),
  SERVICE_DATABASE_PASSWORD: password(),
  REDIS_PASSWORD: password(),
  SEAL_KEY: key(),
  FACTOR_SEAL_KEY: key(),
  SESSION_SECRET: password(),
  SERVICE_SECRETS: password(),
  GRAFANA_PASSWORD: password(),
  SEED_ADMIN_PASSWORD: password(),
});

const inspected = z.array(
  z.object({
    NetworkSettings: z.object({ Networks: z.record(z.string(), z.object({ IPAddress: z.string() })) }),
  }),
);

/** Makes the networks of the compose file: `inside` has no way out, and the addresses that it says. */
async function createNetworks(podman: Podman): Promise<void> {
  for (const [name, { internal, ipam }] of Object.entries(readCompose().networks)) {
    const ranges = (ipam?.config ?? []).flatMap(({ subnet, ip_range: range }) => [
      ...['--subnet', subnet],
      ...(range ? ['--ip-range', range] : []),
    ]);
    await podman.run(['network', 'create', ...(internal ? ['--internal'] : []), ...ranges, name]);
  }
}

/** Starts, finishes and asks single services of the compose file. */
function operateServices(podman: Podman, values: Values, say: (text: string) => void) {
  const { services } = readCompose();
  const startS = new Map<string, number>();
  const launch = async (name: string) => {
    const outside = OUTSIDE[name];
    const service = services[name];
    if (!service) throw new Error(`docker/compose.yaml has no service "${name}".`);
    const [run = '', ...rest] = toRunArguments(name, service, values, outside && SERVERS_IMAGE);
    await podman.run([run, ...(outside?.options ?? []), ...rest, ...(outside?.command ?? [])]);
  };
  const addressOf = async (name: string) => {
    const [found] = inspected.parse(JSON.parse(await podman.run(['inspect', name])));
    return found?.NetworkSettings.Networks['inside']?.IPAddress ?? '';
  };
  const untilHealthy = (name: string) =>
    waitFor(
      () =>
        podman.run(['healthcheck', 'run', name]).then(
          () => true,
          () => false,
        ),
      `the health of ${name}`,
      READY_MS,
      500,
    );
  const untilReady = async (name: string, from: number) => {
    const url = `http://${await addressOf(name)}:${portOf(name)}/readyz`;
    await waitFor(async () => (await fetch(url).catch(() => undefined))?.ok, `${name} at ${url}`, READY_MS);
    const took = (performance.now() - from) / 1_000;
    await untilHealthy(name);
    return took;
  };
  return {
    startS,
    launch,
    addressOf,
    untilHealthy,
    untilReady,
    begin: async (name: string) => {
      const from = performance.now();
      await launch(name);
      const took = await untilReady(name, from);
      startS.set(name, took);
      say(`${name} is ready after ${took.toFixed(1)} s, and healthy by its own check`);
    },
    /** @returns the last line of its log. */
    finish: async (name: string) => {
      await launch(name);
      const code = (await podman.run(['wait', name])).trim();
      const log = await podman.run(['logs', name]);
      if (code !== '0') throw new Error(`${name} ended with ${code}:\n${log}`);
      say(`${name} is done`);
      return log.trim().split('\n').at(-1) ?? '';
    },
  };
}

/** Runs the service `cli` once, with other arguments and more of its environment. */
async function runCommandOnce(
  podman: Podman,
  values: Values,
  args: readonly string[],
  environment: Values = {},
): Promise<string> {
  const service = readCompose().services[COMMAND];
  if (!service) throw new Error(`docker/compose.yaml has no service "${COMMAND}".`);
  const of = { ...service, command: [...args], environment: { ...service.environment, ...environment } };
  try {
    await podman.run(toRunArguments(COMMAND, of, values));
    const code = (await podman.run(['wait', COMMAND])).trim();
    const said = await podman.run(['logs', COMMAND]);
    if (code !== '0') throw new Error(`tollgate ${args.join(' ')} ended with ${code}:\n${said}`);
    return said;
  } finally {
    await podman.run(['rm', '--force', '--ignore', COMMAND]);
  }
}

/** Starts what `docker compose --profile dev up` starts, in its order, without what only shows metrics. */
export async function startComposedStack(
  podman: Podman,
  version: string,
  say: (text: string) => void,
): Promise<ComposedStack> {
  const values = newValues(version);
  const { startS, launch, addressOf, untilHealthy, untilReady, begin, finish } = operateServices(
    podman,
    values,
    say,
  );
  await createNetworks(podman);
  for (const name of ['postgres', 'redis']) {
    await launch(name);
    await untilHealthy(name);
    say(`${name} is healthy`);
  }
  for (const name of ['migrate-billing', 'migrate-pricing']) await finish(name);
  await begin('simulator');
  const seeded = await finish('seed-billing');
  await finish('seed-pricing');
  for (const name of ['pricing', 'billing', 'gateway-1', 'gateway-2']) await begin(name);
  await launch('proxy');
  const url = `http://${await addressOf('proxy')}:${PROXY_PORT}`;
  await waitFor(async () => (await fetch(`${url}/`).catch(() => undefined))?.ok, 'the proxy', READY_MS, 200);
  say('proxy answers, with two gateways behind it');

  const made = z.object({ api_key: z.string(), admin: z.object({ email: z.string() }) });
  const { api_key: apiKey, admin } = made.parse(JSON.parse(seeded));
  return {
    url,
    apiKey,
    admin: { email: admin.email, password: fillIn('${SEED_ADMIN_PASSWORD:-}', values) },
    startS,
    addressOf,
    start: async (name) => {
      const from = performance.now();
      await podman.run(['start', name]);
      return untilReady(name, from);
    },
    command: (args, environment) => runCommandOnce(podman, values, args, environment),
    query: async (sql) => {
      const login = `postgres://tollgate:${values['POSTGRES_PASSWORD'] ?? ''}@127.0.0.1/tollgate`;
      return (await podman.run(['exec', 'postgres', 'psql', login, '-Atc', sql])).trim();
    },
  };
}

const portOf = (name: string): number =>
  name.startsWith('gateway') ? 3000 : name === 'billing' ? 4101 : name === 'pricing' ? 4201 : 4301;
