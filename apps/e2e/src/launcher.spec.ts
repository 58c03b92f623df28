import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, redisCall, waitFor } from '@tollgate/harness';
import { pickProviderVariables, PROVIDERS } from '@tollgate/providers';
import { type RunningSimulator, startSimulator } from '@tollgate/simulator';
import { openBooks } from './books.ts';
import { call } from './call.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const START_MS = 60_000;
const SOON_MS = 30_000;
const PATIENCE_MS = 150_000;

interface DevFile {
  readonly base_url: string;
  readonly api_key: string;
  readonly admin: { readonly email: string; readonly password: string };
  readonly simulator_url: string;
  readonly database_url: string;
  readonly redis_url: string;
  readonly services: Readonly<Record<string, { readonly url: string; readonly pid: number }>>;
}

const home = mkdtempSync(join(tmpdir(), 'tollgate-start-'));
let running: ChildProcess | undefined;
let output = '';
/** A vendor that stood there before anything was started. */
let vendor: RunningSimulator;
beforeAll(async () => {
  vendor = await startSimulator();
});

afterAll(async () => {
  // First: its connections to the vendor would keep that one from closing.
  if (running) await end(running, 'SIGTERM');
  await vendor.close();
  rmSync(home, { recursive: true, force: true });
});

const dev = () => JSON.parse(readFileSync(join(home, 'dev.json'), 'utf8')) as DevFile;

/** No credential of whoever runs the tests gets into a deployment of theirs. */
const PROVIDER_VARIABLES = Object.keys(pickProviderVariables(PROVIDERS, process.env));

function npmStart(port: number, more: Record<string, string> = {}): ChildProcess {
  output = '';
  const { TOLLGATE_E2E: _stack, NODE_OPTIONS: _options, npm_lifecycle_event: _event, ...env } = process.env;
  for (const name of PROVIDER_VARIABLES) delete env[name];
  const child = spawn(process.execPath, ['tools/run/run.mjs', 'start'], {
    cwd: ROOT,
    env: { ...env, TOLLGATE_HOME: home, PORT: String(port), ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return child;
}

async function started(port: number, more: Record<string, string> = {}): Promise<DevFile> {
  running = npmStart(port, more);
  await waitFor(
    () => {
      if (running?.exitCode !== null) throw new Error(`npm start ended:\n${output}`);
      return output.includes('Try it:');
    },
    'the welcome',
    START_MS,
    100,
  );
  return dev();
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  running = undefined;
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill(signal);
  return exited;
}

/** Processes whose command line or environment names this home. */
const processesOf = (directory: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        const text =
          readFileSync(`/proc/${pid}/cmdline`, 'utf8') + readFileSync(`/proc/${pid}/environ`, 'utf8');
        return text.includes(directory);
      } catch {
        return false;
      }
    });

/** What `npm run` does of these names once all is built. */
function command(name: 'tollgate' | 'backup' | 'restore', ...args: readonly string[]) {
  const { NODE_OPTIONS: _options, TOLLGATE_URL: _url, ...env } = process.env;
  const program = ['--disable-warning=ExperimentalWarning', `tools/run/src/${name}.ts`];
  return spawnSync(process.execPath, [...program, ...args], {
    cwd: ROOT,
    env: { ...env, TOLLGATE_HOME: home },
    encoding: 'utf8',
  });
}

/** When the files that other deployments run from were last put there. */
const builtAt = () =>
  ['apps/console/dist/index.html', 'apps/gateway/dist/main.js'].map(
    (file) => statSync(join(ROOT, file)).ctimeMs,
  );

/** The curl that was printed, as fetch. */
const printedRequest = (file: DevFile, model = 'sim-chat') =>
  call(`${file.base_url}/v1/chat/completions`, {
    headers: { authorization: `Bearer ${file.api_key}` },
    body: { model, messages: [{ role: 'user', content: 'Hello' }] },
  });

const countVersions = async (file: DevFile): Promise<unknown> => {
  const books = openBooks(file.database_url);
  const { versions } = await books.one('SELECT count(*)::int AS versions FROM pricing.snapshot');
  await books.close();
  return versions;
};

test(
  'npm start, twice: a deployment that works, is described, heals itself, keeps its data and leaves nothing behind',
  async () => {
    const port = await freePort();
    // Two commands from nothing to an answer of OpenAI's: this one, and the request below.
    const first = await started(port, {
      OPENAI_API_KEY: 'simulator-credential',
      OPENAI_BASE_URL: `${vendor.url}/v1`,
    });
    const real = await printedRequest(first, 'gpt-4o');
    expect(real.text).toContain('Echo: Hello');
    expect(output).toContain(
      'OpenAI is set up with 32 models at their list prices, for OPENAI_API_KEY is set.',
    );
    const versions = await countVersions(first);
    const built = builtAt();

    expect(first.base_url).toBe(`http://127.0.0.1:${port}`);
    expect(Object.keys(first).sort()).toEqual(
      ['admin', 'api_key', 'base_url', 'database_url', 'redis_url', 'services', 'simulator_url'].sort(),
    );
    expect(Object.keys(first.services).sort()).toEqual(['billing', 'gateway', 'pricing', 'simulator']);
    expect(statSync(join(home, 'dev.json')).mode & 0o777).toBe(0o600);
    const redis = new URL(first.redis_url);
    await expect(redisCall(Number(redis.port), 'PING')).rejects.toThrow('NOAUTH');
    for (const text of [first.base_url, first.api_key, 'curl ', first.admin.password])
      expect(output).toContain(text);
    for (const step of ['PostgreSQL', 'Redis', 'database', 'services']) expect(output).toContain(step);

    const answer = await printedRequest(first);
    expect(answer.text).toContain('Echo: Hello');
    const requestId = answer.headers.get('x-request-id') ?? '';
    const books = openBooks(first.database_url);
    const row = await books.usage(requestId);
    expect(await books.usage(real.headers.get('x-request-id') ?? '')).toMatchObject({
      upstream: 'openai',
      cost_pico: row.cost_pico,
    });
    await books.close();
    // One word in at 2.5 USD, two out at 10 USD per million tokens.
    expect(row.cost_pico).toBe(String(1 * 2_500_000 + 2 * 10_000_000));

    // The command finds what runs, signs in, and looks at the servers with the settings of the services.
    expect(command('tollgate', 'keys', 'list')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('first key'),
    });
    const looked = command('tollgate', 'doctor').stdout;
    expect(looked).toContain('ok    settings: 5 of 5 are set');
    expect(looked).not.toMatch(/^FAIL|not looked at/m);
    expect(command('restore', join(home, 'none'))).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^Tollgate runs already from .*\n.*npm start\n$/),
    });

    process.kill(first.services['pricing']?.pid ?? 0, 'SIGKILL');
    const healed = await waitFor(async () => {
      const now = dev();
      if (now.services['pricing']?.pid === first.services['pricing']?.pid) return undefined;
      const ready = await fetch(`${now.services['pricing']?.url}/readyz`).catch(() => undefined);
      return ready?.ok ? now : undefined;
    }, 'pricing to come back');
    expect(output).toMatch(/pricing ended \(SIGKILL\); it is started again/);
    expect((await printedRequest(healed)).status).toBe(200);

    // As where the machine has run out of memory and took its stores.
    process.kill(Number(readFileSync(join(home, 'redis', 'redis.pid'), 'utf8')), 'SIGKILL');
    process.kill(
      Number(readFileSync(join(home, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]),
      'SIGKILL',
    );
    for (const name of ['Redis', 'PostgreSQL'])
      await waitFor(
        () => output.includes(`${name} is started again as process`),
        `${name} to come back`,
        SOON_MS,
      );
    for (const name of ['Redis', 'PostgreSQL'])
      expect(output).toContain(`${name} ended (SIGKILL); it is started again in 1000 ms.\n`);
    const served = await waitFor(
      async () => {
        const answer = await printedRequest(healed);
        return answer.status === 200 ? answer : undefined;
      },
      'an answer with stores that came back',
      SOON_MS,
    );
    const later = openBooks(healed.database_url);
    const servedId = served.headers.get('x-request-id') ?? '';
    expect((await later.usage(servedId)).request_id).toBe(servedId);
    await later.close();

    const second = npmStart(await freePort());
    const code = await new Promise((resolve) => second.once('exit', resolve));
    expect([code, output]).toEqual([1, expect.stringContaining('runs already')]);

    expect(await end(running as ChildProcess, 'SIGINT')).toBe(0);
    expect(processesOf(home)).toEqual([]);

    const again = await started(port);
    expect(builtAt()).toEqual(built);
    expect([again.api_key, again.admin]).toEqual([first.api_key, first.admin]);
    expect((await printedRequest(again)).status).toBe(200);
    const kept = openBooks(again.database_url);
    expect((await kept.usage(requestId)).request_id).toBe(requestId);
    await kept.close();
    expect(await countVersions(again)).toBe(versions);
    expect(await end(running as ChildProcess, 'SIGTERM')).toBe(0);

    // A deployment that is there already takes one more provider by a key, and keeps the first.
    const more = await started(port, {
      ANTHROPIC_API_KEY: 'simulator-credential',
      ANTHROPIC_BASE_URL: vendor.url,
      COHERE_API_KEY: 'simulator-credential',
      CO_API_URL: `${vendor.url}/vendors/cohere`,
    });
    expect(output).toContain('Anthropic is set up with 11 models at their list prices');
    for (const model of ['claude-haiku-4-5', 'gpt-4o'])
      expect((await printedRequest(more, model)).text).toContain('Echo: Hello');
    for (const [path, body, answered] of [
      ['/v1/embeddings', { model: 'embed-v4.0', input: 'Hello' }, '"embedding"'],
      ['/v1/rerank', { model: 'rerank-v4.0-pro', query: 'Hello', documents: ['a'] }, '"relevance_score"'],
    ] as const) {
      const headers = { authorization: `Bearer ${more.api_key}` };
      expect((await call(`${more.base_url}${path}`, { headers, body })).text).toContain(answered);
    }

    expect(await end(running as ChildProcess, 'SIGTERM')).toBe(0);
    expect(processesOf(home)).toEqual([]);
    expect(['launcher.pid', 'dev.json'].filter((name) => existsSync(join(home, name)))).toEqual([]);
    expect(command('backup', home)).toMatchObject({
      status: 1,
      stderr: `nothing runs from ${home}; start it with npm start first\n`,
    });
  },
  PATIENCE_MS,
);

test('a port that is taken is said, with what to do', async () => {
  const port = await freePort();
  const { createServer } = await import('node:net');
  const blocker = createServer().listen(port, '127.0.0.1');
  const child = npmStart(port);
  const code = await new Promise((resolve) => child.once('exit', resolve));
  blocker.close();
  expect(code).toBe(1);
  expect(output).toContain(`Port ${port} is taken`);
  expect(output).toContain(`PORT=${port + 1} npm start`);
}, 60_000);

test('a setting that a service cannot run with ends the start, with its name', async () => {
  const child = npmStart(await freePort(), { GATEWAY_PROCESSES: 'two' });
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(1);
  expect(output).toContain('Tollgate did not start: gateway: The environment does not describe a service');
  expect(output).toContain('GATEWAY_PROCESSES: must be auto, or a whole number from 1 to 128');
  expect(processesOf(home)).toEqual([]);
}, 60_000);

test('a stop in the middle of the start leaves nothing behind', async () => {
  const child = npmStart(await freePort());
  running = child;
  await waitFor(() => output.includes('Bringing the database up to date'), 'the middle', START_MS);
  await end(child, 'SIGTERM');
  expect(processesOf(home)).toEqual([]);
}, 60_000);

test('a Redis that is not there is waited for, which is said, and the wait can be ended', async () => {
  const child = npmStart(await freePort(), { REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
  running = child;
  await waitFor(() => output.includes('Waiting for Redis'), 'that it says so', START_MS);
  await end(child, 'SIGTERM');
  expect(output).toContain('Tollgate did not start: it was asked to stop');
  expect(processesOf(home)).toEqual([]);
}, 120_000);
