import { type UpstreamTest, upstreamTestRedisKey, type UpstreamTestResult } from '@tollgate/contracts';
import { randomUUID } from 'node:crypto';
import { upstreamSchema } from '@tollgate/catalogue';
import { type RunningRedis, startRedis, waitFor } from '@tollgate/harness';
import { connectRedis, createLogger, seal } from '@tollgate/platform';
import { appSecret, makeLongTermSecret } from '@tollgate/simulator/clouds';
import { CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import type { Redis } from 'ioredis';
import { type Simulated, simulate } from '../../testing/forwarding.ts';
import { priceSnapshot } from '../../testing/price-snapshot.ts';
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
  redis = connectRedis(server.url, logger, { timeoutMs: 20_000 });
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
  table = buildRoutingTable({ ...priceSnapshot({ upstreams }), version: 7 }, clients.update(upstreams));
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

const accessKey = JSON.stringify({
  access_key_id: 'AKIASIMLISTS',
  secret_access_key: makeLongTermSecret('AKIASIMLISTS'),
});
const aws = { kind: 'aws', region: 'us-east-1' } as const;
const bearer = { kind: 'static', header: 'authorization', prefix: 'Bearer ' } as const;
const lists = (...paths: string[]) => ({
  // Another host than that of its models, as at AWS.
  model_lists: paths.map((path) => own.url.replace('127.0.0.1', 'localhost') + path),
});
const bedrockLists = () =>
  lists('/aws/bedrock/foundation-models', '/aws/bedrock/inference-profiles?maxResults=2');
const NOVA = ['amazon.nova-lite-v1:0', 'openai.gpt-oss-120b-1:0'];
const CLAUDE = ['us.anthropic.claude-sonnet-5', 'global.anthropic.claude-sonnet-5'];

describe('a cloud that lists its models at another address', () => {
  const list = async (secret: string, more: object, protocol: UpstreamTest['protocol']) => {
    const upstream = candidate({
      protocols: [protocol],
      credentials: [{ name: 'default', sealed: seal(secret, SEAL_KEY) }],
      ...more,
    });
    const test = testOf({ upstream: 'new-one', model: null, protocol, candidate: upstream });
    await gateway('one')(test);
    return resultOf(test);
  };

  test.each([
    ['a signature', accessKey, aws],
    ['a key of Bedrock', 'bedrock-key', bearer],
  ])('is asked there with %s, all pages', async (_what, secret, auth) => {
    const base_url = `${own.url}/aws/bedrock-runtime`;
    const all = await list(secret, { base_url, auth, ...bedrockLists() }, 'bedrock-converse');
    expect(all).toMatchObject({ ok: true, status: 200 });
    const haiku = 'anthropic.claude-3-haiku-20240307-v1:0';
    expect(all?.models).toEqual([...NOVA, haiku, 'us.amazon.nova-2-lite-v1:0', ...CLAUDE]);
    const wrapping = { 'anthropic-messages': 'bedrock' };
    const carried = await list(secret, { base_url, auth, wrapping, ...bedrockLists() }, 'anthropic-messages');
    expect(carried?.models).toEqual([haiku, ...CLAUDE]);
  });

  test('says why it refuses', async () => {
    const refused = await list('wrong', { auth: bearer, ...bedrockLists() }, 'bedrock-converse');
    expect(refused).toMatchObject({
      ok: false,
      status: 403,
      error: expect.stringMatching(/invalid API Key/),
    });
  });

  test('names models of partners on Vertex with their versions', async () => {
    const made = await fetch(`${own.url}/__sim/clouds/service-accounts/lists`, { method: 'POST' });
    const serviceAccount = await made.text();
    const ask = (publisher: string) =>
      list(
        serviceAccount,
        { auth: { kind: 'google' }, ...lists(`/google/v1beta1/publishers/${publisher}/models?pageSize=1`) },
        'gemini',
      );
    expect((await ask('google'))?.models).toEqual([
      'gemini-2.5-flash',
      'gemini-3.5-flash',
      'gemini-embedding-001',
    ]);
    expect((await ask('anthropic'))?.models).toEqual([
      'claude-sonnet-5@default',
      'claude-haiku-4-5@20251001',
    ]);
    expect(await ask('nobody')).toMatchObject({ ok: false, status: 404 });
  });

  test('is not asked in a private network unless that is allowed', async () => {
    const { model_lists } = bedrockLists();
    const asked = {
      base_url: 'https://b.example',
      model_lists,
      allow_private_addresses: false,
      auth: bearer,
    };
    expect(await list('key', asked, 'bedrock-converse')).toMatchObject({
      ok: false,
      error: expect.stringMatching(/not allowed|private|loopback/i),
    });
  });
});

test('an unpublished upstream in a private network is not reached unless that is allowed', async () => {
  const test = testOf({ candidate: candidate({ allow_private_addresses: false }) });
  await gateway('one')(test);
  expect(await resultOf(test)).toMatchObject({
    ok: false,
    error: expect.stringMatching(/not allowed|loopback/i),
  });
});
