// Starts a gateway that holds nothing while what it would ask is away: first with the copies of keys in Redis, then with an
// empty Redis.
import { KEY_COPIES_REDIS_KEY } from '@tollgate/contracts';
import { waitFor } from '@tollgate/harness';
import { Redis } from 'ioredis';
import { call } from '../call.ts';
import { makeKey } from '../shared-stack.ts';
import type { FaultStack } from './fault-stack.ts';
import { openBilledClient, type BilledClient } from './billed-client.ts';

let stack: FaultStack;
let url: string;
let redis: Redis;
let client: BilledClient;

const ready = () =>
  call(`${url}/readyz`).then(
    ({ status, json }) => ({ status, checks: json?.['checks'] }),
    () => undefined,
  );
async function restartCold(): Promise<void> {
  const gateway = stack.service('gateway-2');
  await gateway.stop();
  gateway.start();
  await waitFor(ready, 'the gateway', 30_000);
}
const askWith = (key: string) =>
  call(`${url}/v1/chat/completions`, {
    headers: { authorization: `Bearer ${key}` },
    body: { model: 'sim-chat', messages: [{ role: 'user', content: 'hello' }] },
  });

const AWAY: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
  ['PostgreSQL is down', () => stack.stopDatabase(), () => stack.startDatabase()],
  [
    'billing is down',
    () => stack.service('billing').stop(),
    async () => void stack.service('billing').start(),
  ],
];

const copyNames = () => redis.keys('tollgate:key:*');
const removeCopies = async () => redis.del(KEY_COPIES_REDIS_KEY, ...(await copyNames()));

/** A gateway that holds nothing yet. */
export function coldGatewayTests(findStack: () => FaultStack): void {
  beforeAll(async () => {
    stack = findStack();
    url = stack.gatewayUrls[1] ?? '';
    redis = new Redis(stack.redis.url);
    client = await openBilledClient(stack);
  }, 120_000);
  afterAll(() => redis?.disconnect());

  test.each(AWAY)(
    '%s: a gateway that starts then serves the keys that were used, and others are refused quickly',
    async (_what, begin, end) => {
      // Its copy in Redis is of a look-up, not of a change.
      const { key: unused } = await makeKey(stack, {});
      await removeCopies();
      await restartCold();
      expect((await client.ask({ url })).status).toBe(200);
      await waitFor(async () => (await copyNames()).length === 1, 'the copy');
      await begin();
      await restartCold();
      await waitFor(async () => (await ready())?.status === 200, 'the gateway', 20_000);
      expect((await client.ask({ url })).status).toBe(200);
      const refused = await waitFor(async () => {
        const beganAt = Date.now();
        const answer = await askWith(unused);
        return Date.now() - beganAt < 1_000 && answer;
      }, 'a quick refusal');
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
      await end();
      await waitFor(async () => (await askWith(unused)).status === 200, 'billing', 30_000);
    },
    120_000,
  );

  test('a gateway that can find no key says that it is not ready, until it can', async () => {
    await removeCopies();
    await stack.service('billing').stop();
    await restartCold();
    await waitFor(async () => (await ready())?.status === 503, 'the refusal', 20_000);
    expect((await ready())?.checks).toMatchObject({
      keys: 'billing does not answer, and Redis has no copies of keys',
    });
    stack.service('billing').start();
    await waitFor(async () => (await ready())?.status === 200, 'the gateway', 30_000);
    expect((await client.ask({ url })).status).toBe(200);
  }, 120_000);
}
