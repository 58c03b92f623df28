import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { enter } from '../../testing/bookkeeping.ts';
import { type CreditEnvironment, createCreditEnvironment } from '../../testing/credit.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson, signIn } from '../../testing/people.ts';
import { createCreditScopes } from '@tollgate/limits';
import { createCredit } from '../credit/credit.ts';

interface Entered {
  readonly number: number;
  readonly error?: { readonly message: string };
}

let environment: TestEnvironment;
let billing: RunningBilling;
let finance: string;
let credit: CreditEnvironment;
const books = () => createCredit(environment.database, createCreditScopes(environment.redis), () => {});
beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment);
  await addPerson(environment, 'finance@billing.example', 'finance');
  finance = await signIn(billing.url, 'finance@billing.example');
  credit = createCreditEnvironment(environment);
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});

const post = (operation: string, body: object) =>
  enter<Entered>({ url: billing.url, cookie: finance }, `/api/ledger/${operation}`, {
    reason: 'a reason',
    ...body,
  });

/** An account with one USD, of which requests hold three quarters. */
async function busyAccount(terms: Parameters<CreditEnvironment['openAccount']>[0] = {}) {
  const owner = await credit.openAccount(terms);
  const granted = await post('grants', { account_id: owner.accountId, amount_usd: '1' });
  await books().load([owner.account]);
  await credit.holdFor(`req_${owner.accountId.slice(-12)}`, owner, [owner.account], 750_000);
  return {
    ...owner,
    granted: granted.body.number,
    end: () => books().release([`req_${owner.accountId.slice(-12)}`]),
  };
}

test.each<[string, object]>([
  ['payouts', { amount_usd: '1' }],
  ['payouts', { amount_usd: '0.250001' }],
  ['adjustments', { amount_usd: '-0.5' }],
])('%s of %j never take what requests under way hold', async (operation, body) => {
  const { accountId, account, end } = await busyAccount();
  const refused = await post(operation, { account_id: accountId, ...body });
  expect(refused.status).toBe(409);
  expect(refused.body.error?.message).toContain('hold 0.75 USD of this account: at most 0.25 USD');
  expect(await credit.fields(account)).toEqual([1_000_000, 750_000]);
  await end();
  expect((await post(operation, { account_id: accountId, ...body })).status).toBe(201);
});

test('a correction does not take it either', async () => {
  const { granted, end } = await busyAccount();
  const refused = await post('corrections', { transaction: granted });
  expect([refused.status, refused.body.error?.message]).toEqual([
    409,
    expect.stringContaining('hold 0.75 USD'),
  ]);
  await end();
  expect((await post('corrections', { transaction: granted })).status).toBe(201);
});

test('what is free is paid out, and a request sees at once that it is gone', async () => {
  const { accountId, account } = await busyAccount();
  expect((await post('payouts', { account_id: accountId, amount_usd: '0.25' })).status).toBe(201);
  expect(await credit.fields(account)).toEqual([750_000, 750_000]);
});

test('a payout takes nothing that was lent', async () => {
  const { accountId } = await busyAccount({ mode: 'postpaid', limit: 5 });
  const refused = await post('payouts', { account_id: accountId, amount_usd: '0.5' });
  expect([refused.status, refused.body.error?.message]).toEqual([
    409,
    expect.stringContaining('at most 0.25 USD'),
  ]);
  expect((await post('payouts', { account_id: accountId, amount_usd: '0.25' })).status).toBe(201);
});

test('a debt may be made on purpose while no request is under way', async () => {
  const { accountId } = await credit.openAccount();
  expect((await post('adjustments', { account_id: accountId, amount_usd: '-3' })).status).toBe(201);
});

test('nothing is taken while nobody can say what is held', async () => {
  const { accountId } = await busyAccount();
  await environment.redis.call('CLIENT', 'PAUSE', '3000');
  const refused = await post('payouts', { account_id: accountId, amount_usd: '0.1' });
  expect([refused.status, refused.body.error?.message]).toEqual([
    503,
    expect.stringContaining('Redis does not answer'),
  ]);
});
