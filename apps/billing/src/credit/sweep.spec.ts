import { gatewayRedisKey } from '@tollgate/contracts';
import { createCreditScopes, createRedisLimiter, type CreditScopes } from '@tollgate/limits';
import { costing, type CreditEnvironment, createCreditEnvironment } from '../../testing/credit.ts';
import { type TestEnvironment, silent, startTestEnvironment } from '../../testing/test-environment.ts';
import { postBatch } from '../usage/post-batch.ts';
import { createCredit, type Credit } from './credit.ts';
import { createSweep } from './sweep.ts';

let environment: TestEnvironment;
let scopes: CreditScopes;
let credit: Credit;
let openAccount: CreditEnvironment['openAccount'];
let grant: CreditEnvironment['grant'];
let fields: CreditEnvironment['fields'];
let holdFor: CreditEnvironment['holdFor'];
beforeAll(async () => {
  environment = await startTestEnvironment();
  ({ openAccount, grant, fields, holdFor } = createCreditEnvironment(environment));
  scopes = createCreditScopes(environment.redis);
  credit = createCredit(environment.database, scopes, (reason) => {
    throw reason;
  });
});
afterAll(() => environment.stop());
beforeEach(() => environment.redis.flushall());

let clock: number;
/** What billing takes the year for, beside that. */
let wallNow: () => number;
let sweep: () => Promise<void>;
beforeEach(() => {
  clock = Date.now();
  wallNow = () => clock;
  const clocks = { now: () => clock, wallNow: () => wallNow() };
  sweep = createSweep({ database: environment.database, scopes, credit, logger: silent }, clocks);
});
const lost = (requestId: string): Promise<unknown[]> =>
  environment.database.query(
    'SELECT account_id, key_id, gateway, amount_pico::text AS amount, settled FROM billing.reservation_lost WHERE request_id = $1',
    [requestId],
  );
const gatewayDies = (requestId: string) => environment.redis.del(gatewayRedisKey(`of ${requestId}`));

test('releases and records what a dead gateway held, once it is missed for long enough', async () => {
  const owner = await openAccount();
  await grant(owner.accountId, 8_000_000n);
  await credit.load([owner.account]);
  await holdFor('req_killed', owner, [owner.account], 6);
  clock += 60_000;
  await sweep();
  expect(await fields(owner.account)).toEqual([8, 6]);
  await gatewayDies('req_killed');
  await sweep();
  clock += 4_999;
  await sweep();
  expect(await fields(owner.account)).toEqual([8, 6]);
  clock += 1;
  await sweep();
  expect(await fields(owner.account)).toEqual([8, 0]);
  expect(await lost('req_killed')).toEqual([
    {
      account_id: owner.accountId,
      key_id: owner.keyId,
      gateway: 'of req_killed',
      amount: '6000000',
      settled: false,
    },
  ]);
});

test('a gateway that gives a sign again is not missed', async () => {
  const owner = await openAccount();
  await grant(owner.accountId, 8_000_000n);
  await credit.load([owner.account]);
  await holdFor('req_cut_off', owner, [owner.account], 6);
  await gatewayDies('req_cut_off');
  await sweep();
  await createRedisLimiter(environment.redis, { gateway: 'of req_cut_off' }).beat();
  clock += 60_000;
  await sweep();
  await gatewayDies('req_cut_off');
  await sweep();
  expect(await fields(owner.account)).toEqual([8, 6]);
});

test('keeps what a dead gateway had settled, for it is on its way to the books', async () => {
  const owner = await openAccount();
  await grant(owner.accountId, 8_000_000n);
  await credit.load([owner.account]);
  await holdFor('req_settled', owner, [owner.account], 6);
  await createRedisLimiter(environment.redis).settleCredit([], { requestId: 'req_settled', amount: 4 });
  await gatewayDies('req_settled');
  await sweep();
  clock += 3_600_000;
  await sweep();
  expect(await fields(owner.account)).toEqual([8, 4]);
  clock += 24 * 3_600_000;
  await sweep();
  expect(await fields(owner.account)).toEqual([8, 0]);
  expect(await lost('req_settled')).toMatchObject([{ amount: '4000000', settled: true }]);
});

test('finishes what billing left between the commit and the release', async () => {
  const owner = await openAccount();
  await grant(owner.accountId, 8_000_000n);
  await credit.load([owner.account]);
  await holdFor('req_half', owner, [owner.account], 6);
  await gatewayDies('req_half');
  await postBatch(
    environment.database,
    [costing(5_000_000, { account_id: owner.accountId, request_id: 'req_half' })],
    [],
  );
  await sweep();
  expect(await fields(owner.account)).toEqual([8, 6]);
  clock += 5_001;
  await sweep();
  expect(await fields(owner.account)).toEqual([3, 0]);
  expect(await lost('req_half')).toEqual([]);
});

test.each([
  ['1970', (now: number) => now + 56 * 365 * 86_400_000],
  ['2036', (now: number) => now - 10 * 365 * 86_400_000],
])('a hold of a gateway whose clock says %s is as old as it is known for', async (year, hereIfThereIsNow) => {
  const requestId = `req_of_${year}`;
  const owner = await openAccount();
  await grant(owner.accountId, 8_000_000n);
  await credit.load([owner.account]);
  await holdFor(requestId, owner, [owner.account], 6);
  wallNow = () => hereIfThereIsNow(clock);
  for (let hour = 0; hour < 3; hour += 1) {
    await sweep();
    expect(await fields(owner.account)).toEqual([8, 6]);
    clock += 3_600_000;
  }
  clock += 1;
  await sweep();
  expect(await fields(owner.account)).toEqual([8, 0]);
  expect(await lost(requestId)).toHaveLength(1);
});

test('keeps what usage holds that waits to be booked, however long, and whoever died', async () => {
  const owner = await openAccount();
  await grant(owner.accountId, 8_000_000n);
  await credit.load([owner.account]);
  await holdFor('req_waits', owner, [owner.account], 6);
  await gatewayDies('req_waits');
  const { event } = costing(5_000_000, { account_id: owner.accountId, request_id: 'req_waits' });
  const kept = { requestId: 'req_waits', reason: 'of a later release', event };
  await postBatch(environment.database, [], [{ ...kept, waits: true }]);
  for (let hour = 0; hour < 27; hour += 1) {
    await sweep();
    clock += 3_600_000;
  }
  expect(await fields(owner.account)).toEqual([8, 6]);
  expect(await lost('req_waits')).toEqual([]);
  await postBatch(environment.database, [], [kept]);
  await sweep();
  expect(await fields(owner.account)).toEqual([8, 0]);
});
