import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkBooks } from '@tollgate/chaos/check-books';
import { freePort, type RunningStack, waitFor } from '@tollgate/harness';
import { Redis } from 'ioredis';
import { type Books, openBooks } from '../books.ts';
import { call, GOOD } from '../call.ts';
import { admin, type TestStack, makeKey, signIn } from '../shared-stack.ts';
import { deviations } from '../limits/windows.ts';
import { isGood, type Outcome, send, startPaced } from '../reliability/clients.ts';
import { makeOwnPool, type OwnSimulator, putUpstream, startOwnSimulator } from '../pools/own-pool.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';
import { findFront } from './haproxy.ts';

// Four gateways on one Redis and one PostgreSQL: that needs a stack of its own.
const home = mkdtempSync(join(tmpdir(), 'tollgate-scale-out-'));
const PER_SECOND = 10;
const LIMITS = { requests_per_minute: 60 * PER_SECOND };
/** After a refusal: a hundred requests a second are refused where ten are admitted. */
const PAUSE_MS = 80;
/** `RELIABILITY_SECONDS=90` is the long form. */
const PRESSED_S = Number(process.env['RELIABILITY_SECONDS'] ?? '15');
let stack: RunningStack;
let at: TestStack;
let inFrontOf: ReturnType<typeof findFront>;
let books: Books;
let redis: Redis;
let simulator: OwnSimulator;
let load: ReturnType<typeof startPaced> | undefined;

beforeAll(async () => {
  inFrontOf = findFront();
  simulator = await startOwnSimulator();
  stack = await startTestStack({
    home,
    port: await freePort(),
    moreGateways: 3,
    env: async (service) => (service.startsWith('gateway') ? { DRAIN_S: '3' } : {}) as Record<string, string>,
  });
  at = { ...stack, home, cookie: await signIn(stack.baseUrl, testAdmin) };
  books = openBooks(stack.databaseUrl);
  redis = new Redis(stack.redisUrl, { replyMapping: 'legacy' });
}, 240_000);

afterAll(async () => {
  await load?.stop();
  await simulator?.close();
  redis?.disconnect();
  await books?.close();
  await stack?.stop();
  rmSync(home, { recursive: true, force: true });
}, 60_000);

/** One address for the first so many gateways. */
const behindOne = (gateways: number) => inFrontOf(stack.gatewayUrls.slice(0, gateways));

/** Each answered request is in the books once, and nothing else of that key. */
async function expectExact(keyId: string, outcomes: readonly Outcome[]): Promise<void> {
  const answered = outcomes.filter(isGood).flatMap(({ id }) => id ?? []);
  const rows = async () =>
    Number((await books.one('SELECT count(*)::int AS n FROM billing.usage WHERE key_id = $1', [keyId]))['n']);
  await waitFor(async () => (await rows()) >= answered.length, 'the usage in the books', 30_000, 100);
  expect(await rows()).toBe(answered.length);
  expect((await checkBooks(stack.databaseUrl, answered)).findings).toEqual([]);
}

/** Asks at these addresses until what came is enough, with a pause after each refusal. */
async function press(
  urls: readonly string[],
  key: string,
  until: (outcomes: readonly Outcome[]) => boolean,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const agent = new Agent({ keepAlive: true });
  await Promise.all(
    Array.from({ length: 8 }, async (_, worker) => {
      while (!until(outcomes)) {
        const outcome = await send(urls[worker % urls.length] ?? '', key, { agent });
        outcomes.push(outcome);
        if (outcome.status !== 200) await sleep(PAUSE_MS);
      }
    }),
  );
  agent.destroy();
  return outcomes;
}

const during = (ms: number): (() => boolean) => {
  const end = Date.now() + ms;
  return () => Date.now() >= end;
};

/** The one request that a bucket may have ready, and what rounding to milliseconds takes. */
const READY = 1.1;

/** In every window of so long and longer these are what refills, but for the one that is ready. */
function expectEven(outcomes: readonly Outcome[], leastMs: number): void {
  expect([...new Set(outcomes.map(({ status }) => status))].sort()).toEqual([200, 429]);
  const admissions = outcomes.map((outcome) => ({ ...outcome, admitted: isGood(outcome) }));
  const { windows, excess, shortfall } = deviations(admissions, { perSecond: PER_SECOND, leastMs });
  expect(windows).toBeGreaterThan(10);
  expect(excess).toBeLessThan(READY);
  expect(shortfall).toBeLessThan(READY);
}

test.each([1, 2, 4])(
  '600 requests a minute, pressed on through %i gateways behind one address, are ten a second, and the books are exact',
  async (gateways) => {
    const balancer = await behindOne(gateways);
    try {
      const { key, id } = await makeKey(at, { limits: LIMITS });
      const first = await send(balancer.url, key, {});
      // The minute's worth that a bucket holds is spent.
      await redis.set(`tollgate:tb:{key:${id}}:requests`, `0:${Date.now()}`);
      const outcomes = await press([balancer.url], key, during(4_000));
      expectEven(outcomes, 2_000);
      await expectExact(id, [first, ...outcomes]);
    } finally {
      await balancer.stop();
    }
  },
  60_000,
);

test(
  `600 requests a minute, pressed on through four gateways for ${PRESSED_S} s: a burst of 600, then ten a second in every window of ten seconds and longer`,
  async () => {
    const { key, id } = await makeKey(at, { limits: LIMITS });
    const begin = Date.now();
    const burst = await press(stack.gatewayUrls, key, (all) => all.some(({ status }) => status === 429));
    const refilled = ((Date.now() - begin) / 1_000) * PER_SECOND;
    const admitted = burst.filter(isGood).length;
    expect(admitted).toBeGreaterThanOrEqual(600);
    expect(admitted).toBeLessThanOrEqual(600 + refilled + 1);

    const outcomes = await press(stack.gatewayUrls, key, during(PRESSED_S * 1_000));
    expectEven(outcomes, 10_000);
    await expectExact(id, [...burst, ...outcomes]);
  },
  (PRESSED_S + 60) * 1_000,
);

test.each([1, 2, 4])(
  'a key that is disabled serves on none of %i gateways a second later',
  async (gateways) => {
    const balancer = await behindOne(gateways);
    try {
      const { key, id } = await makeKey(at);
      const statuses = async () => {
        const through = Array.from({ length: 2 * gateways }, () => balancer.url);
        const urls = [...stack.gatewayUrls.slice(0, gateways), ...through];
        const answers = await Promise.all(
          urls.map((url) =>
            call(`${url}${GOOD.chat.path}`, {
              headers: { authorization: `Bearer ${key}` },
              body: GOOD.chat.body,
            }),
          ),
        );
        return [...new Set(answers.map(({ status }) => status))];
      };
      expect(await statuses()).toEqual([200]);
      await admin(at, 'PATCH', `/api/keys/${id}`, { status: 'disabled' });
      await sleep(1_000);
      expect(await statuses()).toEqual([401]);
    } finally {
      await balancer.stop();
    }
  },
  60_000,
);

test('two of four gateways leave and come back under load, then the others: no request fails, and the books are exact', async () => {
  const balancer = await behindOne(4);
  const ready = (count: number) =>
    // On a machine that is too busy one of them may be late to say again that it is ready.
    waitFor(async () => (await balancer.ready()) === count, `${count} gateways`, 120_000);
  try {
    const { key, id } = await makeKey(at);
    await ready(4);
    load = startPaced(balancer.url, key, 20, 'sim-chat');
    for (const half of [
      ['gateway', 'gateway-2'],
      ['gateway-3', 'gateway-4'],
    ]) {
      const leaving = half.map((name) => stack.services.get(name)?.process);
      await Promise.all(leaving.map((gateway) => gateway?.stop()));
      await ready(2);
      for (const gateway of leaving) gateway?.start();
      await ready(4);
    }
    const outcomes = await load.stop();
    expect(outcomes.length).toBeGreaterThan(40);
    expect(outcomes.filter((outcome) => !isGood(outcome))).toEqual([]);
    await expectExact(id, outcomes);
  } finally {
    await balancer.stop();
  }
}, 240_000);

test('what a gateway had when it was killed is sent to no other one: nothing can be billed twice', async () => {
  const REQUESTS = 12;
  await putUpstream(at, 'counting', simulator.url, ['counting-secret']);
  const { key, model } = await makeOwnPool(at, { members: [{ upstream: 'counting' }], attempts: 1 });
  await simulator.script({ first_delay_ms: 5_000 });
  const balancer = await behindOne(2);
  try {
    const sent = Array.from({ length: REQUESTS }, () => send(balancer.url, key, { model }));
    await waitFor(async () => (await simulator.requests()).length === REQUESTS, 'every request', 20_000);
    stack.services.get('gateway-2')?.process.kill();
    const outcomes = await Promise.all(sent);
    const lost = outcomes.filter((outcome) => !isGood(outcome));
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.length).toBeLessThan(REQUESTS);
    expect((await simulator.requests()).length).toBe(REQUESTS);
  } finally {
    await balancer.stop();
  }
}, 60_000);

/** What a gateway answers before there are prices: it lives, has the console, and is not ready. */
async function startUnready(): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    response.writeHead(path === '/readyz' || path.startsWith('/v1') ? 503 : 200).end(path);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, close: () => void server.close().closeAllConnections() };
}

test('while no gateway is ready the console is reached all the same, for the first prices to be made there', async () => {
  const gateways = await Promise.all([startUnready(), startUnready()]);
  const balancer = await inFrontOf(gateways.map(({ url }) => url));
  try {
    await waitFor(async () => (await balancer.ready()) === 0, 'that none is ready', 20_000);
    const statusOf = async (path: string) => (await call(`${balancer.url}${path}`)).status;
    expect(await statusOf('/catalogue')).toBe(200);
    expect(await statusOf('/api/setup')).toBe(200);
    expect(await statusOf('/v1/models')).toBe(503);
  } finally {
    await balancer.stop();
    for (const { close } of gateways) close();
  }
}, 60_000);
