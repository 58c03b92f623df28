import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type RunningStack, waitFor, newStackSecrets } from '@tollgate/harness';
import { openBooks } from '../books.ts';
import { call, GOOD } from '../call.ts';
import { admin, type TestStack, makeKey, signIn } from '../shared-stack.ts';
import { isGood, startPaced } from '../reliability/clients.ts';
import { type LoadBalancer, startLoadBalancer } from '../reliability/load-balancer.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';

// Every service is started again here: that needs a stack of its own.
const home = mkdtempSync(join(tmpdir(), 'tollgate-rotation-'));
const [former, next] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
let stack: RunningStack;
let balancer: LoadBalancer;
let load: ReturnType<typeof startPaced> | undefined;
let at: Pick<TestStack, 'baseUrl' | 'cookie'>;

beforeAll(async () => {
  stack = await startTestStack({
    home,
    port: await freePort(),
    moreGateways: 1,
    secrets: { ...newStackSecrets(), seal_key: former },
    env: async (service) => (service.startsWith('gateway') ? { DRAIN_S: '1' } : {}) as Record<string, string>,
  });
  at = { ...stack, cookie: await signIn(stack.baseUrl, testAdmin) };
  balancer = await startLoadBalancer(stack.gatewayUrls);
}, 120_000);

afterAll(async () => {
  await load?.stop();
  await balancer?.stop();
  await stack?.stop();
  rmSync(home, { recursive: true, force: true });
}, 60_000);

const isReady = async (url: string) => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok;

const reseal = () => admin(at, 'POST', '/api/catalogue/reseal', {});

async function replace(name: string, settings: Record<string, string>): Promise<void> {
  const service = stack.services.get(name);
  if (!service) throw new Error(`there is no ${name}`);
  await service.process.stop();
  service.process.start(settings);
  await waitFor(() => isReady(service.url), name, 30_000);
}

/** Replaces pricing, and one gateway after the other. */
async function rollOut(settings: Record<string, string>): Promise<void> {
  const pricing = replace('pricing', settings);
  for (const name of ['gateway', 'gateway-2']) {
    await replace(name, settings);
    await waitFor(() => balancer.ready().length === 2, 'both gateways', 30_000);
  }
  await pricing;
}

/** The names of the keys that the newest version's credentials are sealed with. */
async function sealedWith(): Promise<string[]> {
  const books = openBooks(stack.databaseUrl);
  const { catalogue = '' } = await books.one(
    'SELECT catalogue FROM pricing.snapshot ORDER BY version DESC LIMIT 1',
  );
  await books.close();
  return [...new Set([...catalogue.matchAll(/sealed\.v1\.([0-9a-f]{8})\./g)].map(([, id = '']) => id))];
}

test('SEAL_KEY is changed under load: no request fails, and in the end the former key opens nothing and is not needed', async () => {
  const { key } = await makeKey(at);
  const once = () =>
    call(`${balancer.url}${GOOD.chat.path}`, {
      headers: { authorization: `Bearer ${key}`, 'idempotency-key': 'order 17' },
      body: GOOD.chat.body,
    });
  const first = await once();
  const before = await sealedWith();
  load = startPaced(balancer.url, key, 10, 'sim-chat');

  await rollOut({ SEAL_KEYS_OTHER: next });
  await rollOut({ SEAL_KEY: next, SEAL_KEYS_OTHER: former });
  const repeated = await once();
  expect([repeated.text, repeated.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
  const resealed = await reseal();
  expect(resealed).toMatchObject({ changed: true, upstreams: ['simulator'] });
  expect(await reseal()).toMatchObject({ changed: false, upstreams: [] });
  await rollOut({ SEAL_KEYS_OTHER: '' });

  const outcomes = await load.stop();
  expect(outcomes.length).toBeGreaterThan(50);
  expect(outcomes.filter((outcome) => !isGood(outcome))).toEqual([]);
  const after = await sealedWith();
  expect([before.length, after.length, before[0] === after[0]]).toEqual([1, 1, false]);
  const answer = await admin(at, 'POST', '/api/catalogue/upstreams/simulator/test', {});
  expect(answer).toMatchObject({ ok: true });
}, 180_000);
