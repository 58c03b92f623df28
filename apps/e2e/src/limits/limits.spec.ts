import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@tollgate/harness';
import { Redis } from 'ioredis';
import { type Answer, call, GOOD } from '../call.ts';
import { admin, sharedStack, makeKey } from '../shared-stack.ts';
import { deviations, type Answered } from './windows.ts';

const at = sharedStack();
const ask = (url: string, key: string, script?: object): Promise<Answer> =>
  call(`${url}${GOOD.chat.path}`, {
    headers: {
      authorization: `Bearer ${key}`,
      ...(script ? { 'x-sim-script': JSON.stringify(script) } : {}),
    },
    body: GOOD.chat.body,
  });
const gatewayOf = (n: number) => at.gatewayUrls[n % at.gatewayUrls.length] ?? at.baseUrl;

test('1,800 requests a minute of a key, pressed on through two gateways for 20 s, are 30 a second within 1 %, in every window of ten seconds and longer', async () => {
  const PER_SECOND = 30;
  const { key, id } = await makeKey(at, { limits: { requests_per_minute: 60 * PER_SECOND } });
  const redis = new Redis(at.redisUrl, { replyMapping: 'legacy' });
  try {
    await ask(at.baseUrl, key);
    const begin = Date.now();
    // The burst is over.
    await redis.set(`tollgate:tb:{key:${id}}:requests`, `0:${begin}`);
    const end = begin + 20_000;
    const answers: Answered[] = [];
    const statuses = new Set<number>();
    await Promise.all(
      Array.from({ length: 12 }, async (_, worker) => {
        while (Date.now() < end) {
          const sentAt = Date.now();
          const { status } = await ask(gatewayOf(worker), key);
          statuses.add(status);
          answers.push({ sentAt, endedAt: Date.now(), admitted: status === 200 });
          if (status !== 200) await sleep(40);
        }
      }),
    );
    expect([...statuses].sort()).toEqual([200, 429]);
    const { windows, excess, shortfall } = deviations(answers, { perSecond: PER_SECOND, leastMs: 10_000 });
    expect(windows).toBeGreaterThan(10);
    // One percent of what is due in the shortest of these windows.
    expect(excess).toBeLessThanOrEqual(3);
    expect(shortfall).toBeLessThanOrEqual(3);
  } finally {
    redis.disconnect();
  }
}, 60_000);

test('requests at once of a key hold over both gateways, and whoever ends makes room', async () => {
  const { key } = await makeKey(at, { limits: { concurrent_requests: 3 } });
  const slow = { first_delay_ms: 12_000 };
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => ask(gatewayOf(n), key, slow)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.json?.['error']?.['message']).toContain('3 requests at once for this API key');
  expect(refused?.headers.get('retry-after')).toBe('1');
  const next = await Promise.all(Array.from({ length: 3 }, (_, n) => ask(gatewayOf(n), key)));
  expect(next.map(({ status }) => status)).toEqual([200, 200, 200]);
});

test('a client that goes away makes room too', async () => {
  const { key } = await makeKey(at, { limits: { concurrent_requests: 1 } });
  const leaving = new AbortController();
  /** Asked again where a question of the other gateway was in the way. */
  const askSlowly = async (): Promise<string> => {
    const answer = await fetch(`${at.baseUrl}${GOOD.chat.path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-sim-script': JSON.stringify({ first_delay_ms: 20_000 }),
      },
      body: JSON.stringify({ ...GOOD.chat.body, stream: true }),
      signal: leaving.signal,
    });
    return answer.status === 429 ? askSlowly() : `answered ${answer.status}`;
  };
  const gone = askSlowly().catch((error: Error) => error.name);
  await waitFor(async () => (await ask(gatewayOf(1), key)).status === 429, 'the one under way');
  leaving.abort();
  expect(await gone).toBe('AbortError');
  await waitFor(async () => (await ask(gatewayOf(1), key)).status === 200, 'the room');
});

test('requests a minute of an account hold over all of its keys and both gateways', async () => {
  const { id: accountId } = await admin(at, 'POST', '/api/accounts', {
    name: 'Limited',
    mode: 'postpaid',
    limits: { requests_per_minute: 3 },
  });
  const keys = await Promise.all([1, 2].map(() => makeKey(at, { account_id: accountId })));
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => ask(gatewayOf(n), keys[(n >> 1) % 2]?.key ?? '')),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.json?.['error']?.['message']).toContain('3 requests per minute for this account');
});
