import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { accountScope, creditRedisKey } from '@tollgate/contracts';
import {
  addressThrough,
  freePort,
  type RunningStack,
  startTcpProxy,
  type TcpProxy,
  waitFor,
} from '@tollgate/harness';
import { Redis } from 'ioredis';
import { type Books, openBooks } from '../books.ts';
import { type Answer, call } from '../call.ts';
import { admin, signIn } from '../shared-stack.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';
import {
  ask,
  askAndHang,
  askMany,
  askOverSocket,
  expectNoCredit,
  grant,
  openAccount,
  type Owner,
  passed,
  publishModels,
  readBackgroundStream,
  readBalance,
  readLowest,
  refused,
  TOKENS,
  waitForGateway,
  waitForPosted,
} from './customers.ts';

// Gateways are killed and Redis is emptied: that needs a stack of its own.
const home = mkdtempSync(join(tmpdir(), 'tollgate-credit-'));
const proxies = new Map<string, TcpProxy>();
let stack: RunningStack;
let at: Owner;
let books: Books;
let redis: Redis;
let unlimited: string;

beforeAll(async () => {
  stack = await startTestStack({
    home,
    port: await freePort(),
    moreGateways: 1,
    env: async (service, redisUrl) => {
      if (!service.startsWith('gateway')) return {};
      const proxy = await startTcpProxy({ port: Number(new URL(redisUrl).port) });
      proxies.set(service, proxy);
      // A machine that stands still is not a Redis that is away; one that is takes no longer than a test may.
      return { REDIS_URL: addressThrough(redisUrl, proxy), REDIS_TIMEOUT_MS: '10000' };
    },
  });
  at = { ...stack, cookie: await signIn(stack.baseUrl, testAdmin) };
  books = openBooks(stack.databaseUrl);
  redis = new Redis(stack.redisUrl, { replyMapping: 'legacy' });
  unlimited = await publishModels(at, { group: 'credit' });
}, 120_000);

afterAll(async () => {
  redis?.disconnect();
  await books?.close();
  await stack?.stop();
  for (const proxy of proxies.values()) await proxy.stop();
  rmSync(home, { recursive: true, force: true });
});

const balanceOf = (accountId: string) => readBalance(books, accountId);
const posted = (accountId: string, requests: number) => waitForPosted(books, accountId, requests);
const inRedis = async (accountId: string): Promise<{ left: number; held: number }> => {
  const fields = await redis.hgetall(creditRedisKey(accountScope(accountId)));
  return { left: Number(fields['left']), held: Number(fields['held']) };
};
/** It is started again. */
const kill = (gateway: string) =>
  [...stack.services.entries()].find(([, { url }]) => url === gateway)?.[1].process.kill();
const isBack = (gateway: string) => waitForGateway(gateway, unlimited);
const nothingHeld = (accountId: string) =>
  waitFor(async () => (await inRedis(accountId)).held === 0, 'the end of all holds', 20_000);

// The upstream says what the script tells it to; what is held for a short question of five tokens is some hundred of input.
test.each([
  ['more than the window', { input: 5_000_000, output: 700_000 }],
  ['the largest number', { input: 9_007_199_254_740_991, output: 9_007_199_254_740_991 }],
  ['a little more than it was told', { input: 10, output: 6 }],
])('an upstream that reports %s moves the balance by no more than the hold', async (_name, usage) => {
  const { accountId, key } = await openAccount(
    at,
    { mode: 'prepaid', grant: '0.05' },
    { limits: { tokens_per_minute: 5_000 } },
  );
  const body = { max_tokens: 5 };
  const answer = await ask(at.baseUrl, key, { model: TOKENS, script: { usage }, body });
  expect(answer.status).toBe(200);
  await posted(accountId, 1);
  await nothingHeld(accountId);
  const paid = 50_000_000_000n - (await balanceOf(accountId));
  // Of a question of five words, five tokens of answer, at 10 and 40 USD per million.
  expect(paid).toBeLessThanOrEqual(400n * 10_000_000n + 5n * 40_000_000n);
  expect((await ask(at.baseUrl, key, { model: TOKENS, body })).status).toBe(200);
  const { items } = await admin(at, 'GET', '/api/finance/usage-reviews');
  expect(items.filter(({ account_id }) => account_id === accountId)).toMatchObject([
    { reported_tokens: { input: usage.input, output: usage.output } },
  ]);
});

test('of 200 requests at once over two gateways, credit for 50 lets exactly 50 pass', async () => {
  const { accountId, key } = await openAccount(at, { mode: 'prepaid', grant: '0.50' });
  const answers = await askMany(at, key, 200);
  expect(passed(answers)).toHaveLength(50);
  expectNoCredit(refused(answers), 'This request may cost up to 0.01 USD, and the account has 0.00 USD left');
  await posted(accountId, 50);
  expect([await balanceOf(accountId), await readLowest(books, accountId)]).toEqual([0n, 0n]);
  await nothingHeld(accountId);
  expect(await inRedis(accountId)).toEqual({ left: 0, held: 0 });

  await grant(at, accountId, '0.03');
  await waitFor(async () => (await inRedis(accountId)).left === 30_000, 'the grant');
  expect(passed(await askMany(at, key, 10))).toHaveLength(3);
});

test('whatever requests really cost, a limit is never passed, and what was not used is there for the next', async () => {
  const { accountId, key } = await openAccount(at, { mode: 'postpaid', credit_limit_usd: '0.05' });
  let all: Answer[] = [];
  for (let round = 0; round < 6; round += 1) {
    const body = { max_tokens: 100 };
    all = [...all, ...(await askMany(at, key, 40, { model: TOKENS, script: { words: 20 }, body }))];
  }
  const through = passed(all).length;
  expect(through).toBeGreaterThan(12);
  expect(through).toBeLessThan(240);
  expectNoCredit(refused(all), 'Lower the request');
  await posted(accountId, through);
  expect(await readLowest(books, accountId)).toBeGreaterThanOrEqual(-50_000_000_000n);
  await nothingHeld(accountId);
  const { left } = await inRedis(accountId);
  expect(BigInt(left)).toBe((50_000_000_000n + (await balanceOf(accountId))) / 1_000_000n);
});

test('an answer that is not billed gives back what was held', async () => {
  const { accountId, key } = await openAccount(at, { mode: 'prepaid', grant: '0.01' });
  const failures = [
    [{ status: 500 }, 502],
    [{ cut_before_headers: true }, 502],
    [{ status: 400 }, 400],
  ] as const;
  for (const [script, status] of failures) {
    expect((await ask(at.baseUrl, key, { script })).status).toBe(status);
    await nothingHeld(accountId);
  }
  expect((await ask(at.baseUrl, key)).status).toBe(200);
});

test.each([
  ['total_usd', 'the budget of this API key', 'total_usd'],
  ['daily_usd', 'the daily budget of this API key', 'today_usd'],
  ['monthly_usd', 'the monthly budget of this API key', 'this_month_usd'],
] as const)('a key keeps to its own budget %s', async (window, named, spent) => {
  const budgets = { [window]: '0.05' };
  const { accountId, key, keyId } = await openAccount(
    at,
    { mode: 'postpaid', time_zone: 'Pacific/Auckland' },
    { budgets },
  );
  const answers = await askMany(at, key, 20);
  expect(passed(answers)).toHaveLength(5);
  expectNoCredit(refused(answers), `and ${named} has 0.00 USD left`);
  await posted(accountId, 5);
  const { items } = await admin(at, 'GET', `/api/keys?account_id=${accountId}`);
  expect(items.find(({ id }) => id === keyId)?.spent[spent]).toBe('0.05');

  await admin(at, 'PATCH', `/api/keys/${keyId}`, { budgets: { [window]: '0.07' } });
  await waitFor(async () => (await ask(at.baseUrl, key)).status === 200, 'the raised budget');
  expect(passed(await askMany(at, key, 10))).toHaveLength(1);
});

test('a prepaid account that had no limit before is limited from then on', async () => {
  const { accountId, key } = await openAccount(at, { mode: 'postpaid' });
  expect((await ask(at.baseUrl, key)).status).toBe(200);
  await posted(accountId, 1);
  await admin(at, 'PATCH', `/api/accounts/${accountId}`, { mode: 'prepaid' });
  await waitFor(async () => (await ask(at.baseUrl, key)).status === 429, 'the refusal');
});

test('what a killed gateway held comes back and is recorded', async () => {
  const { accountId, key } = await openAccount(at, { mode: 'prepaid', grant: '0.05' });
  const [first = '', second = ''] = at.gatewayUrls;
  const hanging = Array.from({ length: 4 }, () => askAndHang(second, key));
  const socket = await askOverSocket(second, key);
  await waitFor(async () => (await inRedis(accountId)).held === 50_000, 'the holds');
  const refusal = await ask(first, key);
  expect(refusal.json?.['error']?.['message']).toContain('0.05 USD is held for requests under way');
  kill(second);
  expect(new Set(await Promise.all(hanging))).toEqual(new Set(['broken off']));
  expect([await socket.closed, socket.events]).toEqual([1006, []]);
  await waitFor(async () => (await ask(first, key)).status === 200, 'the credit', 40_000, 500);
  const lost = await books.one(
    `SELECT count(*)::int AS rows, sum(amount_pico)::text AS sum FROM billing.reservation_lost WHERE account_id = $1`,
    [accountId],
  );
  expect(lost).toEqual({ rows: 5, sum: '50000000000' });
  await isBack(second);
}, 60_000);

test('a background answer whose client never comes back, and whose gateway is killed, is in the books once', async () => {
  const { accountId, key } = await openAccount(at, { mode: 'prepaid', grant: '0.05' });
  const [first = '', second = ''] = at.gatewayUrls;
  const headers = { authorization: `Bearer ${key}` };
  const begun = await call(`${second}/v1/responses`, {
    headers: { ...headers, 'x-sim-script': '{"background_ms":25000,"words":20}' },
    body: { model: TOKENS, input: 'Hello', max_output_tokens: 100, background: true },
  });
  expect([begun.status, begun.json?.['status'], begun.text]).toEqual([200, 'queued', expect.anything()]);
  kill(second);
  const { held } = await inRedis(accountId);
  expect(held).toBeGreaterThan(4_000);

  // What it holds outlives its gateway, and a Redis that is emptied.
  await redis.flushall();
  await waitFor(async () => (await inRedis(accountId)).held === held, 'the hold again');
  await sleep(9_000);
  expect(await inRedis(accountId)).toEqual({ left: 50_000, held });

  await posted(accountId, 1);
  await nothingHeld(accountId);
  const paid = 50_000_000_000n - (await balanceOf(accountId));
  expect(paid).toBe(1n * 10_000_000n + 20n * 40_000_000n);
  expect(paid).toBeLessThanOrEqual(BigInt(held) * 1_000_000n);
  const shown = await call(`${first}/v1/responses/${String(begun.json?.['id'])}`, { headers });
  expect(shown.json).toMatchObject({ status: 'completed', usage: { output_tokens: 20 } });
  await isBack(second);
}, 60_000);

test('a background stream whose gateway is killed in the middle is resumed at another, and is in the books once', async () => {
  const { accountId, key } = await openAccount(at, { mode: 'prepaid', grant: '0.05' });
  const [first = '', second = ''] = at.gatewayUrls;
  const headers = { authorization: `Bearer ${key}` };
  const seen = await readBackgroundStream(second, key, {
    after: '"sequence_number":8',
    then: () => kill(second),
  });
  expect(seen).not.toMatch(/response\.(?:completed|failed)/);
  const id = /"id":"(resp_[^"]+)"/.exec(seen)?.[1];
  const last = Number([...seen.matchAll(/"sequence_number":(\d+)\}\n\n/g)].at(-1)?.[1]);
  const rest = await call(`${first}/v1/responses/${id}?stream=true&starting_after=${last}`, { headers });
  expect(rest.text).toContain(`"sequence_number":${last + 1}`);
  expect(rest.text).not.toContain(`"sequence_number":${last}}`);
  expect(rest.text).toContain('response.completed');
  await posted(accountId, 1);
  await nothingHeld(accountId);
  expect(50_000_000_000n - (await balanceOf(accountId))).toBe(1n * 10_000_000n + 20n * 40_000_000n);
  await isBack(second);
}, 60_000);

test('a Redis that lost everything is filled again from the books, and gives no more than was in flight too much', async () => {
  const { accountId, key } = await openAccount(at, { mode: 'prepaid', grant: '0.50' });
  const [first = ''] = at.gatewayUrls;
  expect(passed(await askMany(at, key, 20))).toHaveLength(20);
  await posted(accountId, 20);
  const slow = Array.from({ length: 5 }, () => ask(first, key, { script: { first_delay_ms: 15_000 } }));
  await waitFor(async () => (await inRedis(accountId)).held === 50_000, 'what is in flight');
  await redis.flushall();
  expect(passed(await askMany(at, key, 100))).toHaveLength(30);
  expect(passed(await Promise.all(slow))).toHaveLength(5);
  await posted(accountId, 55);
  expect(await balanceOf(accountId)).toBe(-50_000_000_000n);
  await nothingHeld(accountId);
  await waitFor(async () => (await inRedis(accountId)).left === -50_000, 'what is left');
  expect(passed(await askMany(at, key, 10))).toHaveLength(0);
}, 60_000);

test.each(['cut', 'blackhole'] as const)(
  'without Redis (%s) who is limited is asked to come again, and everybody else is served',
  async (fault) => {
    const { key } = await openAccount(at, { mode: 'prepaid', grant: '0.50' });
    const [first = ''] = at.gatewayUrls;
    expect((await ask(first, key)).status).toBe(200);
    expect((await ask(first, unlimited)).status).toBe(200);
    const proxy = proxies.get('gateway');
    proxy?.[fault]();
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(first, key)));
    for (const { status, headers, json } of answers) {
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
      expect(json?.['error']?.['message']).toContain('cannot be checked at the moment');
    }
    expect(passed(await Promise.all(Array.from({ length: 10 }, () => ask(first, unlimited))))).toHaveLength(
      10,
    );
    proxy?.restore();
    await waitFor(async () => (await ask(first, key)).status === 200, 'the return of Redis');
  },
);
