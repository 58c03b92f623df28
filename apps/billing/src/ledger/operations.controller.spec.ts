import type { Session } from '@tollgate/contracts';
import { formatUsd } from '@tollgate/money';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { enter, postingThatCosts, postUsage } from '../../testing/bookkeeping.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { postBatch } from '../usage/post-batch.ts';

interface Transaction {
  readonly number: number;
  readonly amount_usd: string;
  readonly entries: readonly { readonly ledger_account: string; readonly amount_usd: string }[];
}
type Refusal = { readonly error: { readonly message: string; readonly param: string | null } };

let environment: TestEnvironment;
let billing: RunningBilling;
let finance: string;
let customers = 0;
beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment);
  await addPerson(environment, 'finance@billing.example', 'finance');
  finance = await signIn(billing.url, 'finance@billing.example');
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});

const customer = (): Promise<Session> =>
  addPerson(environment, `customer${(customers += 1)}@billing.example`, 'member');
const post = <T = Transaction>(operation: string, body: object, key?: string, cookie = finance) =>
  enter<T>({ url: billing.url, cookie }, `/api/ledger/${operation}`, { reason: 'a reason', ...body }, key);
const balance = async (accountId: string) =>
  (
    await call<{ balance_usd: string }>(
      { url: billing.url, cookie: finance },
      'GET',
      `/api/ledger/balance?account_id=${accountId}`,
    )
  ).body.balance_usd;
const transactionOf = async (requestId: string): Promise<number> => {
  const rows: { number: string }[] = await environment.database.query(
    'SELECT number FROM billing.usage WHERE request_id = $1',
    [requestId],
  );
  return Number(rows[0]?.number);
};

test('a payment is in the books with who entered it and why, and its amount is in the balance', async () => {
  const { account_id } = await customer();
  const { status, body } = await post(
    'payments',
    { account_id, amount_usd: '12.500000000001', reason: 'Bank transfer' },
    'payment-1',
  );
  expect(status).toBe(201);
  expect(body).toMatchObject({
    kind: 'payment',
    account_id,
    amount_usd: '12.500000000001',
    actor: 'finance@billing.example',
    reason: 'Bank transfer',
    idempotency_key: 'payment-1',
    entries: [
      { ledger_account: 'cash', amount_usd: '-12.500000000001' },
      { ledger_account: `customer:${account_id}`, amount_usd: '12.500000000001' },
    ],
  });
  expect(await balance(account_id)).toBe('12.500000000001');
});

test('the same key and body is answered the same again and done once, even at the same time', async () => {
  const { account_id } = await customer();
  const ask = () => post('grants', { account_id, amount_usd: '3' }, 'grant-once');
  const answers = await Promise.all([ask(), ask(), ask(), ask()]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
  const again = await ask();
  expect(again.status).toBe(200);
  for (const { body } of answers) expect(body).toEqual(again.body);
  expect(await balance(account_id)).toBe('3.00');
});

test.each<[string, string, object]>([
  ['another amount', 'payments', { amount_usd: '4' }],
  ['another reason', 'payments', { reason: 'something else' }],
  ['another operation', 'grants', {}],
])('the same key with %s is refused', async (what, operation, other) => {
  const { account_id } = await customer();
  const key = `used for ${what}`.replaceAll(' ', '-');
  const first = await post('payments', { account_id, amount_usd: '3' }, key);
  const second = await post<Refusal>(operation, { account_id, amount_usd: '3', ...other }, key);
  expect(second.status).toBe(409);
  expect(second.body.error).toMatchObject({ param: 'idempotency-key' });
  expect(second.body.error.message).toContain(String(first.body.number));
  expect(await balance(account_id)).toBe('3.00');
});

test.each(['', 'with blank', 'ü', 'x'.repeat(201)])('the key "%s" is none', async (key) => {
  const answer = await fetch(`${billing.url}/api/ledger/payments`, {
    method: 'POST',
    headers: {
      cookie: finance,
      'content-type': 'application/json',
      ...(key === '' ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify({ account_id: environment.first.accountId, amount_usd: '1', reason: 'a reason' }),
  });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { param: 'idempotency-key' } });
});

test('a payout is no more than the balance, a write-off no more than the debt', async () => {
  const { account_id } = await customer();
  await post('payments', { account_id, amount_usd: '5' });
  const tooMuch = await post<Refusal>('payouts', { account_id, amount_usd: '5.01' });
  expect([tooMuch.status, tooMuch.body.error.message]).toEqual([
    409,
    'The balance of the account is 5.00 USD.',
  ]);
  expect((await post<Refusal>('write-offs', { account_id, amount_usd: '1' })).status).toBe(409);
  expect((await post('payouts', { account_id, amount_usd: '5' })).body.amount_usd).toBe('-5.00');
  expect((await post<Refusal>('payouts', { account_id, amount_usd: '0.01' })).status).toBe(409);

  expect((await post('adjustments', { account_id, amount_usd: '-2' })).status).toBe(201);
  expect((await post<Refusal>('write-offs', { account_id, amount_usd: '2.01' })).status).toBe(409);
  expect((await post('write-offs', { account_id, amount_usd: '2' })).status).toBe(201);
  expect(await balance(account_id)).toBe('0.00');
});

test('a request is refunded in parts, never beyond what it cost', async () => {
  const { account_id } = await customer();
  const request_id = await postUsage(environment.database, account_id, 900);
  const number = await transactionOf(request_id);
  const part = await post('refunds', { request_id, amount_usd: formatUsd(300n) });
  expect([part.status, part.body]).toMatchObject([
    201,
    {
      kind: 'refund',
      corrects: number,
      entries: [
        { ledger_account: `customer:${account_id}`, amount_usd: formatUsd(300n) },
        { ledger_account: 'revenue:acme', amount_usd: formatUsd(-300n) },
      ],
    },
  ]);
  const beyond = await post<Refusal>('refunds', { transaction: number, amount_usd: formatUsd(601n) });
  expect([beyond.status, beyond.body.error]).toMatchObject([
    409,
    { param: 'amount_usd', message: `What is left to give back is ${formatUsd(600n)} USD.` },
  ]);
  expect((await post('refunds', { transaction: number })).body.amount_usd).toBe(formatUsd(600n));
  expect((await post('refunds', { request_id })).status).toBe(409);
  expect(await balance(account_id)).toBe('0.00');
});

test('refunds of one request at the same time do not exceed its cost together', async () => {
  const { account_id } = await customer();
  const request_id = await postUsage(environment.database, account_id, 1_000);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => post('refunds', { request_id, amount_usd: formatUsd(300n) })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
  expect(await balance(account_id)).toBe(formatUsd(-100n));
});

test('a refund that was undone can be given again, and comes into force again only if it still fits', async () => {
  const { account_id } = await customer();
  const request_id = await postUsage(environment.database, account_id, 900);
  const refund = await post('refunds', { request_id });
  const undone = await post('corrections', { transaction: refund.body.number });
  expect(undone.body.amount_usd).toBe(formatUsd(-900n));
  expect((await post('refunds', { request_id, amount_usd: formatUsd(500n) })).status).toBe(201);
  const redone = await post<Refusal>('corrections', { transaction: undone.body.number });
  expect([redone.status, redone.body.error.param]).toEqual([409, 'transaction']);
  expect(await balance(account_id)).toBe(formatUsd(-400n));
});

test('a correction undoes what somebody entered, once, and can be undone itself', async () => {
  const { account_id } = await customer();
  const { body: payment } = await post('payments', { account_id, amount_usd: '7' });
  const correction = await post('corrections', { transaction: payment.number });
  expect([correction.status, correction.body]).toMatchObject([
    201,
    { kind: 'correction', corrects: payment.number, amount_usd: '-7.00' },
  ]);
  const twice = await post<Refusal>('corrections', { transaction: payment.number });
  expect([twice.status, twice.body.error.message]).toEqual([
    409,
    `It is corrected already, by transaction ${correction.body.number}.`,
  ]);
  expect(await balance(account_id)).toBe('0.00');
  expect((await post('corrections', { transaction: correction.body.number })).body.amount_usd).toBe('7.00');
  expect(await balance(account_id)).toBe('7.00');
});

test('of a transaction of many requests a refund names one, and gives back no more than that one cost', async () => {
  const { account_id } = await customer();
  const posted = await postBatch(
    environment.database,
    [100, 200, 300].map((cost) => postingThatCosts(cost, { account_id })),
    [],
  );
  const [first = 0, , last = 0] = posted.map(({ number }) => number);
  const [one = '', two = ''] = posted.map(({ event }) => event.request_id);
  const shown = await call({ url: billing.url, cookie: finance }, 'GET', `/api/ledger/transactions/${first}`);
  expect(shown.body).toMatchObject({
    number: last,
    first_number: first,
    request_id: null,
    amount_usd: formatUsd(-600n),
  });
  const all = await post<Refusal>('refunds', { transaction: last });
  expect([all.status, all.body.error.message]).toEqual([
    409,
    'This transaction is of 3 requests. Name the one by its request_id.',
  ]);
  const beyond = await post<Refusal>('refunds', { request_id: two, amount_usd: formatUsd(201n) });
  expect(beyond.status).toBe(409);
  const refund = await post('refunds', { request_id: two });
  expect(refund.body).toMatchObject({ corrects: last, request_id: two, amount_usd: formatUsd(200n) });
  expect((await post('refunds', { request_id: two })).status).toBe(409);
  expect((await post('refunds', { request_id: one })).body.amount_usd).toBe(formatUsd(100n));
  expect((await post('corrections', { transaction: refund.body.number })).status).toBe(201);
  expect((await post('refunds', { request_id: two, amount_usd: formatUsd(50n) })).status).toBe(201);
  expect((await post('refunds', { request_id: two })).body.amount_usd).toBe(formatUsd(150n));
  expect(await balance(account_id)).toBe(formatUsd(-300n));
  // Whoever knows of no such transactions cannot refund one as a whole.
  await expect(
    environment.database.query(
      `INSERT INTO billing.ledger_transaction (number, kind, account_id, idempotency_key, occurred_at, booked_at, actor, reason, corrects)
       VALUES (1000000, 'refund', $1, 'whole', now(), now(), 'a', 'b', $2)`,
      [account_id, last],
    ),
  ).rejects.toThrow('names the one');
});

test('usage is refunded, not corrected; what people entered is corrected, not refunded', async () => {
  const { account_id } = await customer();
  const request_id = await postUsage(environment.database, account_id, 900);
  const payment = await post('payments', { account_id, amount_usd: '7' });
  expect((await post('corrections', { transaction: await transactionOf(request_id) })).status).toBe(409);
  expect((await post('refunds', { transaction: payment.body.number })).status).toBe(409);
  const free = await postUsage(environment.database, account_id, 0);
  expect((await post('refunds', { request_id: free })).status).toBe(409);
});

const nobody = '0198f1c2-7d1e-7000-8000-00000000dead';
test.each<[string, object, string]>([
  ['payments', { account_id: nobody, amount_usd: '1' }, 'account_id'],
  ['payments', { account_id: 'x', amount_usd: '1' }, 'account_id'],
  ['payments', { account_id: nobody, amount_usd: '0' }, 'amount_usd'],
  ['payments', { account_id: nobody, amount_usd: '-1' }, 'amount_usd'],
  ['payments', { account_id: nobody, amount_usd: 1 }, 'amount_usd'],
  ['payments', { account_id: nobody, amount_usd: '1', reason: ' ' }, 'reason'],
  ['payments', { account_id: nobody, amount_usd: '1', reason: 'nul \0' }, 'reason'],
  ['adjustments', { account_id: nobody, amount_usd: '0' }, 'amount_usd'],
  ['refunds', {}, 'request_id'],
  ['refunds', { request_id: 'req_1', transaction: 1 }, 'request_id'],
  ['refunds', { request_id: 'req_nowhere' }, 'request_id'],
  ['refunds', { transaction: 999_999 }, 'transaction'],
  ['corrections', { transaction: 999_999 }, 'transaction'],
  ['corrections', { transaction: 0 }, 'transaction'],
])('%s with %j is refused', async (operation, body, param) => {
  const answer = await post<Refusal>(operation, body);
  expect([answer.status, answer.body.error.param]).toEqual([400, param]);
});

test('an account named in capitals is the same account', async () => {
  const { account_id } = await customer();
  await post('payments', { account_id: account_id.toUpperCase(), amount_usd: '1' });
  expect(await balance(account_id)).toBe('1.00');
});

test.each(['payments', 'grants', 'payouts', 'adjustments', 'write-offs', 'refunds', 'corrections'])(
  'a member enters no %s',
  async (operation) => {
    const person = await customer();
    const cookie = await signIn(billing.url, person.email);
    const usage = { request_id: await postUsage(environment.database, person.account_id, 9) };
    const body = { account_id: person.account_id, amount_usd: '1' };
    const of = { refunds: usage, corrections: { transaction: 1 } }[operation] ?? body;
    expect((await post(operation, of, undefined, cookie)).status).toBe(403);
    expect(await balance(person.account_id)).toBe(formatUsd(-9n));
  },
);
