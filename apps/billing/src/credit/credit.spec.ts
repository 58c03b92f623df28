import { once } from 'node:events';
import { HOLDS_REDIS_KEY, keyScope } from '@tollgate/contracts';
import { waitFor } from '@tollgate/harness';
import { createCreditScopes, type CreditScopes } from '@tollgate/limits';
import { costing, type CreditEnvironment, createCreditEnvironment } from '../../testing/credit.ts';
import { type TestEnvironment, silent, startTestEnvironment } from '../../testing/test-environment.ts';
import { usageEvent } from '../../testing/usage-events.ts';
import { postBatch } from '../usage/post-batch.ts';
import { keepCredit } from './credit-keeper.ts';
import { createCredit, type Credit } from './credit.ts';

let environment: TestEnvironment;
let scopes: CreditScopes;
let credit: Credit;
let openAccount: CreditEnvironment['openAccount'];
let grant: CreditEnvironment['grant'];
let fields: CreditEnvironment['fields'];
let holdFor: CreditEnvironment['holdFor'];
const failures: Error[] = [];
beforeAll(async () => {
  environment = await startTestEnvironment();
  ({ openAccount, grant, fields, holdFor } = createCreditEnvironment(environment));
  scopes = createCreditScopes(environment.redis);
  credit = createCredit(environment.database, scopes, (reason) => failures.push(reason));
});
afterAll(() => environment.stop());
beforeEach(() => environment.redis.flushall());

describe('what is left', () => {
  test('of a prepaid account is its balance, rounded down to micro-USD', async () => {
    const { accountId, account } = await openAccount();
    await grant(accountId, 2_000_001_999_999n);
    await credit.load([account]);
    expect(await fields(account)).toEqual([2_000_001, 0]);
    await postBatch(environment.database, [costing(2_000_002_000_000, { account_id: accountId })], []);
    await credit.load([account]);
    expect(await fields(account)).toEqual([-1, 0]);
  });

  test.each([
    ['a postpaid account with a limit is what it may still owe', { mode: 'postpaid', limit: 3 }, 3_000_000],
    ['a postpaid account that may owe nothing is nothing', { mode: 'postpaid', limit: 0 }, 0],
    ['an account without a limit is more than can be spent', { mode: 'postpaid' }, Number.MAX_SAFE_INTEGER],
    ['a prepaid account that never paid is nothing', { mode: 'prepaid' }, 0],
  ] as const)('of %s', async (_name, terms, left) => {
    const { account } = await openAccount(terms);
    await credit.load([account]);
    expect(await fields(account)).toEqual([left, 0]);
  });

  test('of a key’s budgets is what was not spent in the window, by the calendar of its account', async () => {
    const budgets = { budgetPico: '10000000', budgetDailyPico: '5000000', budgetMonthlyPico: '7000000' };
    const { accountId, keyId, total } = await openAccount({ mode: 'postpaid', zone: 'Asia/Tokyo' }, budgets);
    const spend = (pico: number, occurred_at: string) =>
      costing(pico, { account_id: accountId, key_id: keyId, occurred_at });
    await postBatch(
      environment.database,
      [
        spend(1_000_000, '2026-10-31T14:59:00.000Z'),
        spend(2_000_000, '2026-10-31T15:00:00.000Z'),
        spend(1_500_000, '2026-11-20T15:00:00.000Z'),
      ],
      [],
    );
    const names = [total, keyScope(keyId, 'daily', '2026-11-21'), keyScope(keyId, 'monthly', '2026-11-21')];
    const [daily = '', monthly = ''] = names.slice(1);
    await credit.load(names);
    expect([await fields(total), await fields(daily), await fields(monthly)]).toEqual([
      [5, 0],
      [3, 0],
      [3, 0],
    ]);
  });

  test('of a budget that was lifted is more than can be spent', async () => {
    const { keyId } = await openAccount();
    const daily = keyScope(keyId, 'daily', '2026-11-21');
    await credit.load([daily]);
    expect(await fields(daily)).toEqual([Number.MAX_SAFE_INTEGER, 0]);
  });
});

describe('after usage is posted', () => {
  test('its cost is booked and its holds are gone, in all its scopes and at once', async () => {
    const owner = await openAccount({}, { budgetPico: '9000000' });
    const { accountId, keyId, account, total } = owner;
    await grant(accountId, 8_000_000n);
    await credit.load([account, total]);
    await holdFor('req_posted', owner, [account, total], 6);
    expect([await fields(account), await fields(total)]).toEqual([
      [8, 6],
      [9, 6],
    ]);
    const posting = costing(2_000_000, { account_id: accountId, key_id: keyId, request_id: 'req_posted' });
    await postBatch(environment.database, [posting], []);
    for (let n = 0; n < 2; n += 1) {
      await credit.posted([posting.event]);
      expect([await fields(account), await fields(total)]).toEqual([
        [6, 0],
        [7, 0],
      ]);
    }
    expect(await environment.redis.exists(HOLDS_REDIS_KEY)).toBe(0);
  });

  test('scopes are brought up to date even where Redis lost the hold', async () => {
    const { accountId, account } = await openAccount();
    await grant(accountId, 8_000_000n);
    await credit.load([account]);
    const posting = costing(3_000_000, { account_id: accountId });
    await postBatch(environment.database, [posting], []);
    await credit.posted([posting.event]);
    expect(await fields(account)).toEqual([5, 0]);
  });

  test('nothing is written to Redis for accounts that nothing limits', async () => {
    const { accountId, keyId } = await openAccount({ mode: 'postpaid' });
    await credit.posted([usageEvent({ account_id: accountId, key_id: keyId })]);
    expect(await environment.redis.dbsize()).toBe(0);
  });

  test('a rejected event releases what was held for it', async () => {
    const owner = await openAccount();
    await grant(owner.accountId, 8_000_000n);
    await credit.load([owner.account]);
    await holdFor('req_rejected', owner, [owner.account], 6);
    await credit.posted([], ['req_rejected']);
    expect(await fields(owner.account)).toEqual([8, 0]);
  });
});

test('a grant, a changed limit and a changed budget reach the scopes that Redis has', async () => {
  const { accountId, keyId, account } = await openAccount(
    { mode: 'postpaid', limit: 0 },
    { budgetDailyPico: '4000000' },
  );
  const daily = keyScope(keyId, 'daily', new Date().toISOString().slice(0, 10));
  await credit.load([account, daily]);
  await grant(accountId, 2_000_000n);
  credit.changed([accountId]);
  await waitFor(async () => (await fields(account))?.[0] === 2, 'the grant');
  await environment.database.query('UPDATE billing.account SET credit_limit_pico = 5000000 WHERE id = $1', [
    accountId,
  ]);
  await environment.database.query('UPDATE billing.api_key SET budget_daily_pico = 9000000 WHERE id = $1', [
    keyId,
  ]);
  credit.changed([accountId], [keyId]);
  await waitFor(async () => (await fields(account))?.[0] === 7, 'the limit');
  expect(await fields(daily)).toEqual([9, 0]);
});

test('the keeper reads everything again at its start, and when Redis comes back', async () => {
  const { accountId, account } = await openAccount();
  await credit.load([account]);
  await grant(accountId, 3_000_000n);
  const keeper = keepCredit(environment.database, environment.redis, silent);
  await waitFor(async () => (await fields(account))?.[0] === 3, 'what was granted before');
  await grant(accountId, 3_000_000n);
  const back = once(environment.redis, 'ready');
  environment.redis.disconnect(true);
  await back;
  await waitFor(async () => (await fields(account))?.[0] === 6, 'what was granted meanwhile');
  await keeper.close();
  expect(failures).toEqual([]);
});

describe('a database that was put back', () => {
  /** Versions begin again, as after a restore, while Redis keeps what it heard. */
  const putBack = () => environment.database.query(`SELECT setval('billing.credit_version', 1, false)`);

  test('is noticed, and its word of what is left stands again', async () => {
    const notified: number[] = [];
    const noticing = createCredit(
      environment.database,
      scopes,
      (reason) => failures.push(reason),
      (v) => notified.push(v),
    );
    const { accountId, account } = await openAccount();
    await grant(accountId, 10_000_000_000_000n);
    for (let n = 0; n < 20; n += 1) await noticing.load([account]);
    await putBack();
    const posting = costing(4_000_000_000_000, { account_id: accountId });
    await postBatch(environment.database, [posting], []);
    await noticing.posted([posting.event]);
    expect(await fields(account)).toEqual([6_000_000, 0]);
    expect(notified).toHaveLength(1);
    await noticing.load([account]);
    expect(notified).toHaveLength(1);
    expect(failures).toEqual([]);
  });

  test('is not what somebody takes it for who read earlier and wrote later', async () => {
    const notified: number[] = [];
    const { accountId, account } = await openAccount();
    await grant(accountId, 10_000_000_000_000n);
    const overtaken: CreditScopes = {
      ...scopes,
      async write(booked, options) {
        await credit.load([account]);
        return scopes.write(booked, options);
      },
    };
    const late = createCredit(
      environment.database,
      overtaken,
      (reason) => failures.push(reason),
      (version) => notified.push(version),
    );
    await late.load([account]);
    expect(await fields(account)).toEqual([10_000_000, 0]);
    expect(notified).toEqual([]);
    expect(failures).toEqual([]);
  });

  test('is found out by the round of a start, for every scope that Redis has', async () => {
    const { accountId, account } = await openAccount();
    await grant(accountId, 10_000_000_000_000n);
    for (let n = 0; n < 20; n += 1) await credit.load([account]);
    await postBatch(environment.database, [costing(10_000_000_000_000, { account_id: accountId })], []);
    await putBack();
    await credit.refreshAll();
    expect(await fields(account)).toEqual([0, 0]);
  });
});

describe('a Redis that is full', () => {
  afterEach(() => environment.redis.config('SET', 'maxmemory', '0'));

  test('takes holds back, and lowers what is left in the same step', async () => {
    const spender = await openAccount();
    const { accountId, keyId, account } = spender;
    await grant(accountId, 10_000_000_000_000n);
    await credit.load([account]);
    const posting = costing(4_000_000_000_000, { account_id: accountId, key_id: keyId });
    await holdFor(posting.event.request_id, spender, [account], 5_000_000);
    expect(await fields(account)).toEqual([10_000_000, 5_000_000]);
    await environment.redis.config('SET', 'maxmemory', '1');
    await postBatch(environment.database, [posting], []);
    await credit.posted([posting.event]);
    expect(await fields(account)).toEqual([6_000_000, 0]);
    expect(failures).toEqual([]);
  });
});
