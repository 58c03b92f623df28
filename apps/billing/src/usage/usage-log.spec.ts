import type { Session } from '@tollgate/contracts';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { snapshotOfUnits } from '../../testing/arbitrary-usage.ts';
import { type EventFields, snapshotWith, usageEvent } from '../../testing/usage-events.ts';
import { postBatch } from './post-batch.ts';
import { computePosting } from './posting.ts';

interface Page {
  readonly items: readonly { readonly request_id: string; readonly disputed: unknown }[];
  readonly next: string | null;
}

const KEY = '0198f1c2-7d1e-7000-8000-0000000000aa';
const snapshot = snapshotWith({ input: 2_500_000 }, '1');

let environment: TestEnvironment;
let billing: RunningBilling;
let member: Session;
let cookies: { readonly member: string; readonly owner: string };

async function post(events: readonly EventFields[], by = snapshot): Promise<void> {
  const postings = events.flatMap((of) => {
    const result = computePosting(usageEvent(of), by);
    return result.ok ? [result.value] : [];
  });
  expect(await postBatch(environment.database, postings, [])).toHaveLength(events.length);
}

beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment);
  member = await addPerson(environment, 'member@billing.example', 'member');
  cookies = {
    member: await signIn(billing.url, member.email),
    owner: await signIn(billing.url, environment.first.email),
  };
  const account_id = member.account_id;
  await post([
    ...Array.from({ length: 25 }, (_, index) => ({
      account_id,
      request_id: `req_page_${String(index).padStart(2, '0')}`,
      occurred_at: `2026-11-20T10:00:0${Math.floor(index / 5)}.000Z`,
    })),
    ...[1, 2, 3, 4].map((micros) => ({
      account_id,
      request_id: `req_page_micros_${micros}`,
      occurred_at: `2026-11-20T09:00:00.00000${micros}Z`,
    })),
    {
      account_id,
      request_id: 'req_of_key',
      occurred_at: '2026-10-01T00:00:00.000Z',
      key_id: KEY,
      tokens: { input: 3 },
    },
    { account_id, request_id: 'req_before', occurred_at: '2026-09-30T23:59:59.999Z' },
    { account_id: environment.first.accountId, request_id: 'req_of_owner' },
  ]);
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});

const log = (query: Record<string, string>, cookie = cookies.member) =>
  call<Page>({ url: billing.url, cookie }, 'GET', `/api/usage?${new URLSearchParams(query).toString()}`);
const idsOf = (page: Page) => page.items.map(({ request_id }) => request_id);

async function allPages(limit: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const { body }: { body: Page } = await log({
      limit: String(limit),
      ...(cursor === null ? {} : { cursor }),
    });
    expect(body.items.length).toBeLessThanOrEqual(limit);
    ids.push(...idsOf(body));
    cursor = body.next;
  } while (cursor !== null && ids.length < 100);
  return ids;
}

test.each([1, 3, 7, 31, 500])('pages of %i show every row once, newest first', async (limit) => {
  expect(await allPages(limit)).toEqual([
    ...Array.from({ length: 25 }, (_, index) => `req_page_${String(24 - index).padStart(2, '0')}`),
    'req_page_micros_4',
    'req_page_micros_3',
    'req_page_micros_2',
    'req_page_micros_1',
    'req_of_key',
    'req_before',
  ]);
});

test('what is written between two pages moves nothing on the second', async () => {
  const { body: first } = await log({ limit: '5' });
  await post([
    { account_id: member.account_id, request_id: 'req_late', occurred_at: '2026-11-22T00:00:00.000Z' },
  ]);
  const { body: second } = await log({ limit: '5', cursor: first.next ?? '' });
  expect(idsOf(second)).toEqual(['req_page_19', 'req_page_18', 'req_page_17', 'req_page_16', 'req_page_15']);
});

test.each<[Record<string, string>, string[]]>([
  [{ key_id: KEY }, ['req_of_key']],
  [{ request_id: 'req_page_07' }, ['req_page_07']],
  [{ request_id: 'req_of_owner' }, []],
  [{ request_id: 'req_of_key', key_id: KEY }, ['req_of_key']],
  [{ model: 'another' }, []],
  [{ to: '2026-11-01T00:00:00Z', model: 'm' }, ['req_of_key', 'req_before']],
  [{ from: '2026-10-01T00:00:00Z', to: '2026-10-02T00:00:00Z' }, ['req_of_key']],
  [{ to: '2026-10-01T00:00:00Z' }, ['req_before']],
  [{ to: '2026-10-01T02:00:00+02:00' }, ['req_before']],
])('the filter %j leaves %j', async (query, ids) => {
  const { status, body } = await log(query);
  expect([status, idsOf(body), body.next]).toEqual([200, ids, null]);
});

test.each<[Record<string, string>, string[]]>([
  [{ key_id: KEY }, ['req_of_key']],
  [{ request_id: 'req_page_07' }, ['req_page_07']],
  [{ request_id: 'req_of_owner' }, []],
  [{ to: '2026-11-01T00:00:00Z', model: 'm' }, ['req_of_key', 'req_before']],
])('the CSV of the filter %j holds %j', async (query, ids) => {
  const path = `/api/usage.csv?${new URLSearchParams(query).toString()}`;
  const answer = await fetch(`${billing.url}${path}`, { headers: { cookie: cookies.member } });
  const [, ...rows] = (await answer.text()).trimEnd().split('\r\n');
  expect([answer.status, rows.map((row) => row.split(',')[0])]).toEqual([200, ids]);
});

test('an entry tells its tokens and its exact cost', async () => {
  const { body } = await log({ key_id: KEY });
  expect(body.items[0]).toMatchObject({
    account_id: member.account_id,
    key_id: KEY,
    tokens: { input: 3 },
    cost_usd: '0.0000075',
    pricing_version: 1,
    outcome: 'completed',
  });
});

test('an entry tells each of its lines, which units we counted, and what is disputed', async () => {
  const line = { model: 'm', service_tier: 'priority', region: 'us' } as const;
  const reported = [
    { ...line, counts: { input: 3, searches: 9, fetches: 1 } },
    { model: 'drawing', counts: { output_image: 5 } },
  ];
  const account_id = '0198f1c2-7d1e-7000-8000-0000000000bb';
  const event = {
    account_id,
    request_id: 'req_of_lines',
    lines: reported,
    counted: ['searches', 'pages'] satisfies EventFields['counted'],
    bound: {
      input: 3,
      output: 5,
      text_only: false,
      units: { searches: 2, fetches: 1 },
      service_tiers: ['priority' as const],
      region: 'us',
    },
  };
  await post([event], snapshotOfUnits());
  const { body } = await log({ account_id }, cookies.owner);
  // 303 in the tier "priority" (0.333) and the region "us" (1.1), two searches, a fetch and the request, a third of it.
  const lines = [
    { counts: { input: 3, searches: 2, fetches: 1 }, counted: ['searches'], cost_usd: '0.000001001041' },
    { counts: { output_image: 5 }, counted: [], cost_usd: '0.00000000181' },
  ];
  expect(body.items).toMatchObject([
    {
      units: { searches: 2, fetches: 1 },
      service_tier: 'priority',
      region: 'us',
      lines: [
        { ...line, ...lines[0] },
        { model: 'drawing', service_tier: 'standard', region: null, ...lines[1] },
      ],
      disputed: { status: 'open', lines: reported },
    },
  ]);
  expect((await log({ key_id: KEY })).body.items[0]?.disputed).toBeNull();
});

test('a member sees no other account, an owner sees every one', async () => {
  const query = { account_id: environment.first.accountId };
  expect((await log(query)).status).toBe(403);
  expect(idsOf((await log(query, cookies.owner)).body)).toEqual(['req_of_owner']);
  const { body } = await log(
    { account_id: member.account_id, limit: '1', to: '2026-10-01T00:00:00Z' },
    cookies.owner,
  );
  expect(idsOf(body)).toEqual(['req_before']);
});

test('the log needs a session', async () => {
  expect((await log({}, '')).status).toBe(401);
});

test.each([
  'nonsense',
  ...[['2026', 'x'], [1, {}], null, ['2026-11-20T10:00:00.000Z', '\u0000']].map((value) =>
    Buffer.from(JSON.stringify(value)).toString('base64url'),
  ),
])('the cursor "%s", which is none of ours, begins at the newest entry', async (cursor) => {
  const { status, body } = await log({ cursor, to: '2026-11-01T00:00:00Z' });
  expect([status, idsOf(body)]).toEqual([200, ['req_of_key', 'req_before']]);
});

test.each([
  [{ limit: '0' }, 'limit'],
  [{ limit: '501' }, 'limit'],
  [{ key_id: 'x' }, 'key_id'],
  [{ from: 'yesterday' }, 'from'],
  [{ from: '0000-01-01T00:00:00Z' }, 'from'],
  [{ to: '+010000-01-01T00:00:00Z' }, 'to'],
  [{ model: 'nul\0' }, 'model'],
  [{ request_id: 'nul\0' }, 'request_id'],
])('the query %j is refused, naming %s', async (query, param) => {
  const { status, body } = await log(query);
  expect(status).toBe(400);
  expect(body).toMatchObject({ error: { param } });
});

test('the balance of an account is what its usage cost, below zero', async () => {
  const balance = (cookie: string, query = '') =>
    call({ url: billing.url, cookie }, 'GET', `/api/ledger/balance${query}`);
  const [row]: { cost: string }[] = await environment.database.query(
    'SELECT sum(cost_pico)::text AS cost FROM billing.usage WHERE account_id = $1',
    [member.account_id],
  );
  const { body } = await balance(cookies.member);
  expect(body).toMatchObject({ account_id: member.account_id });
  const digits = String(body['balance_usd']).replace('-0.', '').padEnd(12, '0');
  expect(BigInt(digits)).toBe(BigInt(row?.cost ?? '0'));
  expect((await balance(cookies.member, `?account_id=${environment.first.accountId}`)).status).toBe(403);
  expect((await balance(cookies.owner, `?account_id=${member.account_id}`)).body).toEqual(body);
});
