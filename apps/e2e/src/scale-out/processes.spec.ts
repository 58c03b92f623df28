import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkBooks } from '@tollgate/chaos/check-books';
import { freePort, type RunningProcess, type RunningStack, waitFor } from '@tollgate/harness';
import { type Books, openBooks } from '../books.ts';
import { admin, type TestStack, makeKey, signIn } from '../shared-stack.ts';
import { isGood, type Outcome, send, startPaced } from '../reliability/clients.ts';
import { scrape, sumSamples } from '../telemetry/scrape.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';

// A gateway of two processes, which are killed and stopped here: that needs a stack of its own.
const home = mkdtempSync(join(tmpdir(), 'tollgate-processes-'));
const STREAMS = 40;
let stack: RunningStack;
let at: Pick<TestStack, 'baseUrl' | 'cookie'>;
let books: Books;
let gateway: RunningProcess;
let load: ReturnType<typeof startPaced> | undefined;

beforeAll(async () => {
  stack = await startTestStack({
    home,
    port: await freePort(),
    env: async (service) =>
      (service === 'gateway' ? { GATEWAY_PROCESSES: '2' } : {}) as Record<string, string>,
  });
  at = { ...stack, cookie: await signIn(stack.baseUrl, testAdmin) };
  books = openBooks(stack.databaseUrl);
  const found = stack.services.get('gateway');
  if (!found) throw new Error('there is no gateway');
  gateway = found.process;
  await bothServe();
}, 120_000);

afterAll(async () => {
  await load?.stop();
  await books?.close();
  await stack?.stop();
  rmSync(home, { recursive: true, force: true });
}, 60_000);

/** The processes that the gateway's first one started. */
function processes(): number[] {
  const pid = gateway.pid();
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}
/** Whether a process is there, and not only waits for somebody to ask how it ended. */
const lives = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
const reports = async () => (await admin(at, 'GET', '/api/system')).gateways.state ?? [];
const ready = () =>
  fetch(`${stack.baseUrl}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Both have a page of metrics, so they listen. */
const bothServe = () =>
  waitFor(
    async () => {
      if (!(await ready())) return false;
      const pages = await scrape(stack.baseUrl);
      return pages.filter(({ name }) => name === 'tollgate_gateway_snapshot_version').length === 2;
    },
    'both processes',
    30_000,
    100,
  );

const spooled = () =>
  readdirSync(join(home, 'spool', 'gateway'), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map(({ parentPath }) => parentPath.slice(join(home, 'spool', 'gateway').length));

const many = (key: string, count: number, params = {}) =>
  Promise.all(Array.from({ length: count }, () => send(stack.baseUrl, key, params)));

/** Each answer that is whole is in the books once, and beside them nothing but what may have broken off. */
async function expectExact(keyId: string, outcomes: readonly Outcome[], broken = 0): Promise<void> {
  const answered = outcomes.filter(isGood).flatMap(({ id }) => id ?? []);
  await waitFor(() => spooled().length === 0, 'empty spools', 60_000, 100);
  expect((await checkBooks(stack.databaseUrl, answered)).findings).toEqual([]);
  const sql = 'SELECT count(*)::int AS rows FROM billing.usage WHERE key_id = $1';
  const rows = Number((await books.one(sql, [keyId]))['rows']);
  expect(rows).toBeGreaterThanOrEqual(answered.length);
  expect(rows).toBeLessThanOrEqual(answered.length + broken);
}

/** Resolves once every stream has begun, with what will become of them. */
async function openStreams(key: string, words: number): Promise<Promise<Outcome>[]> {
  let begun = 0;
  const params = { stream: true, script: { words, chunk_delay_ms: 100 } };
  const streams = Array.from({ length: STREAMS }, () => send(stack.baseUrl, key, params, () => (begun += 1)));
  await waitFor(() => begun === STREAMS, 'every stream', 20_000);
  return streams;
}

test('two processes serve one port: a scrape of either shows both, the console lists both, and the books are exact', async () => {
  const { key, id } = await makeKey(at);
  const counted = { protocol: 'openai-chat', status: '200', outcome: 'completed' };
  const served = async () => {
    const samples = await scrape(stack.baseUrl);
    return ['1', '2'].map((process) =>
      sumSamples(samples, 'tollgate_gateway_requests_total', { ...counted, process }),
    );
  };
  const before = await served();
  const outcomes = await many(key, 60);
  expect(outcomes.filter((each) => !isGood(each))).toEqual([]);
  const [first = 0, second = 0] = (await served()).map((count, index) => count - (before[index] ?? 0));
  expect(first + second).toBe(60);
  expect(Math.min(first, second)).toBeGreaterThan(0);
  // Each connection may meet another process, and every one knows all.
  for (let n = 0; n < 8; n += 1)
    expect(await served()).toEqual([first, second].map((count, index) => count + (before[index] ?? 0)));
  await waitFor(async () => (await reports()).length === 2, 'the reports of both', 10_000, 200);
  expect((await reports()).map(({ gateway: name }) => /\/(\d)-/.exec(name)?.[1])).toEqual(['1', '2']);
  await expectExact(id, outcomes);
}, 60_000);

test('a limit of requests holds over both processes together', async () => {
  const { key } = await makeKey(at, { limits: { requests_per_minute: 10 } });
  const began = Date.now();
  const outcomes = await many(key, 40);
  const admitted = outcomes.filter(isGood).length;
  expect(admitted).toBeGreaterThanOrEqual(10);
  // One more comes free every six seconds.
  expect(admitted).toBeLessThanOrEqual(10 + Math.ceil((Date.now() - began) / 6_000));
  expect(outcomes.filter(({ status }) => status === 429)).toHaveLength(40 - admitted);
});

test('one of two processes is killed under load: only what was under way on it breaks, it comes back, and the books are exact', async () => {
  const { key, id } = await makeKey(at);
  load = startPaced(stack.baseUrl, key, 30, 'sim-chat');
  const [killed = 0] = processes();
  process.kill(killed, 'SIGKILL');
  // Until its parent has seen that it ended, the system may still be closing its port.
  await waitFor(() => !existsSync(`/proc/${killed}`), 'its end');
  const goneAt = Date.now();
  await waitFor(() => processes().filter(lives).length === 2, 'another process', 10_000);
  expect(processes()).not.toContain(killed);
  await bothServe();
  const outcomes = await load.stop();
  const broken = outcomes.filter((outcome) => !isGood(outcome));
  expect(broken.filter(({ sentAt }) => sentAt > goneAt)).toEqual([]);
  expect(outcomes.filter(({ sentAt }) => sentAt > goneAt).length).toBeGreaterThan(10);
  await expectExact(id, outcomes, broken.length);
}, 90_000);

test('SIGTERM to the first process ends both, and cuts no stream', async () => {
  const { key, id } = await makeKey(at);
  const open = await openStreams(key, 20);
  const before = processes();
  await gateway.stop();
  expect(before.filter(lives)).toEqual([]);
  const outcomes = await Promise.all(open);
  expect(outcomes.filter((outcome) => !isGood(outcome))).toEqual([]);
  gateway.start();
  await bothServe();
  await expectExact(id, outcomes);
}, 90_000);

test('the first process is killed: the others finish their streams and end, another gateway stands there at once, and the books are exact', async () => {
  const { key, id } = await makeKey(at);
  // Long enough that the new ones meet the old ones at their spools.
  const open = await openStreams(key, 80);
  const before = processes();
  const first = gateway.pid();
  gateway.kill();
  await waitFor(() => gateway.pid() !== first && processes().length === 2, 'other processes', 30_000);
  const later = many(key, 20);
  const outcomes = await Promise.all(open);
  expect(outcomes.filter((outcome) => !isGood(outcome))).toEqual([]);
  await waitFor(() => before.every((pid) => !lives(pid)), 'the end of the processes', 30_000);
  await bothServe();
  const after = [...(await later), ...(await many(key, 20))];
  expect(after.slice(20).filter((outcome) => !isGood(outcome))).toEqual([]);
  const broken = after.filter((outcome) => !isGood(outcome));
  await expectExact(id, [...outcomes, ...after], broken.length);
}, 120_000);

test('a gateway that is started with fewer processes brings what the others left into the books', async () => {
  const { key, id } = await makeKey(at);
  const billing = stack.services.get('billing')?.process;
  const warm = await many(key, 20);
  await billing?.stop();
  const outcomes = await many(key, 40);
  expect(outcomes.filter((outcome) => !isGood(outcome))).toEqual([]);
  await gateway.stop();
  expect(new Set(spooled()).size).toBe(2);
  gateway.start({ GATEWAY_PROCESSES: '1' });
  billing?.start();
  await expectExact(id, [...warm, ...outcomes]);
  const left = () => readdirSync(join(home, 'spool', 'gateway'));
  await waitFor(() => left().length === 0, 'the end of the other directories', 30_000, 200);
}, 120_000);

test.each([
  ['a variable that is wrong', { GATEWAY_PROCESSES: '0' }, 78],
  ['a port that is taken', {}, 1],
])('%s is said once, and nothing is started', async (_name, env, code) => {
  const program = join(import.meta.dirname, '..', '..', '..', 'gateway', 'dist', 'main.js');
  const environment = Object.fromEntries(
    readFileSync(`/proc/${gateway.pid()}/environ`, 'utf8')
      .split('\0')
      .flatMap((line) =>
        line.includes('=') ? [[line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]] : [],
      ),
  ) as Record<string, string>;
  const child = spawn(process.execPath, [program], {
    env: { ...environment, GATEWAY_PROCESSES: '2', ...env, NODE_CHANNEL_FD: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (said += text.toString()));
  expect(await once(child, 'close')).toEqual([code, null]);
  expect(
    said
      .trim()
      .split('\n')
      .filter((line) => /GATEWAY_PROCESSES|EADDRINUSE/.test(line)),
  ).toHaveLength(1);
});
