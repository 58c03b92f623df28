import { type KeyRecord, keyRecordRedisKey, keyRecordSchema, MESSAGE } from '@tollgate/contracts';
import {
  startTcpProxy,
  type TcpProxy,
  waitFor,
  TEST_ANSWER_MS,
  TEST_SERVICE_SECRET,
} from '@tollgate/harness';
import { createRequestReplyClient } from '@tollgate/platform';
import { type Pair, startPair } from '../../testing/billing-service.ts';
import { type KeyListener, listenForKeys } from '../../testing/listener.ts';
import { call, signIn } from '../../testing/people.ts';
import { hashKey } from './key-secret.ts';

type Key = Record<string, unknown> & { readonly id: string; readonly key: string };

let pair: Pair;
let proxy: TcpProxy;
let cookie: string;
let listener: KeyListener;
beforeAll(async () => {
  pair = await startPair(async ({ redisServer }) => {
    proxy = await startTcpProxy({ port: redisServer.port });
    return { REDIS_URL: `redis://127.0.0.1:${proxy.port}` };
  });
  cookie = await signIn(pair.billing.url, pair.environment.first.email);
  listener = await listenForKeys(pair.environment.redisServer.url);
});
afterAll(async () => {
  listener.close();
  await pair.stop();
  await proxy.stop();
});

const send = <T>(method: string, path: string, body?: object) =>
  call<T>({ url: pair.billing.url, cookie }, method, `/api/keys${path}`, body);
async function make(): Promise<{ id: string; hash: string }> {
  const { status, body } = await send<Key>('POST', '', { name: 'a key' });
  expect(status).toBe(201);
  return { id: body.id, hash: hashKey(body.key) };
}
async function recordOf(hash: string): Promise<KeyRecord | null> {
  const text = await pair.environment.redis.get(keyRecordRedisKey(hash));
  return text === null ? null : keyRecordSchema.nullable().parse(JSON.parse(text));
}
const heardOf = (hash: string) => listener.heard.filter(({ key_hash }) => key_hash === hash).length;

test('a new key has its record in Redis and is announced', async () => {
  const { id, hash } = await make();
  await waitFor(() => heardOf(hash) > 0, 'the event');
  expect(await recordOf(hash)).toMatchObject({
    key_id: id,
    key_hash: hash,
    account_id: pair.environment.first.accountId,
    status: 'active',
    account_status: 'active',
    credit_limited: false,
    budgets: [],
    time_zone: 'UTC',
    revision: 1,
  });
  expect(await pair.environment.redis.ttl(keyRecordRedisKey(hash))).toBeGreaterThan(0);
});

test('a key that is disabled is so in Redis, and announced', async () => {
  const { id, hash } = await make();
  await waitFor(() => heardOf(hash) === 1, 'the first event');
  await send('PATCH', `/${id}`, { status: 'disabled' });
  await waitFor(() => heardOf(hash) === 2, 'the event');
  expect(await recordOf(hash)).toMatchObject({ status: 'disabled', revision: 2 });
});

test('the record of a deleted key is gone', async () => {
  const { id, hash } = await make();
  await waitFor(() => heardOf(hash) === 1, 'the first event');
  await send('DELETE', `/${id}`);
  await waitFor(() => heardOf(hash) === 2, 'the event');
  expect(await recordOf(hash)).toBeNull();
});

test('gateways that ask get the same record, and null for a key that is not or no longer there', async () => {
  const client = createRequestReplyClient(
    `tcp://127.0.0.1:${pair.billing.config.TCP_PORT}`,
    [TEST_SERVICE_SECRET],
    TEST_ANSWER_MS,
  );
  const ask = (key_hash: string) =>
    client.request(MESSAGE.keyLookup, { key_hash }, keyRecordSchema.nullable());
  const { id, hash } = await make();
  await waitFor(() => heardOf(hash) > 0, 'the event');
  expect(await ask(hash)).toEqual(await recordOf(hash));
  await send('DELETE', `/${id}`);
  expect(await ask(hash)).toBeNull();
  expect(await ask('0'.repeat(64))).toBeNull();
  client.close();
});

test.each<[string, () => void]>([
  ['refuses connections', () => proxy.cut()],
  ['does not answer', () => proxy.blackhole()],
])('while Redis %s a change is stored, and it is announced once Redis is back', async (_how, breakIt) => {
  const { id, hash } = await make();
  await waitFor(() => heardOf(hash) === 1, 'the first event');
  breakIt();
  const { status, body } = await send('PATCH', `/${id}`, { status: 'disabled' });
  expect([status, body]).toMatchObject([200, { status: 'disabled' }]);
  expect(await recordOf(hash)).toMatchObject({ status: 'active' });
  const [noted]: { rows: number }[] = await pair.environment.database.query(
    'SELECT count(*)::int AS rows FROM billing.key_change_outbox WHERE key_hash = $1',
    [hash],
  );
  expect(noted?.rows).toBe(1);

  proxy.restore();
  await waitFor(() => heardOf(hash) >= 2, 'the event');
  expect(await recordOf(hash)).toMatchObject({ status: 'disabled', revision: 2 });
  await waitFor(async () => {
    const rows: unknown[] = await pair.environment.database.query('SELECT 1 FROM billing.key_change_outbox');
    return rows.length === 0;
  }, 'an empty outbox');
});
