import type { Session } from '@tollgate/contracts';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { postUsage } from '../../testing/bookkeeping.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import type { EventFields } from '../../testing/usage-events.ts';
import { addKey } from '../../testing/keys.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { rebuildAccountHours, rebuildHours } from './usage-hours.ts';

interface Sums {
  readonly requests: number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cost_usd: string;
}
interface Summary {
  readonly from: string;
  readonly time_zone: string;
  readonly spent: { readonly today_usd: string; readonly this_month_usd: string };
  readonly total: Sums & { readonly outcomes: Readonly<Record<string, number>> };
  readonly latency: Readonly<Record<string, number>>;
  readonly buckets: readonly string[];
  readonly series: readonly {
    readonly key: string | null;
    readonly label: string | null;
    readonly total: Sums;
    readonly requests: readonly number[];
    readonly tokens: readonly number[];
    readonly cost_usd: readonly string[];
  }[];
}

let environment: TestEnvironment;
let billing: RunningBilling;
let member: Session;
let cookie: string;
let owner: string;
beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment);
  member = await addPerson(environment, 'member@billing.example', 'member');
  cookie = await signIn(billing.url, member.email);
  owner = await signIn(billing.url, environment.first.email);
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});

const summary = async (query: Record<string, string>, as = cookie) =>
  call<Summary>(
    { url: billing.url, cookie: as },
    'GET',
    `/api/usage/summary?${new URLSearchParams(query).toString()}`,
  );
const fresh = async (time_zone = 'UTC'): Promise<string> => {
  const { body } = await call<{ id: string }>({ url: billing.url, cookie: owner }, 'POST', '/api/accounts', {
    name: 'summed',
    time_zone,
  });
  return body.id;
};
const post = (accountId: string, costPico: number, of: EventFields) =>
  postUsage(environment.database, accountId, costPico, of);
const hoursOf = (accountId: string) =>
  environment.database.query<Record<string, unknown>[]>(
    'SELECT * FROM billing.usage_hour WHERE account_id = $1 ORDER BY hour, key_id, model, outcome',
    [accountId],
  );

test('every bucket of the time is there, and the sums are exact', async () => {
  const account_id = await fresh();
  await post(account_id, 3, { occurred_at: '2026-10-01T10:00:00.000Z', latency_ms: 100, first_byte_ms: 10 });
  await post(account_id, 4, { occurred_at: '2026-10-01T10:59:59.999Z', latency_ms: 300, first_byte_ms: 20 });
  await post(account_id, 5, {
    occurred_at: '2026-10-01T12:00:00.000Z',
    latency_ms: 200,
    first_byte_ms: 30,
    outcome: 'upstream_cut',
  });
  const { body } = await summary(
    { account_id, from: '2026-10-01T10:20:00Z', to: '2026-10-01T13:00:00Z', bucket: 'hour' },
    owner,
  );
  expect(body).toMatchObject({
    from: '2026-10-01T10:00:00.000Z',
    time_zone: 'UTC',
    total: {
      requests: 3,
      tokens_in: 12,
      tokens_out: 0,
      cost_usd: '0.000000000012',
      outcomes: { completed: 2, client_aborted: 0, upstream_cut: 1 },
    },
    latency: { requests: 3, p50_ms: 200, p95_ms: 300, first_byte_p50_ms: 20, first_byte_p95_ms: 30 },
    buckets: ['2026-10-01T10:00:00.000Z', '2026-10-01T11:00:00.000Z', '2026-10-01T12:00:00.000Z'],
    series: [
      {
        key: 'm',
        label: null,
        requests: [2, 0, 1],
        tokens: [7, 0, 5],
        cost_usd: ['0.000000000007', '0.00', '0.000000000005'],
      },
    ],
  });
});

test('days are those of the account, also where one has 25 hours and another begins at half past', async () => {
  const berlin = await fresh('Europe/Berlin');
  await post(berlin, 1, { occurred_at: '2026-10-24T22:00:00.000Z' });
  await post(berlin, 2, { occurred_at: '2026-10-25T22:59:59.000Z' });
  const span = { from: '2026-10-24T12:00:00Z', to: '2026-10-26T00:00:00Z' };
  const { body } = await summary({ account_id: berlin, ...span }, owner);
  expect(body.buckets).toEqual([
    '2026-10-23T22:00:00.000Z',
    '2026-10-24T22:00:00.000Z',
    '2026-10-25T23:00:00.000Z',
  ]);
  expect(body.series[0]?.cost_usd).toEqual(['0.00', '0.000000000003', '0.00']);

  const kolkata = await fresh('Asia/Kolkata');
  await post(kolkata, 1, { occurred_at: '2026-10-24T18:29:00.000Z' });
  await post(kolkata, 2, { occurred_at: '2026-10-24T18:31:00.000Z' });
  const indian = await summary({ account_id: kolkata, ...span }, owner);
  expect(indian.body.buckets[1]).toBe('2026-10-24T18:30:00.000Z');
  expect(indian.body.series[0]?.requests).toEqual([1, 1, 0]);
});

test('an account that changes its clock has its hours worked out again', async () => {
  const account_id = await fresh();
  await post(account_id, 1, { occurred_at: '2026-10-24T18:29:00.000Z' });
  await post(account_id, 2, { occurred_at: '2026-10-24T18:31:00.000Z' });
  expect(await hoursOf(account_id)).toHaveLength(1);
  await call({ url: billing.url, cookie: owner }, 'PATCH', `/api/accounts/${account_id}`, {
    time_zone: 'Asia/Kolkata',
  });
  expect(await hoursOf(account_id)).toMatchObject([
    { hour: new Date('2026-10-24T17:30:00Z'), requests: '1', cost_pico: '1' },
    { hour: new Date('2026-10-24T18:30:00Z'), requests: '1', cost_pico: '2' },
  ]);
  const span = { account_id, from: '2026-10-24T17:30:00Z', to: '2026-10-24T19:30:00Z', bucket: 'hour' };
  expect((await summary(span, owner)).body.series).toMatchObject([{ requests: [1, 1] }]);
});

test('keys have their names, outcomes are told apart, and what costs least is one series', async () => {
  const account_id = await fresh();
  const key = await addKey(environment.database, { accountId: account_id, name: 'Billed' });
  const at = { occurred_at: '2026-10-03T10:00:00.000Z' };
  await post(account_id, 7, { ...at, key_id: key.id });
  for (let n = 1; n <= 9; n += 1) await post(account_id, n, { ...at, key_id: keyNumber(n) });
  const span = { account_id, from: '2026-10-03T00:00:00Z', to: '2026-10-04T00:00:00Z' };
  const { body } = await summary({ ...span, by: 'key' }, owner);
  expect(body.series).toHaveLength(8);
  expect(body.series.find(({ key: id }) => id === key.id)).toMatchObject({ label: 'Billed' });
  expect(body.series.at(-1)).toMatchObject({
    key: null,
    label: null,
    total: { requests: 3, cost_usd: '0.000000000006' },
  });
  const status = (await summary({ ...span, by: 'status' }, owner)).body;
  expect(status.series.map(({ key: outcome, total }) => [outcome, total.requests])).toEqual([
    ['completed', 10],
  ]);
});

const keyNumber = (n: number) => `0198f1c2-7d1e-7000-8000-00000000010${n}`;

test('what was spent today and this month is told whatever time the chart is of', async () => {
  await post(member.account_id, 11, { occurred_at: new Date().toISOString() });
  const { body } = await summary({ from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' });
  expect(body.spent).toEqual({ today_usd: '0.000000000011', this_month_usd: '0.000000000011' });
  expect(body.series).toEqual([]);
});

test('the kept hours are what the log says, however it was written', async () => {
  const kept = async () => ({
    byKey: await environment.database.query<unknown[]>(
      'SELECT * FROM billing.usage_hour ORDER BY 1, 2, 3, 4, 5',
    ),
    whole: await environment.database.query<unknown[]>(
      'SELECT * FROM billing.account_hour ORDER BY 1, 2, 3, 4',
    ),
  });
  const before = await kept();
  await environment.database.transaction(async (manager) => {
    await rebuildHours(manager);
    await rebuildAccountHours(manager);
  });
  expect(before.byKey.length).toBeGreaterThan(10);
  expect(before.whole.length).toBeGreaterThan(8);
  expect(before.byKey.length).toBeGreaterThan(before.whole.length);
  expect(await kept()).toEqual(before);
});

test.each([
  [{ from: '2026-10-02T00:00:00Z', to: '2026-10-01T00:00:00Z' }, 'to'],
  [{ from: '2026-01-01T00:00:00Z', to: '2026-10-01T00:00:00Z', bucket: 'hour' }, 'bucket'],
  [{ by: 'upstream' }, 'by'],
  [{ from: '0000-01-01T00:00:00Z' }, 'from'],
])('the summary %j is refused, naming %s', async (query, param) => {
  expect(await summary(query)).toMatchObject({ status: 400, body: { error: { param } } });
});

test('a member sees their own account only', async () => {
  expect((await summary({ account_id: environment.first.accountId })).status).toBe(403);
  expect((await summary({}, '')).status).toBe(401);
});

test('the log comes as CSV with the filters of the page', async () => {
  const account_id = await fresh();
  for (let n = 0; n < 3; n += 1) {
    const occurred_at = `2026-10-0${n + 1}T10:00:00.000Z`;
    await post(account_id, 5, { occurred_at });
  }
  const read = async (query: Record<string, string>, as: string) => {
    const search = new URLSearchParams({ account_id, ...query }).toString();
    return fetch(`${billing.url}/api/usage.csv?${search}`, { headers: { cookie: as } });
  };
  const answer = await read({ from: '2026-10-02T00:00:00Z' }, owner);
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const [head, ...rows] = (await answer.text()).trim().split('\r\n');
  expect(head?.split(',').slice(0, 7)).toEqual([
    ...['request_id', 'occurred_at', 'account_id', 'key_id', 'group', 'group_ratio', 'discount_ratio'],
  ]);
  expect(rows.map((row) => row.split(',')[1])).toEqual([
    '2026-10-03T10:00:00.000Z',
    '2026-10-02T10:00:00.000Z',
  ]);
  expect(rows[0]).toContain(',0.000000000005,');
  expect((await read({}, cookie)).status).toBe(403);
});
