import type { AnswerOf, periods } from '@tollgate/api';
import { waitFor } from '@tollgate/harness';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { snapshotWith, usageEvent } from '../../testing/usage-events.ts';
import { postBatch } from '../usage/post-batch.ts';
import { computePosting } from '../usage/posting.ts';

let environment: TestEnvironment;
let billing: RunningBilling;
let accountId: string;
const cookies = { owner: '', admin: '', finance: '', member: '' };
type Role = keyof typeof cookies;

beforeAll(async () => {
  environment = await startTestEnvironment();
  // What the tests close would be closed by itself where they take longer than a minute.
  billing = await startBillingOn(environment, { PERIOD_CLOSE_AFTER_DAYS: 'never' });
  accountId = environment.first.accountId;
  for (const role of ['admin', 'finance', 'member'] as const) {
    await addPerson(environment, `${role}@billing.example`, role);
    cookies[role] = await signIn(billing.url, `${role}@billing.example`);
  }
  cookies.owner = await signIn(billing.url, environment.first.email);
  await environment.database.query(
    `UPDATE billing.account SET created_at = '2025-09-10T00:00:00Z' WHERE id = $1`,
    [accountId],
  );
  const event = usageEvent({ account_id: accountId, occurred_at: '2025-09-12T00:00:00.000Z' });
  const posting = computePosting(event, snapshotWith({ input: 2_500_000 }, '1'));
  if (!posting.ok) throw new Error(posting.reason);
  await postBatch(environment.database, [posting.value], []);
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});

const as = <T = Record<string, unknown>>(role: Role, method: string, path: string, body?: object) =>
  call<T>({ url: billing.url, cookie: cookies[role] }, method, path, body);
/** What a verification has found. */
async function verify(role: Role, body: object) {
  const asked = await as<{ id: string }>(role, 'POST', '/api/periods/verify', body);
  expect(asked.status).toBe(200);
  return waitFor(async () => {
    const answer = await as(role, 'GET', `/api/verifications/${asked.body.id}`);
    return answer.body['ended_at'] !== null && answer.body;
  }, 'the verification to end');
}
const close = (body: object, role: Role = 'finance') => as(role, 'POST', '/api/periods/close', body);

test.each([
  ['GET', '/api/periods', undefined],
  ['GET', '/api/periods/0198f1c2-7d1e-7000-8000-000000000001/2025-09', undefined],
  ['POST', '/api/periods/close', { all: true, month: '2025-09', reason: 'x' }],
  ['POST', '/api/periods/verify', { all: true }],
])('%s %s is not for members', async (method, path, body) => {
  expect((await as('member', method, path, body)).status).toBe(403);
});

test.each([
  [{ month: '2025-09', reason: 'x' }],
  [{ month: '2025-09', reason: 'x', all: true, account_id: '0198f1c2-7d1e-7000-8000-000000000001' }],
  [{ month: '2025-13', reason: 'x', all: true }],
  [{ month: '2025-09', reason: ' ', all: true }],
  [{ month: '2025-09', all: true }],
])('closing refuses %j', async (body) => {
  expect((await close(body)).status).toBe(400);
});

test('a period is closed in order, listed, shown and verified', async () => {
  const early = await close({ account_id: accountId, month: '2025-10', reason: 'early' });
  expect(early).toMatchObject({ status: 409, body: { error: { param: 'month' } } });

  const closed = await close({ account_id: accountId, month: '2025-09', reason: 'month-end' });
  expect(closed).toMatchObject({
    status: 200,
    body: {
      closed: [{ account_id: accountId, closed_by: 'finance@billing.example', reason: 'month-end' }],
      refused: [],
      sealing: [],
    },
  });
  const again = await close({ account_id: accountId, month: '2025-09', reason: 'again' }, 'admin');
  expect(again).toEqual(closed);

  const list = await as('owner', 'GET', `/api/periods?account_id=${accountId}`);
  expect(list.body).toEqual({
    items: (closed.body as { closed: object[] }).closed,
    sealing: [],
    open: {
      month: '2025-10',
      time_zone: 'UTC',
      from: '2025-10-01T00:00:00.000Z',
      to: '2025-11-01T00:00:00.000Z',
    },
  });

  const shown = await as('finance', 'GET', `/api/periods/${accountId}/2025-09`);
  expect(shown.body).toMatchObject({
    opening_balance_usd: '0.00',
    closing_balance_usd: '-0.0000075',
    kinds: [{ kind: 'usage', transactions: 1, amount_usd: '-0.0000075' }],
    usage: [{ model: 'm', revenue_usd: '0.0000075', upstream_cost_usd: '0.00', requests_of_unknown_cost: 1 }],
    sealed: { totals: { closing_balance_pico: '-7500000' } },
  });
  expect((await as('finance', 'GET', `/api/periods/${accountId}/2025-10`)).status).toBe(404);
  expect((await as('finance', 'GET', '/api/periods/nobody/2025-10')).status).toBe(404);

  const verified = await verify('finance', { account_id: accountId });
  expect(verified).toMatchObject({
    account_id: accountId,
    from_start: false,
    started_by: 'finance@billing.example',
    verified: true,
    checked: 1,
    total: 1,
    items: [{ account_id: accountId, periods: 1, first_difference: null }],
  });
  expect((await as('owner', 'GET', '/api/verifications')).body).toEqual({ items: [verified] });
  const other = '0198f1c2-7d1e-7000-8000-000000000001';
  expect((await as('owner', 'GET', `/api/verifications/${other}`)).status).toBe(404);
});

test('of all accounts, those that cannot be closed say why', async () => {
  await close({ account_id: accountId, month: '2025-09', reason: 'month-end' });
  const { status, body } = await close({ all: true, month: '2025-10', reason: 'month-end' });
  expect(status).toBe(200);
  expect(body).toMatchObject({ closed: [{ account_id: accountId, month: '2025-10' }] });
  expect(body['refused']).toHaveLength(3);
  for (const refused of body['refused'] as object[])
    expect(refused).toEqual({
      account_id: expect.any(String),
      message: expect.stringMatching(
        /^Periods close in order: the next one of this account is \d{4}-\d\d\.$/,
      ),
      code: 'periods_in_order',
      values: { month: expect.stringMatching(/^\d{4}-\d\d$/) },
    });
  expect(await verify('owner', { all: true, from_start: true })).toMatchObject({ verified: true, total: 1 });
});

test('months by account: who used most first, sums of all that are found, and as CSV with exact amounts', async () => {
  const other = await addPerson(environment, 'other@billing.example', 'member');
  await environment.database.query(`UPDATE billing.account SET name = '=1+1, "x"' WHERE id = $1`, [
    other.account_id,
  ]);
  const event = usageEvent({ account_id: other.account_id, occurred_at: '2025-11-12T00:00:00.000Z' });
  const posting = computePosting(event, snapshotWith({ input: 5_000_000 }, '1'));
  if (!posting.ok) throw new Error(posting.reason);
  await postBatch(environment.database, [posting.value], []);

  const ask = (query: string) =>
    as<AnswerOf<typeof periods.listAccountMonths>>('finance', 'GET', `/api/periods/accounts?${query}`);
  const none = { usage_usd: '0.00', credit_usd: '0.00', requests: 0 };
  const { body } = await ask('to=2025-11&months=3&limit=2');
  expect(body).toMatchObject({ months: ['2025-09', '2025-10', '2025-11'], accounts: 5 });
  expect(body.items).toMatchObject([
    {
      account_id: other.account_id,
      account_name: '=1+1, "x"',
      months: [
        { ...none, status: null },
        { ...none, status: null },
        { usage_usd: '0.000015', requests: 1, status: 'open' },
      ],
      total: { usage_usd: '0.000015' },
    },
    {
      account_id: accountId,
      months: [
        { usage_usd: '0.0000075', requests: 1, status: 'closed' },
        { status: 'closed' },
        { status: 'open' },
      ],
    },
  ]);
  expect(body.totals).toEqual([
    { ...none, closed: 1, usage_usd: '0.0000075', requests: 1 },
    { ...none, closed: 1 },
    { ...none, closed: 0, usage_usd: '0.000015', requests: 1 },
  ]);
  expect(body.total).toEqual({ ...none, usage_usd: '0.0000225', requests: 2 });
  expect((await ask('to=2025-11&months=3&limit=2&offset=1')).body.items[0]?.account_id).toBe(accountId);
  const found = (await ask('to=2025-11&months=3&find=OTHER@')).body;
  expect([found.accounts, found.items.length, found.total.usage_usd]).toEqual([1, 1, '0.000015']);

  const answer = await fetch(`${billing.url}/api/periods/accounts.csv?to=2025-11&months=2&find=other@`, {
    headers: { cookie: cookies.finance },
  });
  expect((await answer.text()).split('\r\n')).toEqual([
    'account_id,account,usage_usd 2025-10,usage_usd 2025-11,usage_usd total,credit_usd 2025-10,credit_usd 2025-11,credit_usd total',
    `${other.account_id},"'=1+1, ""x""",0.00,0.000015,0.000015,0.00,0.00,0.00`,
    '',
  ]);
});
