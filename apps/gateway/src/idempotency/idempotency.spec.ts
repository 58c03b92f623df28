import { randomBytes } from 'node:crypto';
import { type RunningRedis, startRedis, startTcpProxy, waitFor } from '@tollgate/harness';
import { connectRedis, createLogger, type Keyring } from '@tollgate/platform';
import { relayError } from '@tollgate/protocols';
import { createLeases } from './leases.ts';
import { createKeptBytes } from './kept-bytes.ts';
import {
  createIdempotency,
  type Idempotency,
  type IdempotentRequest,
  type Execution,
} from './idempotency.ts';

const quiet = createLogger('test', 'silent');
const sealKey = randomBytes(32);
/** Outlasts a moment in which nothing of this machine runs. */
const LEASE_MS = 20_000;
const SETTINGS = {
  keys: [sealKey] as Keyring,
  ttlMs: 86_400_000,
  maxBytes: 1_000,
  waitMs: 20_000,
  leaseMs: LEASE_MS,
};

let server: RunningRedis;
let redis: ReturnType<typeof connectRedis>;
beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis(server.url, quiet, { timeoutMs: 20_000 });
  await waitFor(() => redis.status === 'ready', 'Redis');
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const begun = new Set<Execution>();
afterEach(async () => {
  for (const execution of begun) await execution.release();
  begun.clear();
  await redis.flushall();
});

/** What a gateway has of it; what it began is given back after the test. */
function gateway(
  settings: Partial<typeof SETTINGS> = {},
  on = redis,
  leases = createLeases(on, settings.leaseMs ?? LEASE_MS),
): Idempotency {
  const { ttlMs } = { ...SETTINGS, ...settings };
  const keptBytes = createKeptBytes(on, { name: 'idempotency', perAccount: 10_000, inAll: 15_000, ttlMs });
  const own = createIdempotency(leases, keptBytes, { ...SETTINGS, ...settings });
  return {
    idle: () => own.idle(),
    async begin(request) {
      const answer = await own.begin(request);
      if (answer.kind === 'execution') begun.add(answer);
      return answer;
    },
  };
}

const ASKED: IdempotentRequest = {
  apiKeyId: 'key_1',
  accountId: 'account_1',
  idempotencyKey: 'order 17',
  method: 'POST',
  path: '/v1/chat/completions',
  query: '',
  body: Buffer.from('{}'),
  stream: false,
  deadlineAt: Number.POSITIVE_INFINITY,
  signal: new AbortController().signal,
  admitDuplicate: async () => undefined,
};
const ANSWER = { status: 200, headers: { 'x-request-id': 'req_1' }, body: Buffer.from('{"a":1}') };

const executionOf = async (begun: Promise<{ kind: string }>): Promise<Execution> => {
  const execution = await begun;
  if (execution.kind !== 'execution') throw new Error(`it is ${execution.kind}`);
  return execution as Execution;
};
const redisKeys = () => redis.keys('tollgate:idempotency:*');
const wholeLife = async (execution: Execution) => {
  const headers = await execution.keep(ANSWER);
  await execution.release();
  return headers;
};

test('the first runs, and every later one on any gateway gets its answer for 24 hours', async () => {
  const [one, two] = [gateway(), gateway()];
  const execution = await executionOf(one.begin(ASKED));
  expect([execution.keepsAnswer, execution.headers]).toEqual([true, {}]);
  expect(await wholeLife(execution)).toEqual({ 'x-tollgate-idempotency': 'stored' });
  for (const each of [one, two]) expect(await each.begin(ASKED)).toEqual({ kind: 'replay', answer: ANSWER });
  const ttl = await redis.pttl((await redisKeys())[0] ?? '');
  expect(ttl).toBeLessThanOrEqual(86_400_000);
  expect(ttl).toBeGreaterThan(86_390_000);
});

test.each<[string, Partial<IdempotentRequest>]>([
  ['another body', { body: Buffer.from('{ }') }],
  ['another path', { path: '/v1/messages' }],
])('the same key with %s is refused, while the first runs and after it', async (_what, change) => {
  const own = gateway();
  const execution = await executionOf(own.begin(ASKED));
  const refused = { kind: 'refused', error: { kind: 'idempotency_mismatch' } };
  expect(await own.begin({ ...ASKED, ...change })).toMatchObject(refused);
  await wholeLife(execution);
  expect(await own.begin({ ...ASKED, ...change })).toMatchObject(refused);
});

test.each<[string, Partial<IdempotentRequest>]>([
  ['another API key', { apiKeyId: 'key_2' }],
  ['another Idempotency-Key', { idempotencyKey: 'order 18' }],
])('%s is another request', async (_what, change) => {
  const own = gateway();
  await executionOf(own.begin(ASKED));
  expect((await own.begin({ ...ASKED, ...change })).kind).toBe('execution');
});

test('a hundred duplicates on two gateways: one runs, the others wait for its answer', async () => {
  const gateways = [gateway(), gateway()] as const;
  const ran: Execution['headers'][] = [];
  const kinds = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const begun = await gateways[index % 2 ? 1 : 0].begin(ASKED);
      if (begun.kind !== 'execution') return begun;
      ran.push(begun.headers);
      await waitFor(async () => (await redisKeys()).length === 1, 'the lease');
      await wholeLife(begun);
      return undefined;
    }),
  );
  expect(ran).toEqual([{}]);
  expect(kinds.filter((each) => each !== undefined)).toEqual(
    Array.from({ length: 99 }, () => ({ kind: 'replay', answer: ANSWER })),
  );
});

test('what brought no answer to keep is given back: the duplicate that waited runs', async () => {
  const own = gateway();
  const first = await executionOf(own.begin(ASKED));
  const duplicate = own.begin(ASKED);
  await first.release();
  expect((await duplicate).kind).toBe('execution');
});

test('a lease lasts for as long as its request runs, and lapses with its gateway', async () => {
  const leaseMs = 3_000;
  const own = gateway({ leaseMs });
  const execution = await executionOf(own.begin(ASKED));
  const [redisKey = ''] = await redisKeys();
  await redis.pexpire(redisKey, 60_000);
  await waitFor(async () => (await redis.pttl(redisKey)) <= leaseMs, 'the renewal');
  await execution.release();
  // As a gateway takes it that is killed then: nobody renews it.
  await createLeases(redis, leaseMs).take(redisKey, Buffer.from(`c${'0'.repeat(64)}`));
  expect(await own.begin(ASKED)).toMatchObject({ kind: 'refused' });
  await waitFor(async () => (await redis.exists(redisKey)) === 0, 'the end of the lease');
  expect((await own.begin(ASKED)).kind).toBe('execution');
});

test('who lost the lease to another does not overwrite its answer', async () => {
  const leases = createLeases(redis, 60_000);
  const [old, young] = [Buffer.from('old'), Buffer.from('young')];
  expect(await leases.take('{p}', old)).toBeUndefined();
  await redis.del('{p}');
  expect(await leases.take('{p}', young)).toBeUndefined();
  await leases.renew('{p}', old);
  await leases.release('{p}', old);
  expect(await leases.store('{p}', old, Buffer.from('wrong'), 1_000)).toBe(false);
  expect(await redis.get('{p}')).toBe('young');
  expect(await leases.store('{p}', young, Buffer.from('right'), 60_000)).toBe(true);
  expect(await redis.get('{p}')).toBe('right');
});

test('a lease that Redis lost is as good as ours while nobody else has it', async () => {
  const own = gateway();
  const execution = await executionOf(own.begin(ASKED));
  await redis.flushall();
  expect(await wholeLife(execution)).toEqual({ 'x-tollgate-idempotency': 'stored' });
  expect((await own.begin(ASKED)).kind).toBe('replay');
});

test('an answer that is too large is not kept, and says so', async () => {
  const own = gateway();
  const execution = await executionOf(own.begin(ASKED));
  expect(await execution.keep({ ...ANSWER, body: Buffer.alloc(1_001) })).toEqual({
    'x-tollgate-idempotency': 'too-large',
  });
  await execution.release();
  expect(await redisKeys()).toEqual([]);
});

test('a stream keeps no answer; its duplicate is refused while it runs, and runs after it', async () => {
  const own = gateway();
  const stream = { ...ASKED, stream: true };
  const execution = await executionOf(own.begin(stream));
  expect([execution.keepsAnswer, execution.headers]).toEqual([false, { 'x-tollgate-idempotency': 'stream' }]);
  expect(await own.begin(stream)).toMatchObject({
    kind: 'refused',
    error: { kind: 'idempotency_in_use', retryAfterMs: 1_000 },
  });
  await execution.release();
  expect((await own.begin(stream)).kind).toBe('execution');
});

test('a duplicate waits no longer than it is let, than its caller, and than its caller is there', async () => {
  const impatient = gateway({ waitMs: 100 });
  await executionOf(impatient.begin(ASKED));
  const inUse = { kind: 'refused', error: { kind: 'idempotency_in_use' } };
  expect(await impatient.begin(ASKED)).toMatchObject(inUse);
  const patient = gateway({ waitMs: Number.POSITIVE_INFINITY });
  expect(await patient.begin({ ...ASKED, deadlineAt: performance.now() + 400 })).toMatchObject(inUse);
  const caller = new AbortController();
  const waiting = gateway().begin({ ...ASKED, signal: caller.signal });
  caller.abort();
  expect(await waiting).toEqual({ kind: 'gone' });
});

test('a duplicate is admitted once, however long it waits, and its refusal is the answer', async () => {
  const own = gateway();
  const execution = await executionOf(own.begin(ASKED));
  let admitted = 0;
  const waiting = own.begin({ ...ASKED, admitDuplicate: async () => void (admitted += 1) });
  const error = relayError('rate_limited', 'Too many requests.');
  expect(await own.begin({ ...ASKED, admitDuplicate: async () => error })).toEqual({
    kind: 'refused',
    error,
  });
  await waitFor(() => admitted > 0, 'the admission');
  await wholeLife(execution);
  expect((await waiting).kind).toBe('replay');
  expect(admitted).toBe(1);
});

test('what cannot be opened is not answered: the request runs without protection', async () => {
  const own = gateway();
  await wholeLife(await executionOf(own.begin(ASKED)));
  const [redisKey = ''] = await redisKeys();
  const bytes = (await redis.getBuffer(redisKey)) ?? Buffer.alloc(0);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  await redis.set(redisKey, bytes);
  expect((await executionOf(own.begin(ASKED))).headers).toEqual({ 'x-tollgate-idempotency': 'unavailable' });
});

test.each<[string, 'cut' | 'blackhole']>([
  ['is away', 'cut'],
  ['hangs', 'blackhole'],
])('while Redis %s requests run and say that they are not protected', async (_how, fault) => {
  const link = await startTcpProxy({ port: server.port });
  // A time that a busy machine does not need by itself: the first of these must reach Redis.
  const linked = connectRedis(`redis://127.0.0.1:${link.port}`, quiet, { timeoutMs: 1_000 });
  try {
    await waitFor(() => linked.status === 'ready', 'the link');
    const own = gateway({}, linked);
    const before = await executionOf(own.begin(ASKED));
    link[fault]();
    expect(await wholeLife(before)).toEqual({ 'x-tollgate-idempotency': 'unavailable' });
    const execution = await executionOf(own.begin(ASKED));
    expect(execution.headers).toEqual({ 'x-tollgate-idempotency': 'unavailable' });
    expect(await wholeLife(execution)).toEqual({});
  } finally {
    linked.disconnect();
    await link.stop();
  }
});

test('a stop waits for what runs, and until its key is given back', async () => {
  const [gate, leases] = [Promise.withResolvers<void>(), createLeases(redis, LEASE_MS)];
  const release: typeof leases.release = (...of) => gate.promise.then(() => leases.release(...of));
  const own = gateway({}, redis, { ...leases, release });
  const execution = await executionOf(own.begin(ASKED));
  const stopped = own.idle().then(() => 'stopped');
  expect(await Promise.race([stopped, redis.ping()])).toBe('PONG');
  execution[Symbol.dispose]();
  expect(await Promise.race([stopped, redis.ping()])).toBe('PONG');
  gate.resolve();
  expect([await stopped, await redis.dbsize()]).toEqual(['stopped', 0]);
});

test('after a change of the key, answers and requests under way of the former one are found', async () => {
  const next = randomBytes(32);
  const [former, both, later] = [gateway(), gateway({ keys: [next, sealKey] }), gateway({ keys: [next] })];
  await wholeLife(await executionOf(former.begin(ASKED)));
  expect(await both.begin(ASKED)).toEqual({ kind: 'replay', answer: ANSWER });
  expect(await both.begin({ ...ASKED, body: Buffer.from('other') })).toMatchObject({ kind: 'refused' });

  const other = { ...ASKED, idempotencyKey: 'order 18' };
  const execution = await executionOf(former.begin(other));
  const duplicate = both.begin(other);
  await wholeLife(execution);
  expect(await duplicate).toEqual({ kind: 'replay', answer: ANSWER });

  const last = { ...ASKED, idempotencyKey: 'order 19' };
  await wholeLife(await executionOf(both.begin(last)));
  expect(await later.begin(last)).toEqual({ kind: 'replay', answer: ANSWER });
});
