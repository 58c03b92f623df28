// Fills a small Redis to its last byte while billing is away and requests go on; then brings billing back, and gives Redis
// no more memory.
import { waitFor } from '@tollgate/harness';
import { Redis } from 'ioredis';
import { call } from '../call.ts';
import { type FaultHouse, startFaultHouse } from './fault-house.ts';
import { openPrepaidTill, openTill, type Till } from './till.ts';

let house: FaultHouse;
let redis: Redis;
let till: Till;
let prepaid: Till;
beforeAll(async () => {
  house = await startFaultHouse();
  redis = new Redis(house.redis.url);
  till = await openTill(house);
  prepaid = await openPrepaidTill(house, '5');
}, 120_000);
afterAll(async () => {
  redis.disconnect();
  await house.stop();
});

const isFull = () =>
  redis.set('probe', '1').then(
    () => false,
    () => true,
  );
const askMany = async (requests: number) => {
  const answers = await Promise.all(Array.from({ length: requests }, () => till.ask()));
  expect(answers.map(({ status }) => status)).toEqual(Array(requests).fill(200));
};

test('billing is away, Redis is full, billing is back: all is booked once, and Redis can be used again', async () => {
  expect((await till.ask()).status).toBe(200);
  expect((await prepaid.ask()).status).toBe(200);
  await till.settled();
  await house.service('billing').stop();
  const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
  await redis.config('SET', 'maxmemory', String(used + 500_000));
  // Some of it waits in the queue, some in the spool.
  await askMany(40);
  for (let n = 0; !(await isFull()); n += 1) await redis.append('filler', 'x'.repeat(1_000)).catch(() => {});
  await askMany(40);
  const refused = await prepaid.ask();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);

  house.service('billing').start();
  await till.settled();
  await waitFor(async () => !(await isFull()), 'memory', 30_000);
  await askMany(10);
  await waitFor(async () => (await prepaid.ask()).status === 200, 'credit', 30_000);
  await till.settled();
  await prepaid.settled();
  const metrics = await (await call(`${house.baseUrl}/metrics`)).text;
  expect(metrics).toMatch(/^tollgate_gateway_queue_refusals_total\{[^}]*\} [1-9]/m);
}, 180_000);
