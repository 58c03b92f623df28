import { type UpstreamTest, upstreamTestRedisKey, type UpstreamTestResult } from '@tollgate/contracts';
import { randomUUID } from 'node:crypto';
import { type PriceSnapshot, upstreamSchema } from '@tollgate/catalogue';
import { type RunningRedis, startRedis, waitFor } from '@tollgate/harness';
import { connectRedis, createLogger, seal } from '@tollgate/platform';
import { appSecret } from '@tollgate/simulator/clouds';
import { CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import type { Redis } from 'ioredis';
import { type Simulated, simulate } from '../../testing/forwarding.ts';
import { buildRoutingTable, type RoutingTable } from '../route/routing-table.ts';
import type { UpstreamClients } from '../route/upstream-client.ts';
import { createUpstreamClients } from './upstream-clients.ts';
import { createUpstreamTests } from './upstream-tests.ts';

const SEAL_KEY = Buffer.alloc(32, 1);
const logger = createLogger('test', 'silent');

let server: RunningRedis;
let redis: Redis;
let own: Simulated;
let clients: UpstreamClients;
let table: RoutingTable;
beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis(server.url, logger);
  await waitFor(() => redis.status === 'ready', 'Redis');
  own = await simulate();
  clients = createUpstreamClients(SEAL_KEY);
  const upstream = (name: string, more: object) =>
    upstreamSchema.parse({
      name,
      base_url: own.url,
      protocols: [...CLIENT_PROTOCOLS],
      credentials: [{ name: 'first', sealed: seal('very-secret', SEAL_KEY) }],
      allow_private_addresses: true,
      ...more,
    });
  const upstreams = [
    upstream('east', { set_headers: { 'x-org': 'ours' }, set_parameters: { store: false } }),
    upstream('claude', { set_headers: { 'x-org': 'ours' }, set_parameters: { service_tier: 'auto' } }),
    upstream('azure', {
      base_url: `${own.url}/azure`,
      auth: { kind: 'azure', tenant_id: 't', client_id: 'app', authority: own.url },
      paths: {
        'openai-chat': {
          generate: '/openai/deployments/{model}/chat/completions?api-version=2024-10-21',
        },
      },
      credentials: [{ name: 'first', sealed: seal(appSecret('app'), SEAL_KEY) }],
    }),
    upstream('guarded', { allow_private_addresses: false }),
    upstream('closed', { base_url: 'http://127.0.0.1:9', disabled: true }),
  ];
  const snapshot = { version: 7, published_at: '2026-11-21T00:00:00.000Z', catalogue: { upstreams } };
  const empty = { models: [], groups: [], pools: [], discounts: [], auto_groups: [], limits: {} };
  table = buildRoutingTable(
    { ...snapshot, catalogue: { ...empty, upstreams } } as unknown as PriceSnapshot,
    clients.update(upstreams),
  );
});
afterAll(async () => {
  await clients.close();
  await own.close();
  redis.disconnect();
  await server.stop();
});

test('a cloud is asked as it wants to be, once more where it refuses a token', async () => {
  await fetch(`${own.url}/__sim/clouds`, { method: 'PUT', body: '{"refuse_next":1}' });
  const test = testOf({ upstream: 'azure', model: 'gpt:4/o' });
  await gateway('one')(test);
  expect(await resultOf(test)).toMatchObject({ ok: true, status: 200 });
  expect((await own.requests()).at(-1)?.url).toBe(
    '/azure/openai/deployments/gpt%3A4%2Fo/chat/completions?api-version=2024-10-21',
  );
});

const testOf = (more: Partial<UpstreamTest> = {}): UpstreamTest => ({
  id: randomUUID(),
  version: 7,
  upstream: 'east',
  credential: 'first',
  protocol: 'openai-chat',
  model: 'sim-chat',
  ...more,
});
const gateway = (self: string, refresh = () => Promise.resolve()) =>
  createUpstreamTests({ self, redis, clients, table: () => table, refresh, logger });
const resultOf = async ({ id }: UpstreamTest) =>
  JSON.parse((await redis.get(upstreamTestRedisKey(id))) ?? 'null') as UpstreamTestResult | null;

test.each([
  ['openai-chat', 'east', { store: false }],
  ['openai-responses', 'east', { store: false }],
  ['anthropic-messages', 'claude', { service_tier: 'auto' }],
  ['gemini', 'east', { store: false }],
] as const)('a tiny request in %s tells that the upstream answers', async (protocol, upstream, set) => {
  const test = testOf({ protocol, upstream });
  await gateway('one')(test);
  expect(await resultOf(test)).toEqual({
    gateway: 'one',
    ok: true,
    status: 200,
    latency_ms: expect.any(Number),
    error: null,
  });
  const sent = (await own.requests()).at(-1);
  expect(sent?.headers['x-org']).toBe('ours');
  expect(JSON.parse(sent?.body ?? '{}')).toMatchObject(set);
});

test('what the upstream says against it is told, without the credential', async () => {
  await own.script({ status: 401 });
  const test = testOf();
  await gateway('one')(test);
  await own.script({});
  expect(await resultOf(test)).toMatchObject({ ok: false, status: 401, error: expect.stringMatching(/401/) });
  expect(JSON.stringify(await resultOf(test))).not.toContain('very-secret');
});

test.each([
  ['guarded', /not allowed|private|loopback/i],
  ['closed', /ECONNREFUSED|connect/i],
  ['unknown', /does not know/],
])('a test of %s says why it failed', async (upstream, error) => {
  const test = testOf({ upstream });
  await gateway('one')(test);
  expect(await resultOf(test)).toMatchObject({
    ok: false,
    status: null,
    error: expect.stringMatching(error),
  });
});

test('of several gateways one carries a test out', async () => {
  const before = await own.count();
  const test = testOf();
  await Promise.all(['one', 'two', 'three'].map((self) => gateway(self)(test)));
  expect((await own.count()) - before).toBe(1);
});

test('a gateway that is behind catches up first, and leaves the test to others where it cannot', async () => {
  let refreshed = 0;
  const test = testOf({ version: 8 });
  await gateway('one', () => Promise.resolve(void (refreshed += 1)))(test);
  expect(refreshed).toBe(1);
  expect(await resultOf(test)).toBeNull();
});

const candidate = (more: object = {}) =>
  upstreamSchema.parse({
    name: 'new-one',
    base_url: own.url,
    protocols: ['openai-chat'],
    credentials: [{ name: 'default', sealed: seal('very-secret', SEAL_KEY) }],
    allow_private_addresses: true,
    ...more,
  });

test('an upstream that nobody published is tried as it would be', async () => {
  const test = testOf({ upstream: 'new-one', credential: 'default', candidate: candidate() });
  await gateway('one')(test);
  expect(await resultOf(test)).toMatchObject({ ok: true, status: 200, error: null });
});

test('it is asked for its models, and what it says instead is said', async () => {
  const test = testOf({ upstream: 'new-one', model: null, candidate: candidate() });
  await gateway('one')(test);
  expect((await resultOf(test))?.models).toContain('sim-chat');
  const wrong = testOf({
    upstream: 'new-one',
    model: null,
    candidate: candidate({ paths: { 'openai-chat': { models: '/nowhere' } } }),
  });
  await gateway('one')(wrong);
  expect(await resultOf(wrong)).toMatchObject({ ok: false, status: 404 });
});

test('an unpublished upstream in a private network is not reached unless that is allowed', async () => {
  const test = testOf({ candidate: candidate({ allow_private_addresses: false }) });
  await gateway('one')(test);
  expect(await resultOf(test)).toMatchObject({
    ok: false,
    error: expect.stringMatching(/not allowed|loopback/i),
  });
});
