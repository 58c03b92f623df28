import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, freePort, type RunningRedis, startRedis, waitFor } from '@tollgate/harness';
import { TARGETS } from './dockerfile-policies.ts';
import { type ImageProcess, makeVolume, startFromImage } from './image-process.ts';
import { chmodDirectories, type ImageTree, layOutImage } from './image-tree.ts';
import { ROOT } from './manifest.ts';
import { listBadValues, SCHEMAS } from './settings.ts';

type Target = (typeof TARGETS)[number];

let directory: string;
let redis: RunningRedis;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let trees: Record<Target, ImageTree>;
const processes = new Map<Target, ImageProcess>();
const ports: Record<string, number> = {};

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tollgate-images-'));
  chmodSync(directory, 0o755);
  trees = Object.fromEntries(
    TARGETS.map((target) => [target, layOutImage(target, join(directory, target))]),
  ) as Record<Target, ImageTree>;
  for (const { root } of Object.values(trees)) chmodDirectories(root, 0o555);
  [redis, database] = await Promise.all([startRedis(), createTestDatabase()]);
  for (const name of [...TARGETS, 'billing_tcp', 'pricing_tcp']) ports[name] = await freePort();
}, 180_000);

afterAll(async () => {
  for (const { process } of processes.values()) process.kill('SIGKILL');
  await Promise.all([...processes.values()].map(({ ended }) => ended));
  await Promise.all([redis.stop(), database.drop()]);
  for (const { root } of Object.values(trees)) chmodDirectories(root, 0o755);
  rmSync(directory, { recursive: true, force: true });
});

const url = (target: Target) => `http://127.0.0.1:${ports[target]}`;
const tcp = (target: Target) => `tcp://127.0.0.1:${ports[`${target}_tcp`]}`;
const secret = (name: keyof typeof SECRETS) => ({ [name]: SECRETS[name] });
const SECRETS = {
  SEAL_KEY: randomBytes(32).toString('base64'),
  SESSION_SECRET: randomBytes(32).toString('hex'),
  SERVICE_SECRETS: randomBytes(32).toString('hex'),
};

/** What a container would be given beside the image's own variables; ports are free ones of this machine. */
function environmentOf(target: Target): Record<string, string> {
  const tree = trees[target];
  const common = {
    HOST: '127.0.0.1',
    PORT: String(ports[target]),
    TMPDIR: makeVolume(tree, directory, `${target}-tmp`),
  };
  if (target === 'simulator') return common;
  const inner = { ...common, ...secret('SERVICE_SECRETS'), REDIS_URL: redis.url, SHUTDOWN_GRACE_S: '20' };

  if (target === 'gateway') {
    return {
      ...inner,
      ...secret('SEAL_KEY'),
      BILLING_TCP_URL: tcp('billing'),
      PRICING_TCP_URL: tcp('pricing'),
      BILLING_HTTP_URL: url('billing'),
      PRICING_HTTP_URL: url('pricing'),
      SPOOL_DIR: makeVolume(tree, directory, 'spool'),
      DRAIN_S: '0',
    };
  }
  const DATABASE_URL = database.serviceUrl(target);
  const behind = { ...inner, DATABASE_URL, TCP_PORT: String(ports[`${target}_tcp`]) };
  return target === 'billing'
    ? {
        ...behind,
        ...secret('SESSION_SECRET'),
        PRICING_TCP_URL: tcp('pricing'),
        EXPORT_DIR: makeVolume(tree, directory, 'exports'),
      }
    : { ...behind, ...secret('SEAL_KEY'), BILLING_TCP_URL: tcp('billing') };
}

async function runToEnd(target: Target, program: string, env: Record<string, string>): Promise<string> {
  const run = startFromImage(trees[target], env, [`apps/${target}/dist/${program}.js`]);
  expect({ code: await run.ended, output: run.output() }).toMatchObject({ code: 0 });
  return run.output();
}

/**
 * The same program from the checkout, in few files where it has been put into them: what a program makes of its settings does
 * not depend on where it stands, and from an image it loads for three times as long.
 */
function startFromCheckout(target: Target, program: string, env: Record<string, string>): ImageProcess {
  const bundled = `apps/${target}/bundle/${program}.js`;
  const file = existsSync(join(ROOT, bundled)) ? bundled : `apps/${target}/dist/${program}.js`;
  const inCheckout = {
    ...trees[target],
    workdir: ROOT,
    user: `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`,
  };
  return startFromImage(inCheckout, env, [file]);
}

async function startUntilReady(target: Target): Promise<void> {
  const started = startFromImage(trees[target], environmentOf(target));
  processes.set(target, started);
  await waitFor(
    async () => {
      if (started.process.exitCode !== null) throw new Error(`${target} ended:\n${started.output()}`);
      return (await fetch(`${url(target)}/readyz`).catch(() => undefined))?.ok;
    },
    `${target}:\n${started.output()}`,
    40_000,
  );
}

const filesOf = (target: Target) => globSync('app/{apps,libs}/**', { cwd: trees[target].root }).sort();

test('an image holds its service and what that needs, and nothing of development', () => {
  for (const target of TARGETS) {
    const inTree = (path: string) => existsSync(join(trees[target].root, 'app', path));
    expect(inTree(`apps/${target}/dist/main.js`)).toBe(true);
    expect(TARGETS.filter((other) => inTree(`apps/${other}/dist`))).toEqual([target]);
    expect(inTree('apps/console/dist/index.html')).toBe(target === 'gateway');
    expect(['fastify', 'zod'].filter((name) => !inTree(`node_modules/${name}/package.json`))).toEqual([]);
    expect(['jest', 'nx', 'react', 'openai'].filter((name) => inTree(`node_modules/${name}`))).toEqual([]);
    expect(filesOf(target).filter((path) => path.endsWith('.spec.js') || path.endsWith('.ts'))).toEqual([]);
  }
});

test('an image holds the packages of its own service only', () => {
  const holders = (name: string) =>
    TARGETS.filter((target) => existsSync(join(trees[target].root, 'app/node_modules', name)));
  expect(holders('typeorm')).toEqual(['billing', 'pricing']);
  expect(holders('@aws-sdk/client-s3')).toEqual(['billing']);
  expect(holders('undici')).toEqual(['gateway', 'billing', 'pricing']);
  expect(holders('typescript')).toEqual([]);
  // The one that an importer has is none of theirs, though what they have could use it.
  expect(holders('mysql2')).toEqual([]);
  expect(holders('@tollgate/protocols')).toEqual(['gateway', 'billing']);
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
      ...secret('SEAL_KEY'),
      SIMULATOR_URL: url('simulator'),
    }),
  ]);
  await startUntilReady('pricing');
  await startUntilReady('billing');
  await startUntilReady('gateway');

  const { api_key } = JSON.parse(seeded.trim().split('\n').at(-1) ?? '{}') as { api_key: string };
  const answer = await fetch(`${url('gateway')}/v1/chat/completions`, {
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
  const page = await fetch(`${url('gateway')}/`, { headers: { accept: 'text/html' } });
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
    const run = startFromCheckout(target, file, Object.fromEntries(bad));
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
    const run = startFromCheckout(target, 'main', { ...environmentOf(target), [name]: value });
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
    const starting = startFromCheckout('billing', 'main', {
      ...environmentOf('billing'),
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
  const script = `require('node:fs').writeFileSync('apps/billing/dist/more.js', '')`;
  const tried = startFromImage(trees.billing, {}, ['-e', script]);
  expect(await tried.ended).toBe(1);
  expect(tried.output()).toContain('EACCES');
});
