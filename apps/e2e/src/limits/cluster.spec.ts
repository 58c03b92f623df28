import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  freePort,
  type RunningRedisCluster,
  type RunningStack,
  startRedisCluster,
  waitFor,
} from '@tollgate/harness';
import { type Books, openBooks } from '../books.ts';
import type { Answer } from '../call.ts';
import {
  ask,
  askMany,
  FLAT,
  openAccount,
  type Owner,
  passed,
  publishModels,
  tally,
} from '../credit/customers.ts';
import { call, GOOD } from '../call.ts';
import { admin, makeKey, signIn } from '../shared-stack.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';

// All services on a Redis Cluster: that needs a stack of its own.
const home = mkdtempSync(join(tmpdir(), 'tollgate-on-cluster-'));
let cluster: RunningRedisCluster;
let stack: RunningStack;
let at: Owner;
let books: Books;

beforeAll(async () => {
  cluster = await startRedisCluster();
  stack = await startTestStack({
    home,
    port: await freePort(),
    moreGateways: 1,
    redisUrl: cluster.url,
    env: async (service): Promise<Record<string, string>> =>
      service.startsWith('gateway') ? { USAGE_QUEUE_SHARDS: '6' } : {},
  });
  at = { ...stack, cookie: await signIn(stack.baseUrl, testAdmin) };
  books = openBooks(stack.databaseUrl);
  await publishModels(at, { group: 'credit' });
}, 120_000);

afterAll(async () => {
  await books?.close();
  await stack?.stop();
  await cluster?.stop();
  rmSync(home, { recursive: true, force: true });
});

const other = () => at.gatewayUrls[1] ?? at.baseUrl;

test('a limit holds exactly over both gateways', async () => {
  const { key } = await makeKey(at, {
    group: 'credit',
    limits: { requests_per_minute: 3, concurrent_requests: 50 },
  });
  expect(passed(await askMany(at, key, 40))).toHaveLength(3);
});

test('credit for ten requests admits ten of forty at once, and each is in the books', async () => {
  const { accountId, key } = await openAccount(at, { mode: 'prepaid', grant: '0.10' });
  const answers = await askMany(at, key, 40, { model: FLAT });
  expect(tally(answers)).toEqual({ 200: 10, '429 insufficient_quota': 30 });
  const rows = async () =>
    Number(
      (await books.one('SELECT count(*)::int AS rows FROM billing.usage WHERE account_id = $1', [accountId]))[
        'rows'
      ],
    );
  await waitFor(async () => (await rows()) === 10, 'the usage in the books', 20_000);
  const sum = `SELECT coalesce(sum(amount_pico), 0)::text AS sum FROM billing.ledger_entry WHERE ledger_account = $1`;
  expect((await books.one(sum, [`customer:${accountId}`]))['sum']).toBe('0');
  expect((await ask(at.baseUrl, key)).status).not.toBe(200);
});

test('a key that is disabled stops on both gateways', async () => {
  const { key, id } = await makeKey(at, { group: 'credit' });
  expect([(await ask(at.baseUrl, key)).status, (await ask(other(), key)).status]).toEqual([200, 200]);
  await admin(at, 'PATCH', `/api/keys/${id}`, { status: 'disabled' });
  await waitFor(
    async () => (await ask(at.baseUrl, key)).status !== 200 && (await ask(other(), key)).status !== 200,
    'the end of the key',
  );
});

test('a request with an Idempotency-Key is answered again by the other gateway', async () => {
  const { key } = await makeKey(at, { group: 'credit' });
  const repeat = (url: string) =>
    call(`${url}${GOOD.chat.path}`, {
      headers: { authorization: `Bearer ${key}`, 'idempotency-key': 'order 17' },
      body: { ...GOOD.chat.body, model: FLAT },
    });
  const [first, second] = [await repeat(at.baseUrl), await repeat(other())];
  expect([first.status, first.headers.get('x-tollgate-idempotency')]).toEqual([200, 'stored']);
  expect([second.text, second.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
});

test('what a killed gateway had under way makes room again', async () => {
  const { key } = await makeKey(at, { group: 'credit', limits: { concurrent_requests: 2 } });
  /** Asked again where a question of the other gateway was in the way. */
  const askSlowly = async (): Promise<Answer> => {
    const answer = await ask(other(), key, { script: { first_delay_ms: 60_000 } });
    return answer.status === 429 ? askSlowly() : answer;
  };
  const lost = Promise.allSettled([askSlowly(), askSlowly()]);
  await waitFor(async () => (await ask(at.baseUrl, key)).status === 429, 'that both are under way');
  stack.services.get('gateway-2')?.process.kill();
  expect((await lost).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((await ask(at.baseUrl, key)).status).toBe(429);
  await waitFor(async () => (await ask(at.baseUrl, key)).status === 200, 'the room', 20_000);
}, 60_000);
