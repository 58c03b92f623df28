import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createTestDatabase, type RunningRedis, startRedis, waitFor } from '@tollgate/harness';
import { TARGETS } from './dockerfile-policies.ts';
import { type ImageEnvironment, openEnvironment } from './image-environment.ts';
import { type ImageProcess, startFromImage } from './image-process.ts';
import { chmodDirectories, type ImageTree, layOutImage } from './image-tree.ts';
import { listInstalledFor } from './locked-packages.ts';
import { listBadValues, SCHEMAS } from './settings.ts';

type Target = (typeof TARGETS)[number];

let directory: string;
let redis: RunningRedis;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let trees: Record<Target | 'cli', ImageTree>;
let environment: ImageEnvironment;
const processes = new Map<Target, ImageProcess>();

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tollgate-images-'));
  chmodSync(directory, 0o755);
  trees = Object.fromEntries(
    [...TARGETS, 'cli'].map((target) => [target, layOutImage(target, join(directory, target))]),
  ) as typeof trees;
  for (const { root } of Object.values(trees)) chmodDirectories(root, 0o555);
  [redis, database] = await Promise.all([startRedis(), createTestDatabase()]);
  environment = await openEnvironment(trees, directory, redis, database);
}, 180_000);

afterAll(async () => {
  for (const { process } of processes.values()) process.kill('SIGKILL');
  await Promise.all([...processes.values()].map(({ ended }) => ended));
  await Promise.all([redis.stop(), database.drop()]);
  for (const { root } of Object.values(trees)) chmodDirectories(root, 0o755);
  rmSync(directory, { recursive: true, force: true });
});

async function runToEnd(target: Target, program: string, env: Record<string, string>): Promise<string> {
  const run = startFromImage(trees[target], env, [`apps/${target}/bundle/${program}.js`]);
  expect({ code: await run.ended, output: run.output() }).toMatchObject({ code: 0 });
  return run.output();
}

async function startUntilReady(target: Target): Promise<void> {
  const started = startFromImage(trees[target], environment.of(target));
  processes.set(target, started);
  await waitFor(
    async () => {
      if (started.process.exitCode !== null) throw new Error(`${target} ended:\n${started.output()}`);
      return (await fetch(`${environment.url(target)}/readyz`).catch(() => undefined))?.ok;
    },
    `${target}:\n${started.output()}`,
    40_000,
  );
}

const read = <T>(target: Target, path: string): T =>
  JSON.parse(readFileSync(join(trees[target].workdir, path), 'utf8')) as T;
const readBundle = (target: Target) =>
  read<{ contains: string[]; loads: string[] }>(target, `apps/${target}/bundle/packages.json`);
const filesOf = (target: Target) => globSync('**', { cwd: trees[target].workdir }).sort();

test('an image holds its service and what that needs, and nothing of development', () => {
  for (const target of TARGETS) {
    const inTree = (path: string) => existsSync(join(trees[target].workdir, path));
    expect(inTree(`apps/${target}/bundle/main.js`)).toBe(true);
    expect(TARGETS.filter((other) => inTree(`apps/${other}`))).toEqual([target]);
    expect(inTree('apps/console/dist/index.html')).toBe(target === 'gateway');
    expect(inTree('libs')).toBe(false);
    expect(['jest', 'nx', 'react', 'openai'].filter((name) => inTree(`node_modules/${name}`))).toEqual([]);
    expect(filesOf(target).filter((path) => /\.spec\.js$|\.ts$/.test(path))).toEqual([]);
  }
});

test('of packages an image holds what its bundle loads from there, and names and licences of those in the bundle', () => {
  const holders = (path: string) =>
    TARGETS.filter((target) => existsSync(join(trees[target].workdir, 'node_modules', path)));
  expect(holders('@aws-sdk/client-s3/dist-cjs/index.js')).toEqual(['billing']);
  expect(holders('@aws-sdk/credential-providers/dist-cjs/index.js')).toEqual(['gateway']);
  expect(holders('pg/lib/index.js')).toEqual(['billing', 'pricing']);
  expect(holders('typeorm/package.json')).toEqual(['billing', 'pricing']);
  expect(holders('typeorm/index.js')).toEqual([]);
  expect(holders('undici/package.json')).toEqual(['gateway']);
  expect(holders('undici/LICENSE')).toEqual(['gateway']);
  expect(holders('undici/index.js')).toEqual([]);
  // One for the relay and the proxy of `/api`; see the overrides.
  expect(holders('@fastify/reply-from/node_modules/undici')).toEqual([]);
  // The one that an importer has is none of theirs, though what they have could use it.
  expect(holders('mysql2')).toEqual([]);
  expect(holders('supports-color')).toEqual([]);
  expect(holders('@tollgate')).toEqual([]);
});

test('the list of packages in an image names each whose code is in it, by its version, and no other', () => {
  for (const target of TARGETS) {
    type Named = Readonly<Record<'name' | 'versionInfo', string>>;
    const { packages } = read<{ packages: Named[] }>(target, 'sbom.spdx.json');
    const listed = packages.slice(1).map(({ name, versionInfo }) => `${name}@${versionInfo}`);
    const { contains } = readBundle(target);
    const inPlace = filesOf(target)
      .filter((path) => path.endsWith('/package.json'))
      .map(dirname)
      .filter((path) => /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path));
    expect(contains.length).toBeGreaterThan(40);
    expect(contains.filter((path) => !inPlace.includes(path))).toEqual([]);
    const expected = inPlace.map((path) => {
      const { name, version } = read<Record<'name' | 'version', string>>(target, `${path}/package.json`);
      return `${name}@${version}`;
    });
    expect(listed.sort()).toEqual(expected.sort());
  }
});

test.each(TARGETS)('what the bundle of %s takes from node_modules is whole there', async (target) => {
  const script = readBundle(target)
    .loads.map((name) => `await import('${name}');`)
    .join('\n');
  const loading = startFromImage(trees[target], {}, ['--input-type=module', '-e', script]);
  expect({ code: await loading.ended, output: loading.output() }).toEqual({ code: 0, output: '' });
});

test('the image of the command runs it', async () => {
  const running = startFromImage(trees.cli, {});
  expect({ code: await running.ended, output: running.output() }).toMatchObject({
    code: 0,
    output: expect.stringContaining('catalogue'),
  });
});

test('what is in a bundle is of packages that its service, or a library of its, names for production', () => {
  for (const target of TARGETS) {
    const named = new Set(listInstalledFor(`@tollgate/${target}`).map(({ path }) => path));
    expect(readBundle(target).contains.filter((path) => !named.has(path))).toEqual([]);
  }
});

test('a stack trace of a service names the lines of its sources', async () => {
  const failing = startFromImage(trees.simulator, { PORT: 'none' });
  expect(await failing.ended).not.toBe(0);
  expect(failing.output()).toMatch(/simulator\/src\/[\w/-]+\.ts:\d+/);
});

test('from the files of the images: migrations run, services become ready, a request is answered and booked, SIGTERM ends all', async () => {
  const before = TARGETS.map(filesOf);
  const owner = (target: 'billing' | 'pricing') => ({
    DATABASE_URL: database.url,
    SERVICE_DATABASE_URL: database.serviceUrl(target),
  });
  await Promise.all([
    runToEnd('billing', 'migrate', owner('billing')),
    runToEnd('pricing', 'migrate', owner('pricing')),
  ]);
  await startUntilReady('simulator');
  const [seeded] = await Promise.all([
    runToEnd('billing', 'seed', {
      ...owner('billing'),
      SEED_ADMIN_EMAIL: 'ada@tollgate.example',
      SEED_ADMIN_PASSWORD: randomBytes(12).toString('hex'),
    }),
    runToEnd('pricing', 'seed', {
      ...owner('pricing'),
      REDIS_URL: redis.url,
      SEAL_KEY: environment.secrets.SEAL_KEY,
      SIMULATOR_URL: environment.url('simulator'),
    }),
  ]);
  await startUntilReady('pricing');
  await startUntilReady('billing');
  await startUntilReady('gateway');

  const { api_key } = JSON.parse(seeded.trim().split('\n').at(-1) ?? '{}') as { api_key: string };
  const answer = await fetch(`${environment.url('gateway')}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'Echo: Hello' } }] });
  // In the pod of billing, with what is there: the role that owns nothing.
  await runToEnd('billing', 'seed', {
    DATABASE_URL: database.serviceUrl('billing'),
    SEED_ADMIN_EMAIL: 'ada@tollgate.example',
    SEED_ADMIN_PASSWORD: randomBytes(12).toString('hex'),
  });
  const page = await fetch(`${environment.url('gateway')}/`, { headers: { accept: 'text/html' } });
  expect(await page.text()).toContain('/console-assets/');

  for (const target of ['gateway', 'billing', 'pricing', 'simulator'] as const) {
    const running = processes.get(target);
    running?.process.kill('SIGTERM');
    expect({ target, code: await running?.ended, output: running?.output() }).toMatchObject({ code: 0 });
  }
  expect(globSync('*', { cwd: join(directory, 'spool') })).toEqual([]);
  expect(TARGETS.map(filesOf)).toEqual(before);
}, 180_000);

test.each(Object.entries(SCHEMAS).filter(([program]) => program !== 'simulator/main'))(
  '%s with a bad value of every setting ends with 78, and names each',
  async (program, schema) => {
    const bad = Object.keys(schema.shape).flatMap((name) => {
      const [value] = listBadValues(schema, name);
      return value === undefined ? [] : [[name, value] as const];
    });
    const [target, file] = program.split('/') as [Target, string];
    const run = startFromImage(trees[target], Object.fromEntries(bad), [`apps/${target}/bundle/${file}.js`]);
    expect({ code: await run.ended, output: run.output() }).toMatchObject({ code: 78 });
    const named = [...run.output().matchAll(/^ {2}([A-Z_0-9]+): (?!is not set)/gm)].map(([, name]) => name);
    expect(named.filter((name, index) => named.indexOf(name) === index).sort()).toEqual(
      bad.map(([name]) => name).sort(),
    );
  },
  60_000,
);

test.each([
  ['gateway', 'SPOOL_DIR', '/dev/null/spool'],
  ['gateway', 'UPLOAD_DIR', '/dev/null/uploads'],
  ['billing', 'EXPORT_DIR', '/dev/null/exports'],
  ['billing', 'HOST', 'no-such-host.invalid'],
  ['billing', 'OIDC_ISSUER', 'https://login.example.com/'],
  ['pricing', 'HOST', '192.0.2.1'],
] as const)(
  '%s ends with 78 and says so where %s is well-formed and wrong',
  async (target, name, value) => {
    const run = startFromImage(trees[target], { ...environment.of(target), [name]: value });
    expect({ code: await run.ended, output: run.output() }).toMatchObject({
      code: 78,
      output: expect.stringMatching(new RegExp(`^${target}: ${name}\\b.*$`, 'm')),
    });
  },
  60_000,
);

test('a service that is told to stop before it has started ends', async () => {
  const connections: Socket[] = [];
  const silent = createServer((socket) => void connections.push(socket)).listen(0, '127.0.0.1');
  try {
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const starting = startFromImage(trees.billing, {
      ...environment.of('billing'),
      DATABASE_URL: `postgres://user@127.0.0.1:${port}/none`,
    });
    await waitFor(() => connections.length > 0, 'the wait for a database', 60_000);
    starting.process.kill('SIGTERM');
    expect(await starting.ended).toBe(0);
  } finally {
    for (const socket of connections) socket.destroy();
    silent.close();
  }
}, 120_000);

test('who runs a service cannot write to the files that it runs from', async () => {
  const script = `require('node:fs').writeFileSync('apps/billing/bundle/more.js', '')`;
  const tried = startFromImage(trees.billing, {}, ['-e', script]);
  expect(await tried.ended).toBe(1);
  expect(tried.output()).toContain('EACCES');
});
