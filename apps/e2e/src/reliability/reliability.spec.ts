import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkBooks } from '@tollgate/chaos/check-books';
import { freePort, type RunningStack, waitFor } from '@tollgate/harness';
import { type Books, openBooks } from '../books.ts';
import { admin, type TestStack, makeKey, signIn } from '../shared-stack.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';
import { isGood, type Outcome, send, startPaced } from './clients.ts';
import { type FlakyUpstream, startFlakyUpstream } from './flaky-upstream.ts';
import { type LoadBalancer, startLoadBalancer } from './load-balancer.ts';

// Gateways are replaced and killed here: that needs a stack of its own.
const home = mkdtempSync(join(tmpdir(), 'tollgate-reliability-'));
const STREAMS = 200;
/** Of streams of nine seconds, which end within the time that a gateway has to stop. */
const LONGER_WORDS = 60;
/** `RELIABILITY_SECONDS=60` is the long form, `RELIABILITY_PER_SECOND=200` a heavier one. */
const SECONDS = Number(process.env['RELIABILITY_SECONDS'] ?? '12');
const PER_SECOND = Number(process.env['RELIABILITY_PER_SECOND'] ?? '40');
const PATIENCE_MS = (SECONDS + 100) * 1_000;
const GROUP = 'unreliable';

let stack: RunningStack;
let at: Pick<TestStack, 'baseUrl' | 'cookie' | 'gatewayUrls'>;
let books: Books;
let balancer: LoadBalancer;
let flaky: FlakyUpstream;
let load: ReturnType<typeof startPaced> | undefined;
/** When a service was last found dead. */
let goneAt = 0;

beforeAll(async () => {
  stack = await startTestStack({
    home,
    port: await freePort(),
    moreGateways: 1,
    onCrash: () => (goneAt = Date.now()),
    env: async (service) => (service.startsWith('gateway') ? { DRAIN_S: '1' } : {}) as Record<string, string>,
  });
  at = { ...stack, cookie: await signIn(stack.baseUrl, testAdmin) };
  books = openBooks(stack.databaseUrl);
  balancer = await startLoadBalancer(stack.gatewayUrls);
  flaky = await startFlakyUpstream(stack.simulatorUrl);
}, 120_000);

afterAll(async () => {
  await Promise.all([load?.stop(), balancer?.stop()]);
  await books?.close();
  await stack?.stop();
  await flaky?.stop();
  rmSync(home, { recursive: true, force: true });
}, 60_000);

/** One after the other: on a machine that is too busy one of them may be late to say again that it is ready. */
const bothReady = async (): Promise<void> => {
  for (const url of stack.gatewayUrls)
    await waitFor(() => balancer.ready().includes(url), `the gateway at ${url}`, 60_000);
};
const files = () =>
  readdirSync(join(home, 'spool'), { recursive: true, withFileTypes: true }).filter((each) => each.isFile());

/** Exactly the requests of these outcomes are in the books, each once and at its price. */
async function expectExact(keyId: string, outcomes: readonly Outcome[], lost: number): Promise<void> {
  const answered = outcomes.filter(isGood).flatMap(({ id }) => id ?? []);
  await waitFor(() => files().length === 0, 'empty spools', 60_000, 100);
  expect((await checkBooks(stack.databaseUrl, answered)).findings).toEqual([]);
  const sql = `SELECT count(*)::int AS rows FROM billing.usage WHERE key_id = $1`;
  const rows = Number((await books.one(sql, [keyId]))['rows']);
  expect(rows).toBeGreaterThanOrEqual(answered.length);
  // What broke with a killed gateway may have been on its disk already.
  expect(rows).toBeLessThanOrEqual(answered.length + lost);
}

/**
 * Resolves once every stream has begun and a third of them are under way at that gateway, with what will become of them. On a busy
 * machine the first may be over when the last begins: all of these go to `over`, and longer ones follow.
 */
async function openStreams(
  key: string,
  url: string,
  over: Outcome[],
  words = 30,
): Promise<Promise<Outcome>[]> {
  let begun = 0;
  const script = { words, chunk_delay_ms: 150 };
  const streams = Array.from({ length: STREAMS }, () =>
    send(balancer.url, key, { stream: true, script }, () => (begun += 1)),
  );
  await waitFor(() => begun === STREAMS, 'every stream', 60_000);
  if ((await balancer.connections(url)).open > STREAMS / 3) return streams;
  over.push(...(await Promise.all(streams)));
  return openStreams(key, url, over, LONGER_WORDS);
}

test(
  `each gateway is replaced in turn under ${STREAMS} streams: none is cut, and no request fails`,
  async () => {
    const { key, id } = await makeKey(at);
    await bothReady();
    load = startPaced(balancer.url, key, PER_SECOND, 'sim-chat');
    const streams: Outcome[] = [];
    for (const [name, { url, process: gateway }] of stack.services) {
      if (!name.startsWith('gateway')) continue;
      const open = await openStreams(key, url, streams);
      const stopped = gateway.stop();
      await waitFor(() => !balancer.ready().includes(url), 'the balancer', 5_000);
      streams.push(...(await Promise.all(open)));
      await stopped;
      gateway.start();
      await bothReady();
    }
    const outcomes = [...streams, ...(await load.stop())];
    expect(goneAt).toBe(0);
    expect(streams.length).toBeGreaterThanOrEqual(2 * STREAMS);
    expect(outcomes.filter((outcome) => !isGood(outcome))).toEqual([]);
    await expectExact(id, outcomes, 0);
  },
  PATIENCE_MS,
);

test('connections that clients keep open after a stream do not hold up a gateway that is told to stop', async () => {
  const { key } = await makeKey(at);
  await bothReady();
  const gateway = stack.services.get('gateway-2');
  const agent = new Agent({ keepAlive: true, maxSockets: 2 });
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, () => send(gateway?.url ?? '', key, { stream: true, agent })),
  );
  expect(outcomes.filter(isGood)).toHaveLength(8);
  expect(Object.values(agent.freeSockets).flat()).toHaveLength(2);
  const late = sleep(10_000, 'late', { ref: false });
  expect(await Promise.race([gateway?.process.stop(), late])).toBeUndefined();
  gateway?.process.start();
  await bothReady();
  agent.destroy();
});

async function publishFlaky(): Promise<{ key: string; id: string }> {
  await admin(at, 'PUT', '/api/catalogue/upstreams/flaky', {
    base_url: flaky.url,
    protocols: ['openai-chat'],
    credentials: [{ name: 'default', secret: 'a-credential' }],
    allow_private_addresses: true,
  });
  await admin(at, 'PUT', `/api/catalogue/groups/${GROUP}`, { ratio: '1', models: ['sim-chat'] });
  await admin(at, 'PUT', `/api/catalogue/pools/${GROUP}?before=simulated`, {
    groups: [GROUP],
    models: ['*'],
    members: [{ upstream: 'flaky' }, { upstream: 'simulator' }],
  });
  const made = await makeKey(at, { group: GROUP });
  for (const url of stack.gatewayUrls) {
    await waitFor(async () => {
      const before = flaky.passed() + flaky.failed();
      await send(url, made.key, {});
      return flaky.passed() + flaky.failed() > before;
    }, 'the pool');
  }
  return makeKey(at, { group: GROUP });
}

test(
  `${SECONDS} s with an upstream that fails half of its requests and a gateway that is killed: nobody else notices`,
  async () => {
    const { key, id } = await publishFlaky();
    await bothReady();
    load = startPaced(balancer.url, key, PER_SECOND, 'sim-chat');
    const failedBefore = flaky.failed();
    await sleep((SECONDS * 1_000) / 2);
    const doomed = stack.services.get('gateway-2');
    const killedAt = Date.now();
    const before = await balancer.connections(doomed?.url ?? '');
    doomed?.process.kill();
    await waitFor(() => goneAt >= killedAt, 'the end of the gateway');
    const after = await balancer.connections(doomed?.url ?? '');
    await sleep((SECONDS * 1_000) / 2);
    await bothReady();
    const outcomes = await load.stop();
    const failed = outcomes.filter((outcome) => !isGood(outcome));
    expect(flaky.failed() - failedBefore).toBeGreaterThan(10);
    expect(outcomes.length).toBeGreaterThan(PER_SECOND * SECONDS * 0.8);
    // A process that is killed has its connections until the system has taken it apart.
    expect(failed.filter(({ sentAt, endedAt }) => sentAt > goneAt || endedAt < killedAt)).toEqual([]);
    // One for each connection that it had, or got until it was gone.
    expect(failed.length).toBeLessThanOrEqual(before.open + after.opened - before.opened);
    await expectExact(id, outcomes, failed.length);
  },
  PATIENCE_MS,
);
