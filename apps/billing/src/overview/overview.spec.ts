// Usage of two accounts is posted and requests without a charge are counted; people of each role ask over HTTP.
import type { AnswerOf, overview } from '@tollgate/api';
import { formatUsd } from '@tollgate/money';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { postingThatCosts } from '../../testing/bookkeeping.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { uuidv7 } from '../accounts/uuid.ts';
import { createRequestNotes } from '../requests/note-batch.ts';
import { postBatch } from '../usage/post-batch.ts';

type Overview = AnswerOf<typeof overview.showOverview>;

let environment: TestEnvironment;
let billing: RunningBilling;
let first: string;
let other: string;
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment);
  first = environment.first.accountId;
  other = (await addPerson(environment, 'finance@billing.example', 'finance')).account_id;
  await addPerson(environment, 'member@billing.example', 'member');
  const east = { upstream: 'east', pool: 'main', model: 'm', occurred_at: hoursAgo(2) };
  const west = { upstream: 'west', pool: 'spare', model: 'm', occurred_at: hoursAgo(1) };
  await postBatch(
    environment.database,
    [
      postingThatCosts(100, { ...east, account_id: first, first_byte_ms: 10, latency_ms: 40 }, 60),
      postingThatCosts(300, { ...west, account_id: first, first_byte_ms: 20, latency_ms: 20 }, 420),
      postingThatCosts(50, { ...east, account_id: other, first_byte_ms: 30, latency_ms: 60 }),
      postingThatCosts(
        9,
        { ...east, account_id: other, outcome: 'upstream_cut', occurred_at: hoursAgo(30) },
        1,
      ),
    ],
    [],
  );
  const minute = hoursAgo(1).slice(0, 17) + '00.000Z';
  const counts = [
    {
      account_id: other,
      minute,
      http_status: 429,
      error_code: 'rate_limit_exceeded',
      requests: 5,
      recorded: 1,
    },
    { account_id: null, minute, http_status: 401, error_code: 'invalid_api_key', requests: 2, recorded: 0 },
    {
      account_id: other,
      minute,
      http_status: 499,
      error_code: 'client_closed_request',
      requests: 1,
      recorded: 1,
    },
  ];
  await createRequestNotes(environment.database).note({ id: uuidv7(), records: [], counts });
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});

const ask = async (email: string, query = '') =>
  call<Overview>(
    { url: billing.url, cookie: await signIn(billing.url, email) },
    'GET',
    `/api/overview${query}`,
  );

test.each(['finance', 'member'])('it is for operators: %s is refused', async (role) => {
  expect((await ask(`${role}@billing.example`)).status).toBe(403);
});

test('all accounts together: requests, failures, spend, cost and margin', async () => {
  const { status, body } = await ask(environment.first.email);
  expect(status).toBe(200);
  // What clients left by themselves is a request, and no failure.
  expect(body).toMatchObject({ requests: 11, failed: 7 });
  expect(body.total).toEqual({
    requests: 3,
    revenue_usd: formatUsd(450n),
    upstream_cost_usd: formatUsd(480n),
    margin_usd: formatUsd(400n - 480n),
    requests_of_unknown_cost: 1,
    first_byte_ms: 20,
    latency_ms: 40,
  });
  expect(body.latency).toEqual({
    requests: 3,
    first_byte: { p50_ms: 20, p95_ms: 30, p99_ms: 30 },
    whole: { p50_ms: 40, p95_ms: 60, p99_ms: 60 },
  });
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  expect(sum(body.each.requests)).toBe(body.requests);
  expect(sum(body.each.failed)).toBe(body.failed);
  expect(body.each.revenue_usd).toHaveLength(body.buckets.length);
  expect(body.each.first_byte_ms.filter((ms) => ms !== null)).toEqual([20, 20]);
});

test('customers and models are ranked by what they were charged, upstreams by their requests', async () => {
  const { body } = await ask(environment.first.email);
  expect(body.customers.map(({ account_id, requests }) => [account_id, requests])).toEqual([
    [first, 2],
    [other, 1],
  ]);
  expect(body.models.map(({ model, requests }) => [model, requests])).toEqual([['m', 3]]);
  expect(body.upstreams).toMatchObject([
    { upstream: 'east', requests: 2, upstream_cost_usd: formatUsd(60n), margin_usd: formatUsd(40n) },
    { upstream: 'west', requests: 1, upstream_cost_usd: formatUsd(420n), margin_usd: formatUsd(-120n) },
  ]);
});

test('a stream that its upstream cut has failed, in days too', async () => {
  const { body } = await ask(environment.first.email, `?bucket=day&from=${hoursAgo(72)}`);
  expect(body).toMatchObject({ bucket: 'day', requests: 12, failed: 8 });
});

test('an account that may spend less than in the last three days is told, one without a limit is not', async () => {
  const names = async () =>
    (await ask(environment.first.email)).body.running_dry.map(({ account_id }) => account_id);
  const set = (id: string, change: string) =>
    environment.database.query(`UPDATE billing.account SET ${change} WHERE id = $1`, [id]);
  await set(first, `mode = 'postpaid', credit_limit_pico = NULL`);
  await set(other, `mode = 'prepaid', credit_limit_pico = NULL`);
  expect(await names()).toEqual([other]);
  await set(first, `credit_limit_pico = 700`);
  expect((await names()).toSorted()).toEqual([first, other].toSorted());
  await set(first, `credit_limit_pico = 801`);
  expect(await names()).toEqual([other]);
});
