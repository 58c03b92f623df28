import { formatUsd } from '@tollgate/money';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { postingThatCosts } from '../../testing/bookkeeping.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { postBatch } from '../usage/post-batch.ts';

interface Margins {
  readonly groups: readonly Record<string, unknown>[];
  readonly total: Record<string, unknown>;
}

let environment: TestEnvironment;
let billing: RunningBilling;
let cookie: string;
let other: string;
beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment);
  other = (await addPerson(environment, 'finance@billing.example', 'finance')).account_id;
  cookie = await signIn(billing.url, 'finance@billing.example');
  const first = environment.first.accountId;
  await postBatch(
    environment.database,
    [
      postingThatCosts(100, { account_id: first, pool: 'main', upstream: 'east' }, 60),
      postingThatCosts(300, { account_id: first, pool: 'spare', upstream: 'west' }, 420),
      postingThatCosts(50, { account_id: other, pool: 'main', upstream: 'east' }),
      postingThatCosts(0, { account_id: other, pool: 'main', upstream: 'east' }, 0),
      postingThatCosts(1_000, { account_id: other, occurred_at: '2026-12-01T00:00:00.000Z' }, 1),
    ],
    [],
  );
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});

const margins = async (query: string, as = cookie) =>
  call<Margins>({ url: billing.url, cookie: as }, 'GET', `/api/finance/margins${query}`);
const november = 'from=2026-11-01T00:00:00Z&to=2026-12-01T00:00:00Z';
const total = {
  requests: 4,
  requests_of_unknown_cost: 1,
  revenue_usd: formatUsd(450n),
  revenue_of_unknown_cost_usd: formatUsd(50n),
  upstream_cost_usd: formatUsd(480n),
  margin_usd: formatUsd(-80n),
  margin_ratio: '-0.2',
};
const west = {
  requests: 1,
  requests_of_unknown_cost: 0,
  revenue_usd: formatUsd(300n),
  revenue_of_unknown_cost_usd: formatUsd(0n),
  upstream_cost_usd: formatUsd(420n),
  margin_usd: formatUsd(-120n),
  margin_ratio: '-0.4',
};
const east = {
  requests: 3,
  requests_of_unknown_cost: 1,
  revenue_usd: formatUsd(150n),
  revenue_of_unknown_cost_usd: formatUsd(50n),
  upstream_cost_usd: formatUsd(60n),
  margin_usd: formatUsd(40n),
  margin_ratio: '0.4',
};

test.each<[string, object[]]>([
  [
    'upstream',
    [
      { upstream: 'west', ...west },
      { upstream: 'east', ...east },
    ],
  ],
  [
    'pool',
    [
      { pool: 'spare', ...west },
      { pool: 'main', ...east },
    ],
  ],
  ['model', [{ model: 'm', ...total }]],
  ['vendor', [{ vendor: 'acme', ...total }]],
])('margins by %s', async (groupBy, groups) => {
  const { status, body } = await margins(`?group_by=${groupBy}&${november}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ groups, total });
});

test('margins by customer say who that is', async () => {
  const { body } = await margins(`?group_by=customer&${november}`);
  expect(body.groups).toMatchObject([
    { customer: environment.first.accountId, customer_name: 'First account', revenue_usd: formatUsd(400n) },
    {
      customer: other,
      customer_name: 'Account of finance@billing.example',
      requests: 2,
      requests_of_unknown_cost: 1,
      margin_usd: '0.00',
      margin_ratio: null,
    },
  ]);
});

test('without bounds everything counts, and nothing is a total too', async () => {
  expect((await margins('')).body.total).toMatchObject({ requests: 5, revenue_usd: formatUsd(1_450n) });
  expect((await margins('?to=2020-01-01T00:00:00Z')).body).toMatchObject({
    groups: [],
    total: { requests: 0, revenue_usd: '0.00', margin_usd: '0.00', margin_ratio: null },
  });
});

test('what occurred in a closed period counts where it is booked', async () => {
  const account = await addPerson(environment, 'late@billing.example', 'member');
  await environment.database.query(
    `UPDATE billing.account SET closed_until = '2027-02-01T00:00:00Z' WHERE id = $1`,
    [account.account_id],
  );
  const before = (await margins(`?${november}`)).body.total;
  await postBatch(environment.database, [postingThatCosts(9, { account_id: account.account_id }, 1)], []);
  expect((await margins(`?${november}`)).body.total).toEqual(before);
  const february = await margins('?from=2027-02-01T00:00:00Z&to=2027-03-01T00:00:00Z');
  expect(february.body.total).toMatchObject({ requests: 1, margin_usd: formatUsd(8n) });
});

test('margins are for those who keep the books', async () => {
  await addPerson(environment, 'member@billing.example', 'member');
  expect((await margins('', await signIn(billing.url, 'member@billing.example'))).status).toBe(403);
  expect((await margins('?group_by=colour')).status).toBe(400);
});
