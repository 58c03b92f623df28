import { randomUUID } from 'node:crypto';
import { type Upstream, upstreamSchema } from '@tollgate/catalogue';
import { type UpstreamTest, upstreamTestRedisKey, type UpstreamTestResult } from '@tollgate/contracts';
import { type RunningRedis, startRedis, waitFor } from '@tollgate/harness';
import { connectRedis, createLogger, seal } from '@tollgate/platform';
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
let routing: RoutingTable;
beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis(server.url, logger, { timeoutMs: 20_000 });
  await waitFor(() => redis.status === 'ready', 'Redis');
  own = await simulate();
  clients = createUpstreamClients(SEAL_KEY);
  routing = buildRoutingTable({ ...priceSnapshot({}), version: 7 }, clients.update([]));
});
afterAll(async () => {
  await clients.close();
  await own.close();
  redis.disconnect();
  await server.stop();
});

const candidate = (more: object = {}): Upstream =>
  upstreamSchema.parse({
    name: 'new-one',
    base_url: own.url,
    protocols: ['openai-chat'],
    credentials: [{ name: 'default', sealed: seal('very-secret', SEAL_KEY) }],
    allow_private_addresses: true,
    ...more,
  });

async function tryOut(more: Partial<UpstreamTest>): Promise<UpstreamTestResult | null> {
  const test: UpstreamTest = {
    id: randomUUID(),
    version: 7,
    upstream: 'new-one',
    credential: 'default',
    protocol: 'openai-chat',
    model: 'the-model',
    candidate: candidate(),
    ...more,
  };
  const carryOut = createUpstreamTests({
    self: 'one',
    redis,
    clients,
    table: () => routing,
    refresh: () => Promise.resolve(),
    logger,
  });
  await carryOut(test);
  return JSON.parse((await redis.get(upstreamTestRedisKey(test.id))) ?? 'null') as UpstreamTestResult | null;
}

describe('a model that holds no conversations', () => {
  test.each([
    ['embed', 'openai-chat', {}, '/v1/embeddings'],
    ['embed', 'gemini', {}, '/v1beta/models/the-model:batchEmbedContents'],
    [
      'embed',
      'gemini',
      { task_formats: { embed: 'gemini-single' } },
      '/v1beta/models/the-model:embedContent',
    ],
    ['embed', 'openai-chat', { task_formats: { embed: 'cohere' } }, '/v2/embed'],
    ['rerank', 'openai-chat', {}, '/v1/rerank'],
    ['rerank', 'openai-chat', { task_formats: { rerank: 'cohere' } }, '/v2/rerank'],
    ['rerank', 'openai-chat', { task_formats: { rerank: 'tei' } }, '/rerank'],
    ['moderate', 'openai-chat', {}, '/v1/moderations'],
    ['complete', 'openai-chat', {}, '/v1/completions'],
    ['speak', 'openai-chat', {}, '/v1/audio/speech'],
  ] as const)('is asked to %s in the words of %s %j', async (operation, protocol, more, url) => {
    const tried = await tryOut({
      candidate: candidate({ protocols: [protocol], ...more }),
      protocol,
      operation,
    });
    expect(tried).toMatchObject({ ok: true, status: 200, error: null });
    expect((await own.requests()).at(-1)?.url).toBe(url);
  });

  test.each(['draw', 'edit', 'transcribe', 'translate', 'realtime'] as const)(
    'is only looked for among the models that are listed, where to %s would cost more',
    async (operation) => {
      expect(await tryOut({ operation, model: 'sim-chat' })).toMatchObject({ ok: true, status: 200 });
      expect((await own.requests()).at(-1)).toMatchObject({ method: 'GET', url: '/v1/models' });
      const unlisted = await tryOut({ operation, model: 'not-there' });
      expect(unlisted).toMatchObject({ ok: false, error: expect.stringContaining('not-there') });
    },
  );
});
