import type { Session } from '@tollgate/contracts';
import { formatUsd, parseUsd } from '@tollgate/money';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { auditLedger, enter, postingThatCosts, postUsage } from '../../testing/bookkeeping.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { postBatch } from '../usage/post-batch.ts';

interface Listed {
  readonly number: number;
  readonly kind: string;
  readonly account_id: string;
}
interface Page {
  readonly items: readonly (Listed & Record<string, unknown>)[];
  readonly next: string | null;
}

let environment: TestEnvironment;
let billing: RunningBilling;
let member: Session;
let finance: string;
let cookie: string;
let request: string;
beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment);
  await addPerson(environment, 'finance@billing.example', 'finance');
  member = await addPerson(environment, 'member@billing.example', 'member');
  finance = await signIn(billing.url, 'finance@billing.example');
  cookie = await signIn(billing.url, 'member@billing.example');

  const { account_id } = member;
  const at = { url: billing.url, cookie: finance };
  const reason = 'a reason';
  await enter(at, '/api/ledger/payments', { account_id, amount_usd: '5', reason });
  const posting = postingThatCosts(900, { account_id }, 400);
  request = posting.event.request_id;
  await postBatch(environment.database, [posting], []);
  await postUsage(environment.database, account_id, 0);
  await postUsage(environment.database, environment.first.accountId, 7);
  await enter(at, '/api/ledger/refunds', { request_id: request, amount_usd: formatUsd(100n), reason });
  await enter(at, '/api/ledger/payments', {
    account_id: environment.first.accountId,
    amount_usd: '1',
    reason,
  });
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});

const get = <T = Page>(path: string, as = finance) =>
  call<T>({ url: billing.url, cookie: as }, 'GET', `/api/ledger/${path}`);
const kinds = ({ items }: Page) => items.map(({ number, kind }) => `${number} ${kind}`);

test.each<[string, string[]]>([
  ['?account_id=all', ['6 payment', '5 refund', '4 usage', '2 usage', '1 payment']],
  ['?account_id=all&kind=payment', ['6 payment', '1 payment']],
  ['?account_id=all&kind=usage', ['4 usage', '2 usage']],
  ['?account_id=MEMBER', ['5 refund', '2 usage', '1 payment']],
  ['?account_id=MEMBER&kind=usage', ['2 usage']],
  ['?account_id=MEMBER&kind=refund', ['5 refund']],
  ['?account_id=MEMBER&to=2026-11-21T10:00:00Z&kind=usage', []],
  ['?account_id=MEMBER&from=2026-11-21T10:00:00Z&to=2026-11-21T10:00:00.001Z', ['2 usage']],
  ['?account_id=MEMBER&cursor=5', ['2 usage', '1 payment']],
  ['', []],
])('those who keep the books list transactions%s', async (query, expected) => {
  const { status, body } = await get(`transactions${query.replace('MEMBER', member.account_id)}`);
  expect([status, kinds(body), body.next]).toEqual([200, expected, null]);
  // What is added up is the list from its first page on.
  if (query.includes('cursor')) return;
  const amounts = body.items.map(({ amount_usd }) => parseUsd(String(amount_usd)));
  const { body: totals } = await get(`totals${query.replace('MEMBER', member.account_id)}`);
  expect(totals).toEqual({
    transactions: expected.length,
    amount_usd: formatUsd(amounts.reduce((sum, amount) => sum + amount, 0n)),
  });
});

test('those who keep the books see whose each transaction is', async () => {
  const { body } = await get<{ items: { account_id: string; account_name?: string }[] }>(
    'transactions?account_id=all&limit=500',
  );
  const names = new Set(body.items.map(({ account_id, account_name }) => `${account_id} ${account_name}`));
  expect(names).toEqual(
    new Set([
      `${environment.first.accountId} First account`,
      `${member.account_id} Account of ${member.email}`,
    ]),
  );
});

test.each(
  ['number', '-number', 'amount', '-amount'].flatMap((sort) => [
    { sort, whose: 'all' },
    { sort, whose: 'own' },
  ]),
)('pages of $whose by $sort follow each other without gaps', async ({ sort, whose }) => {
  const accountId = whose === 'all' ? 'all' : member.account_id;
  const whole = await get(`transactions?account_id=${accountId}`);
  const paged: Page['items'][number][] = [];
  let cursor: string | null = null;
  do {
    const { body }: { body: Page } = await get(
      `transactions?account_id=${accountId}&sort=${sort}&limit=2${cursor === null ? '' : `&cursor=${cursor}`}`,
    );
    expect(body.items.length).toBeLessThanOrEqual(2);
    paged.push(...body.items);
    cursor = body.next;
  } while (cursor !== null);
  const figure = ({ number, amount_usd }: Page['items'][number]): bigint =>
    sort.endsWith('amount') ? parseUsd(String(amount_usd)) * 1_000n + BigInt(number) : BigInt(number);
  const inOrder = whole.body.items.toSorted((a, b) => (figure(a) < figure(b) ? -1 : 1));
  expect(paged).toEqual(sort.startsWith('-') ? inOrder.toReversed() : inOrder);
});

test('a customer sees what was done to their balance and why, and nothing of our costs and people', async () => {
  const { body } = await get('transactions', cookie);
  expect(kinds(body)).toEqual(['5 refund', '2 usage', '1 payment']);
  expect(body.items[1]).toEqual({
    number: 2,
    first_number: 2,
    kind: 'usage',
    account_id: member.account_id,
    request_id: request,
    corrects: null,
    amount_usd: formatUsd(-900n),
    occurred_at: '2026-11-21T10:00:00.000Z',
    booked_at: '2026-11-21T10:00:00.000Z',
    posted_at: expect.any(String),
    reason: null,
  });
  expect(JSON.stringify(body)).not.toContain('finance@');
  expect((await get('transactions/2', cookie)).body).toEqual({ ...body.items[1], corrected_by: [5] });
});

test('those who keep the books see every entry of a transaction', async () => {
  const { body } = await get<Record<string, unknown>>('transactions/2');
  expect(body).toMatchObject({
    actor: null,
    idempotency_key: null,
    corrected_by: [5],
    entries: [
      { ledger_account: 'cost:east', amount_usd: formatUsd(-400n) },
      { ledger_account: `customer:${member.account_id}`, amount_usd: formatUsd(-900n) },
      { ledger_account: 'payable:east', amount_usd: formatUsd(400n) },
      { ledger_account: 'revenue:acme', amount_usd: formatUsd(900n) },
    ],
  });
});

test.each(['0', '7', 'x', '1.5', '99999999999999999999'])('there is no transaction %s', async (number) => {
  expect((await get(`transactions/${number}`)).status).toBe(404);
});

test("another account's books are closed to a member", async () => {
  const other = environment.first.accountId;
  expect((await get(`transactions?account_id=${other}`, cookie)).status).toBe(403);
  expect((await get('transactions?account_id=all', cookie)).status).toBe(403);
  expect((await get('transactions/4', cookie)).status).toBe(404);
  expect((await get(`balance?account_id=${other}`, cookie)).status).toBe(403);
});

test('a balance is as of the transaction that changed it last', async () => {
  expect((await get('balance', cookie)).body).toEqual({
    account_id: member.account_id,
    balance_usd: formatUsd(5_000_000_000_000n - 800n),
    last_number: 5,
  });
  expect((await get('balance')).body).toMatchObject({ balance_usd: '0.00', last_number: 0 });
});

test.each([
  'transactions?cursor=x',
  'transactions?sort=kind',
  'transactions?limit=0',
  'transactions?kind=gift',
  'transactions?from=today',
])('%s is refused', async (path) => {
  expect((await get(path)).status).toBe(400);
});

test('who keeps the books may audit them, a member may not', async () => {
  const audit = (as: string, body: object) => auditLedger({ url: billing.url, cookie: as }, body);
  expect((await audit(cookie, {})).status).toBe(403);
  const report = {
    started_by: expect.stringContaining('@'),
    ended_at: expect.stringMatching(/Z$/),
    step: null,
    verified: true,
    to: 6,
    accounts: 2,
    imbalance_usd: '0.00',
    difference_count: 0,
    differences: [],
  };
  const whole = await audit(finance, {});
  expect(whole).toMatchObject({
    status: 200,
    body: { ...report, from_start: true, after: 0, transactions: 6, entries: 12 },
  });
  // Numbers, and requests of which sums were worked out.
  expect(whole.body).toMatchObject({ checked: 9, total: 9 });
  const since = await audit(finance, { from_start: false });
  expect(since.body).toMatchObject({ ...report, from_start: false, after: 6, transactions: 0, total: 0 });
  const as = { url: billing.url, cookie: finance };
  expect((await call(as, 'GET', `/api/ledger/audits/${whole.body.id}`)).body).toEqual(whole.body);
  expect((await call(as, 'GET', '/api/ledger/audits')).body).toEqual({ items: [since.body, whole.body] });
  const unknown = '/api/ledger/audits/0198f1c2-7d1e-7000-8000-00000000dead';
  expect((await call(as, 'GET', unknown)).status).toBe(404);
});

test('Prometheus reads on the service itself how the last audit of its job ended', async () => {
  const answer = await fetch(`${billing.url}/metrics`);
  expect(answer.status).toBe(200);
  const lines = (await answer.text()).split('\n');
  expect(lines).toContain('tollgate_ledger_audit_differences{service="billing"} 0');
  expect(lines).toContain('tollgate_ledger_imbalance_pico{service="billing"} 0');
});
