import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressMatcher, isRangeWithin } from '@tollgate/platform';
import { parse } from 'yaml';
import { ownServices, readCompose } from './compose.ts';
import { toImageConfig, parseDockerfile } from './dockerfile.ts';
import { ROOT } from './manifest.ts';
import { readSettings } from './settings.ts';

const DOCKER = join(ROOT, 'docker');
const compose = readCompose();
const own = ownServices();
const dockerfile = parseDockerfile(readFileSync(join(DOCKER, 'Dockerfile'), 'utf8'));

/** A variable's value as Compose puts it in: what is required gets some text, what has a default its default. */
const filled = (value: string) =>
  value.replace(
    /\$\{(\w+):([-?])([^}]*)\}/g,
    (_all, name: string, kind: string, text: string) => STAND_INS[name] ?? (kind === '-' ? text : 'given'),
  );
const STAND_INS: Readonly<Record<string, string>> = {
  SEAL_KEY: Buffer.alloc(32).toString('base64'),
  SESSION_SECRET: 'x'.repeat(32),
  FACTOR_SEAL_KEY: Buffer.alloc(32, 2).toString('base64'),
  SERVICE_SECRETS: 'x'.repeat(32),
  // Whoever seeds gives one.
  SEED_ADMIN_PASSWORD: 'quite-hard-to-guess',
};

const settingsOf = (program: string, environment: Readonly<Record<string, string>>) => {
  const [app = ''] = program.split('/');
  const { env } = toImageConfig(dockerfile, app);
  const ofImage = program.endsWith('/main')
    ? Object.fromEntries(
        ['HOST', 'PORT', 'TCP_PORT'].flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
      )
    : {};
  const variables = Object.entries({ ...ofImage, ...environment } as Record<string, string>);
  return readSettings(
    program,
    variables.map(([name, value]) => ({ name, value: filled(value) })),
  );
};

test('all our services and programs are in it', () => {
  expect(own.map(({ program }) => program).sort()).toEqual([
    'billing/main',
    'billing/migrate',
    'billing/seed',
    'gateway/main',
    'gateway/main',
    'pricing/main',
    'pricing/migrate',
    'pricing/seed',
    'simulator/main',
  ]);
});

test.each(own.map((one) => [one.name, one] as const))(
  '%s can start with the settings it gets',
  (_name, one) => {
    expect(settingsOf(one.program, one.service.environment).faults).toEqual([]);
  },
);

test.each([...own.map(({ name }) => name), 'cli'])('%s may do nothing that it need not', (name) => {
  expect(compose.services[name]).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    ports: [],
  });
});

test('the command gets what its doctor looks at, but for a spool, which gateways alone have', () => {
  const { cli, 'migrate-billing': migration } = compose.services;
  expect(Object.keys(cli?.environment ?? {}).sort()).toEqual([
    'DATABASE_URL',
    'REDIS_URL',
    'SEAL_KEY',
    'TOLLGATE_URL',
  ]);
  expect(cli?.environment['DATABASE_URL']).toBe(migration?.environment['DATABASE_URL']);
  expect(cli?.networks).toEqual(['inside']);
});

test('whatever is not set in the file can be, in a file of settings beside it that need not be there', () => {
  const services = own.filter(({ program }) => /^(?:gateway|billing|pricing)\/main$/.test(program));
  expect(services).toHaveLength(4);
  for (const { program, service } of services)
    expect(service.env_file).toEqual([{ path: `${program.split('/')[0]}.env`, required: false }]);
  expect(readFileSync(join(ROOT, '.gitignore'), 'utf8')).toContain('\ndocker/*.env\n');
});

test('one service builds each image of ours, and those beside it neither build nor fetch it', () => {
  const images = Map.groupBy(
    Object.values(compose.services).filter(({ image }) => image.startsWith('tollgate/')),
    ({ image }) => image,
  );
  expect(images.size).toBe(5);
  for (const [image, services] of images) {
    const [target] = /(?<=\/)[a-z]+/.exec(image) ?? [];
    const building = services.filter(({ build }) => build !== undefined);
    expect(building.map(({ build }) => build?.target)).toEqual([target]);
    const others = services.filter(({ build }) => build === undefined);
    expect(others.filter(({ pull_policy }) => pull_policy !== 'never')).toEqual([]);
  }
});

test('images are pinned', () => {
  const images = Object.values(compose.services).map(({ image }) => filled(image));
  expect(images.filter((image) => !/:v?\d+\.\d+(?:\.\d+)?(?:-[a-z]+)?$/.test(image))).toEqual([]);
});

test('no secret has a default, and the example names every one that is required', () => {
  const text = readFileSync(join(DOCKER, 'compose.yaml'), 'utf8');
  const required = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name));
  expect([...required].sort()).toEqual([
    'FACTOR_SEAL_KEY',
    'GRAFANA_PASSWORD',
    'POSTGRES_PASSWORD',
    'REDIS_PASSWORD',
    'SEAL_KEY',
    'SERVICE_DATABASE_PASSWORD',
    'SERVICE_SECRETS',
    'SESSION_SECRET',
  ]);
  const example = readFileSync(join(DOCKER, 'env.example'), 'utf8');
  for (const name of required) expect(example).toContain(`\n${name}=\n`);
  expect(text.match(/\$\{\w*(?:SECRET|PASSWORD|KEY):-[^}]+\}/g)).toBeNull();
});

test('each gateway has a spool and a disk for uploads of its own, and time enough to stop', () => {
  const gateways = own.filter(({ program }) => program === 'gateway/main');
  const spools = gateways.flatMap(({ service }) => service.volumes.filter((one) => one.endsWith(':/spool')));
  expect(new Set(spools).size).toBe(gateways.length);
  const uploads = gateways.flatMap(({ service }) => {
    const { UPLOAD_DIR: directory } = settingsOf('gateway/main', service.environment).settings;
    return service.volumes.filter((one) => one.endsWith(`:${String(directory)}`));
  });
  expect(new Set(uploads).size).toBe(gateways.length);
  for (const { program, service } of own.filter(({ program }) =>
    /^(?:gateway|billing|pricing)\/main$/.test(program),
  )) {
    const { settings } = settingsOf(program, service.environment);
    const max = 2 * Number(settings['DRAIN_S'] ?? 0) + Number(settings['SHUTDOWN_GRACE_S']);
    expect(parseInt(service.stop_grace_period ?? '10s', 10)).toBeGreaterThan(max);
  }
});

test('PostgreSQL, Redis and the listeners are on a network that leads nowhere', () => {
  expect(compose.networks['inside']).toMatchObject({ internal: true });
  for (const name of ['postgres', 'redis', 'billing', 'pricing']) {
    expect(compose.services[name]).toMatchObject({ networks: ['inside'], ports: [] });
  }
});

test('what a proxy says is believed from the network that it shares with the gateways, and from no other', () => {
  const subnet = compose.networks['inside']?.ipam?.config[0]?.subnet;
  for (const name of ['gateway-1', 'gateway-2', 'billing', 'pricing']) {
    expect(compose.services[name]?.environment['TRUSTED_PROXIES']).toBe(subnet);
  }
  const networksOf = (name: string) => [compose.services[name]?.networks ?? []].flat();
  const shared = networksOf('proxy').filter((one) => networksOf('gateway-1').includes(one));
  expect(shared).toEqual(['inside']);
});

test('Prometheus alone is told the metrics, by an address that no other container is given', () => {
  const { networks } = compose.services['prometheus'] ?? { networks: [] };
  const address = Array.isArray(networks) ? undefined : networks['inside']?.ipv4_address;
  expect(address).toBeDefined();
  for (const name of ['gateway-1', 'gateway-2', 'billing', 'pricing'])
    expect(compose.services[name]?.environment['METRICS_FROM']).toBe(address);
  const { subnet = '', ip_range: given = '' } = compose.networks['inside']?.ipam?.config[0] ?? {};
  expect(addressMatcher([subnet])(address ?? '')).toBe(true);
  expect(isRangeWithin(given, subnet)).toBe(true);
  expect(addressMatcher([given])(address ?? '')).toBe(false);
});

test('the proxy and Prometheus know every gateway', () => {
  const proxy = readFileSync(join(DOCKER, 'haproxy.cfg'), 'utf8');
  const { scrape_configs: jobs } = parse(readFileSync(join(DOCKER, 'prometheus.yaml'), 'utf8')) as {
    scrape_configs: { static_configs: { targets: string[] }[] }[];
  };
  const scraped = jobs.flatMap(({ static_configs }) => static_configs.flatMap(({ targets }) => targets));
  expect(scraped).toEqual(['gateway-1:3000', 'gateway-2:3000', 'billing:4101', 'pricing:4201']);
  const servers = [...proxy.matchAll(/^ {4}server \S+ (\S+)$/gm)].map(([, address]) => address);
  expect(servers).toEqual(['gateway-1:3000', 'gateway-2:3000', 'gateway-1:3000', 'gateway-2:3000']);
});

test('the proxy learns that a gateway leaves before that stops, cuts no stream off, and sends nothing twice', () => {
  const proxy = readFileSync(join(DOCKER, 'haproxy.cfg'), 'utf8');
  const [, checks, inter, fall] = /(check) inter (\d+)s .*fall (\d+)/.exec(proxy) ?? [];
  expect(checks).toBe('check');
  const [gateway] = own.filter(({ program }) => program === 'gateway/main');
  const { settings } = settingsOf('gateway/main', gateway?.service.environment ?? {});
  expect(Number(inter) * Number(fall)).toBeLessThan(Number(settings['DRAIN_S']));
  const timeouts = [...proxy.matchAll(/timeout (client|server) +(\d+)h$/gm)].map(([, name]) => name);
  expect(timeouts.sort()).toEqual(['client', 'server']);
  expect([...proxy.matchAll(/^ +retry-on (.*)$/gm)].map(([, causes]) => causes)).toEqual(['conn-failure']);
  expect(proxy).not.toContain('on-marked-down');
});

test('the proxy asks the name server of whatever network it runs in, and outlives its silence', () => {
  const [, resolvers = ''] =
    /^resolvers network\n((?:[ ]{4}.*\n)+)/m.exec(readFileSync(join(DOCKER, 'haproxy.cfg'), 'utf8')) ?? [];
  expect(resolvers).toContain('    parse-resolv-conf\n');
  expect(resolvers).not.toContain('nameserver');
  const held = [...resolvers.matchAll(/hold (timeout|other|refused) +(\d+)h$/gm)].map(([, name, hours]) => [
    name,
    Number(hours) >= 24,
  ]);
  expect(held).toEqual([
    ['timeout', true],
    ['other', true],
    ['refused', true],
  ]);
});

test('every service sends its traces to the collector, at a port that it listens on', () => {
  const collector = parse(readFileSync(join(DOCKER, 'otel-collector.yaml'), 'utf8')) as {
    receivers: { otlp: { protocols: { http: { endpoint: string } } } };
    service: { pipelines: { traces: { receivers: string[] } } };
  };
  expect(collector.service.pipelines.traces.receivers).toEqual(['otlp']);
  const [, port] = collector.receivers.otlp.protocols.http.endpoint.split(':');
  const senders = own.filter(({ program }) => /^(?:gateway|billing|pricing)\/main$/.test(program));
  const urls = senders.map(({ service }) => service.environment['OTEL_EXPORTER_OTLP_ENDPOINT']);
  expect(urls).toEqual(senders.map(() => `http://otel-collector:${port}`));
});

test('what is mounted and what is waited for is there', () => {
  const files = Object.values(compose.services)
    .flatMap(({ volumes }) => volumes.map((one) => one.split(':')[0] ?? ''))
    .filter((source) => source.startsWith('./'));
  expect(files.length).toBeGreaterThan(3);
  expect(files.filter((file) => !existsSync(join(DOCKER, file)))).toEqual([]);
  const names = Object.keys(compose.services);
  const required = Object.values(compose.services).flatMap(({ depends_on }) => Object.keys(depends_on));
  expect(required.filter((name) => !names.includes(name))).toEqual([]);
  const volumes = Object.values(compose.services)
    .flatMap((service) => service.volumes.map((one) => one.split(':')[0] ?? ''))
    .filter((source) => !source.startsWith('.'));
  expect([...new Set(volumes)].sort()).toEqual(Object.keys(compose.volumes).sort());
});
