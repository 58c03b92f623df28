import { randomBytes } from 'node:crypto';
import { type RunningRedis, startRedis, waitFor } from '@tollgate/harness';
import { connectRedis, createLogger } from '@tollgate/platform';
import { createLeases } from './leases.ts';
import { createIdempotency, type Idempotency, type IdempotentRequest } from './idempotency.ts';
import { createKeptBytes } from './kept-bytes.ts';

const LEASE_MS = 20_000;
let server: RunningRedis;
let redis: ReturnType<typeof connectRedis>;
beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis(server.url, createLogger('test', 'silent'), { timeoutMs: 20_000 });
  await waitFor(() => redis.status === 'ready', 'Redis');
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
afterEach(() => redis.flushall());

function gateway(ttlMs = 86_400_000): Idempotency {
  const keptBytes = createKeptBytes(redis, { name: 'idempotency', perAccount: 10_000, inAll: 15_000, ttlMs });
  return createIdempotency(createLeases(redis, LEASE_MS), keptBytes, {
    keys: [randomBytes(32)],
    ttlMs,
    maxBytes: 1_000,
    waitMs: 20_000,
    leaseMs: LEASE_MS,
  });
}
const asked = (accountId: string, idempotencyKey: string): IdempotentRequest => ({
  apiKeyId: `key of ${accountId}`,
  accountId,
  idempotencyKey,
  method: 'POST',
  path: '/v1/chat/completions',
  query: '',
  body: Buffer.from('{}'),
  stream: false,
  deadlineAt: Number.POSITIVE_INFINITY,
  signal: new AbortController().signal,
  admitDuplicate: async () => undefined,
});

/** What a request is told of an answer of 800 bytes. */
async function keep(own: Idempotency, accountId: string, key: string): Promise<string | undefined> {
  const execution = await own.begin(asked(accountId, key));
  if (execution.kind !== 'execution') throw new Error(`it is ${execution.kind}`);
  const headers = await execution.keep({ status: 200, headers: {}, body: Buffer.alloc(800, 'x') });
  await execution.release();
  return headers['x-tollgate-idempotency'];
}
/** How many answers of an account are kept before one is not. */
async function countKept(own: Idempotency, accountId: string): Promise<number> {
  for (let kept = 0; ; kept += 1) {
    const said = await keep(own, accountId, `${accountId} ${kept}`);
    if (said === 'no-room') return kept;
    expect(said).toBe('stored');
  }
}

test('an account may keep so much, and all together so much; what does not fit may run again', async () => {
  const own = gateway();
  expect(await countKept(own, 'account_1')).toBe(8);
  const second = await countKept(own, 'account_2');
  expect(second).toBeGreaterThan(0);
  expect(second).toBeLessThan(8);
  expect(await countKept(own, 'account_3')).toBe(0);
  expect(await keep(own, 'account_1', 'one more')).toBe('no-room');
  expect((await own.begin(asked('account_1', 'one more'))).kind).toBe('execution');
});

test('what has lapsed makes room', async () => {
  const own = gateway(240);
  expect(await countKept(own, 'account_1')).toBeGreaterThan(0);
  let tries = 0;
  await waitFor(async () => (await keep(own, 'account_1', `later ${(tries += 1)}`)) === 'stored', 'the room');
});

test('a full Redis keeps nothing, and every request runs', async () => {
  await redis.config('SET', 'maxmemory', '1');
  try {
    expect(await gateway().begin(asked('account_1', 'while it is full'))).toMatchObject({
      kind: 'execution',
      keepsAnswer: false,
    });
  } finally {
    await redis.config('SET', 'maxmemory', '0');
  }
});
