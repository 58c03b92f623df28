import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkBooks } from '@tollgate/chaos/check-books';
import { freePort, type RunningStack, waitFor } from '@tollgate/harness';
import { Redis } from 'ioredis';
import { type Books, openBooks } from '../books.ts';
import { call, GOOD } from '../call.ts';
import { admin, type House, makeKey, signIn } from '../house.ts';
import { deviations } from '../limits/windows.ts';
import { isGood, type Outcome, send, startPaced } from '../reliability/clients.ts';
import { type LoadBalancer, startLoadBalancer } from '../reliability/load-balancer.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';

// Four gateways on one Redis and one PostgreSQL: that needs a house of its own.
const home = mkdtempSync(join(tmpdir(), 'tollgate-scale-out-'));
const PER_SECOND = 10;
const LIMITS = { requests_per_minute: 60 * PER_SECOND };
const PAUSE_MS = 30;
/** `RELIABILITY_SECONDS=90` is the long form. */
const PRESSED_S = Number(process.env['RELIABILITY_SECONDS'] ?? '20');
let stack: RunningStack;
let at: Pick<House, 'baseUrl' | 'cookie'>;
let books: Books;
let redis: Redis;
let load: ReturnType<typeof startPaced> | undefined;

beforeAll(async () => {
  stack = await startTestStack({
    home,
    port: await freePort(),
    moreGateways: 3,
    // A busy machine is not a Redis that is away.
    env: async (service) =>
      (service.startsWith('gateway') ? { DRAIN_S: '1', REDIS_TIMEOUT_MS: '2000' } : {}) as Record<
        string,
        string
      >,
  });
  at = { ...stack, cookie: await signIn(stack.baseUrl, testAdmin) };
  books = openBooks(stack.databaseUrl);
  redis = new Redis(stack.redisUrl, { replyMapping: 'legacy' });
}, 120_000);

afterAll(async () => {
  await load?.stop();
  redis?.disconnect();
  await books?.close();
  await stack?.stop();
  rmSync(home, { recursive: true, force: true });
}, 60_000);

/** One address for the first so many gateways. */
const inFrontOf = (gateways: number) => startLoadBalancer(stack.gatewayUrls.slice(0, gateways));

/** One after the other: on a machine that is too busy one of them may be late to say again that it is ready. */
async function allReady(balancer: LoadBalancer): Promise<void> {
  for (const url of stack.gatewayUrls)
    await waitFor(() => balancer.ready().includes(url), `the gateway at ${url}`, 60_000);
}

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
  const told = outcomes.map((outcome) => ({ ...outcome, admitted: isGood(outcome) }));
  const { windows, excess, shortfall } = deviations(told, { perSecond: PER_SECOND, leastMs });
  expect(windows).toBeGreaterThan(100);
  expect(excess).toBeLessThan(READY);
  expect(shortfall).toBeLessThan(READY);
}

test.each([1, 2])(
  '600 requests a minute, pressed on through %i gateways behind one address, are ten a second, and the books are exact',
  async (gateways) => {
    const balancer = await inFrontOf(gateways);
    try {
      const { key, id } = await makeKey(at, { limits: LIMITS });
      const first = await send(balancer.url, key, {});
      // The minute's worth that a bucket holds is spent.
      await redis.set(`tollgate:tb:{key:${id}}:requests`, `0:${Date.now()}`);
      const outcomes = await press([balancer.url], key, during(6_000));
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

test('a key that is disabled serves on none of four gateways a second later', async () => {
  const { key, id } = await makeKey(at);
  const statuses = () =>
    Promise.all(
      stack.gatewayUrls.map(async (url) => {
        const headers = { authorization: `Bearer ${key}` };
        return (await call(`${url}${GOOD.chat.path}`, { headers, body: GOOD.chat.body })).status;
      }),
    );
  expect(await statuses()).toEqual([200, 200, 200, 200]);
  await admin(at, 'PATCH', `/api/keys/${id}`, { status: 'disabled' });
  await sleep(1_000);
  expect(await statuses()).toEqual([401, 401, 401, 401]);
});

test('two of four gateways leave and come back under load, then the others: no request fails, and the books are exact', async () => {
  const balancer = await inFrontOf(4);
  try {
    const { key, id } = await makeKey(at);
    await allReady(balancer);
    load = startPaced(balancer.url, key, 20, 'sim-chat');
    for (const half of [
      ['gateway', 'gateway-2'],
      ['gateway-3', 'gateway-4'],
    ]) {
      const leaving = half.map((name) => stack.services.get(name)?.process);
      await Promise.all(leaving.map((gateway) => gateway?.stop()));
      const gone = half.map((name) => stack.services.get(name)?.url ?? '');
      await waitFor(() => !gone.some((url) => balancer.ready().includes(url)), 'the balancer');
      for (const gateway of leaving) gateway?.start();
      await allReady(balancer);
    }
    const outcomes = await load.stop();
    expect(outcomes.length).toBeGreaterThan(40);
    expect(outcomes.filter((outcome) => !isGood(outcome))).toEqual([]);
    await expectExact(id, outcomes);
  } finally {
    await balancer.stop();
  }
}, 120_000);
