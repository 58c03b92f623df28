import { type Pair, startPair } from '../../testing/billing-service.ts';
import { auditLedger } from '../../testing/bookkeeping.ts';
import { addKey } from '../../testing/keys.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { usageEvent } from '../../testing/usage-events.ts';
import { TEST_ANSWER_MS, TEST_SERVICE_SECRET } from '@tollgate/harness';
import { createRequestReplyClient } from '@tollgate/platform';
import { MESSAGE } from '@tollgate/contracts';
import { z } from 'zod';

interface Review {
  readonly request_id: string;
  readonly status: string;
  readonly charged_usd: string;
  readonly charged_tokens: object;
  readonly reported_tokens: object;
  readonly decided_by: string | null;
  readonly decided_transaction: number | null;
}
type Refusal = { readonly error: { readonly message: string } };

let pair: Pair;
let finance: string;
let member: string;
let keyId: string;
beforeAll(async () => {
  pair = await startPair();
  await addPerson(pair.environment, 'finance@billing.example', 'finance');
  await addPerson(pair.environment, 'member@billing.example', 'member');
  finance = await signIn(pair.billing.url, 'finance@billing.example');
  member = await signIn(pair.billing.url, 'member@billing.example');
  keyId = (await addKey(pair.environment.database, { accountId: pair.environment.first.accountId })).id;
});
afterAll(() => pair.stop());

async function post(of: object): Promise<void> {
  const { accountId } = pair.environment.first;
  const billing = createRequestReplyClient(
    `tcp://127.0.0.1:${pair.billing.config.TCP_PORT}`,
    [TEST_SERVICE_SECRET],
    TEST_ANSWER_MS,
  );
  const event = usageEvent({ account_id: accountId, key_id: keyId, model: 'sim-chat', ...of });
  await billing.request(MESSAGE.usagePost, { events: [event] }, z.null(), 10_000);
  billing.close();
}
const ask = <T = Review>(method: string, path: string, body?: object, cookie = finance) =>
  call<T>({ url: pair.billing.url, cookie }, method, `/api/finance/usage-reviews${path}`, body);
const chargedPico = async (): Promise<string> => {
  const [row]: { sum: string }[] = await pair.environment.database.query(
    'SELECT -balance_pico AS sum FROM billing.account_balance WHERE account_id = $1',
    [pair.environment.first.accountId],
  );
  return row?.sum ?? '0';
};
const lie = (request_id: string, more: object = {}) => ({
  request_id,
  tokens: { input: 300, output: 5 },
  bound: { input: 300, output: 5, text_only: true },
  reported_tokens: { input: 1_300, output: 105 },
  ...more,
});

// The list price of sim-chat is 2.50 and 10 USD per million tokens.
test('what is beyond the bound waits for a person, and is booked once when it is accepted', async () => {
  await post(lie('req_accepted'));
  const charged = await chargedPico();
  expect(charged).toBe(String(300 * 2_500_000 + 5 * 10_000_000));
  const listed = await ask<{ items: Review[] }>('GET', '');
  expect(listed.body.items).toMatchObject([
    {
      request_id: 'req_accepted',
      status: 'open',
      charged_usd: '0.0008',
      charged_tokens: { input: 300, output: 5 },
      reported_tokens: { input: 1_300, output: 105 },
    },
  ]);
  const accepted = await ask('POST', '/req_accepted/accept', { reason: 'the invoice says so' });
  expect(accepted).toMatchObject({
    status: 200,
    body: { status: 'accepted', decided_by: 'finance@billing.example' },
  });
  expect(await chargedPico()).toBe(String(1_300 * 2_500_000 + 105 * 10_000_000));
  const again = await ask<Refusal>('POST', '/req_accepted/accept', { reason: 'once more' });
  expect(again).toMatchObject({ status: 409 });
  expect(again.body.error.message).toContain('accepted by finance@billing.example');
  const [noted] = await pair.environment.database.query(
    `SELECT actor, reason FROM billing.audit_log WHERE action = 'usage_review.accept'`,
  );
  expect(noted).toEqual({ actor: 'finance@billing.example', reason: 'the invoice says so' });
  const audit = await auditLedger({ url: pair.billing.url, cookie: finance }, {});
  expect(audit).toMatchObject({ status: 200, body: { differences: [] } });
});

test('what is dismissed stays as it was charged, and absurd figures have no price', async () => {
  const before = BigInt(await chargedPico());
  await post(
    lie('req_dismissed', {
      reported_tokens: { input: 9_007_199_254_740_991, output: 9_007_199_254_740_991 },
    }),
  );
  expect(BigInt(await chargedPico()) - before).toBe(800_000_000n);
  const dismissed = await ask('POST', '/req_dismissed/dismiss', { reason: 'a lie' });
  expect(dismissed).toMatchObject({ status: 200, body: { status: 'dismissed', decided_transaction: null } });
  expect(BigInt(await chargedPico()) - before).toBe(800_000_000n);
  const open = await ask<{ items: Review[] }>('GET', '?status=open');
  expect(open.body.items).toEqual([]);
});

test('nobody but those who keep the books sees reviews or decides about them', async () => {
  await post(lie('req_of_others'));
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['POST', '/req_of_others/accept', { reason: 'x' }],
    ['POST', '/req_of_others/dismiss', { reason: 'x' }],
  ] as const)
    expect((await ask<Refusal>(method, path, body, member)).status).toBe(403);
  expect((await ask<Refusal>('POST', '/req_gone/dismiss', { reason: 'x' })).status).toBe(404);
});

test('Prometheus is told how many are open', async () => {
  const text = await (await fetch(`${pair.billing.url}/metrics`)).text();
  expect(text).toMatch(/^tollgate_usage_reviews_open\{service="billing"\} 1$/m);
});
