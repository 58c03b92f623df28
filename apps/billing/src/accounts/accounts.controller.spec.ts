import type { KeyRecord } from '@tollgate/contracts';
import { waitFor } from '@tollgate/harness';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { enter } from '../../testing/bookkeeping.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { addKey } from '../../testing/keys.ts';
import { listenForKeys } from '../../testing/listener.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { lookUpKey } from '../keys/key-lookup.ts';

type Account = Record<string, unknown> & { readonly id: string };
interface Page {
  readonly items: readonly Account[];
  readonly next: string | null;
  readonly totals: { readonly accounts: number; readonly balance_usd: string } | null;
}

let environment: TestEnvironment;
let billing: RunningBilling;
let owner: string;
let finance: string;
let member: string;
let memberAccount: string;
beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment);
  await addPerson(environment, 'finance@billing.example', 'finance');
  memberAccount = (await addPerson(environment, 'member@billing.example', 'member')).account_id;
  owner = await signIn(billing.url, environment.first.email);
  finance = await signIn(billing.url, 'finance@billing.example');
  member = await signIn(billing.url, 'member@billing.example');
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});

const send = <T = Account>(method: string, path: string, body?: object, cookie = owner) =>
  call<T>({ url: billing.url, cookie }, method, `/api/accounts${path}`, body);
const make = async (params: object = {}): Promise<Account> => {
  const { status, body } = await send('POST', '', { name: 'an account', ...params });
  expect(status).toBe(201);
  return body;
};

test('a new account is as it was asked for, and active', async () => {
  const params = { name: 'Acme', mode: 'postpaid', credit_limit_usd: '100', time_zone: 'Asia/Kathmandu' };
  const stated = { requests_per_minute: 600, concurrent_requests: 9, units_per_minute: { images: 5 } };
  const limits = { ...stated, tokens_per_minute: null };
  const made = await make({ ...params, limits: stated });
  expect(made).toEqual({
    ...params,
    limits,
    id: expect.any(String),
    credit_limit_usd: '100.00',
    status: 'active',
    allowed_groups: null,
    max_keys: null,
    closed_until: null,
    created_at: expect.any(String),
  });
  expect(Date.parse(String(made['created_at']))).not.toBeNaN();
  expect((await send('GET', `/${made.id}`)).body).toEqual({
    ...made,
    balance_usd: '0.00',
    usable_groups: ['default'],
  });
});

test('what is not said is postpaid without a limit, in UTC', async () => {
  expect(await make()).toMatchObject({ mode: 'postpaid', credit_limit_usd: null, time_zone: 'UTC' });
});

test('an account is shown with its balance', async () => {
  const { id } = await make({ mode: 'prepaid' });
  const at = { url: billing.url, cookie: owner };
  await enter(at, '/api/ledger/payments', { account_id: id, amount_usd: '5', reason: 'paid' });
  expect((await send('GET', `/${id.toUpperCase()}`)).body).toMatchObject({ id, balance_usd: '5.00' });
});

test('accounts are listed by their ids, however many there are', async () => {
  const [one, , other] = [await make(), await make(), await make()];
  const list = (ids: string) => send<Partial<Page>>('GET', `?limit=1&ids=${ids}`);
  const absent = '0198f1c2-7d1e-7000-8000-000000000001';
  const { body } = await list([one.id, String(other.id).toUpperCase(), absent].join());
  expect(body.items?.map(({ id }) => id).sort()).toEqual([one.id, other.id].sort());
  for (const wrong of ['', 'x', `${one.id},`, Array(101).fill(absent).join()])
    expect(await list(wrong)).toMatchObject({ status: 400, body: { error: { param: 'ids' } } });
});

test('what a change names is changed, the rest stays', async () => {
  const made = await make({ credit_limit_usd: '100' });
  const change = { name: 'Renamed', status: 'disabled', time_zone: 'America/Sao_Paulo' };
  const changed = await send('PATCH', `/${made.id}`, change);
  expect([changed.status, changed.body]).toEqual([200, { ...made, ...change }]);
  const prepaid = await send('PATCH', `/${made.id}`, { mode: 'prepaid' });
  expect(prepaid.body).toEqual({ ...made, ...change, mode: 'prepaid', credit_limit_usd: null });
  const limited = { mode: 'postpaid', credit_limit_usd: '0' };
  expect((await send('PATCH', `/${made.id}`, limited)).body).toMatchObject({
    mode: 'postpaid',
    credit_limit_usd: '0.00',
  });
});

test.each<[object, string]>([
  [{ name: '' }, 'name'],
  [{ name: 'nul \0' }, 'name'],
  [{ mode: 'free' }, 'mode'],
  [{ credit_limit_usd: '-1' }, 'credit_limit_usd'],
  [{ credit_limit_usd: 100 }, 'credit_limit_usd'],
  [{ mode: 'prepaid', credit_limit_usd: '1' }, 'credit_limit_usd'],
  [{ time_zone: 'Europe/Atlantis' }, 'time_zone'],
  [{ time_zone: '+05:45' }, 'time_zone'],
  [{ time_zone: 'europe/berlin' }, 'time_zone'],
  [{ time_zone: '' }, 'time_zone'],
  [{ limits: { requests_per_minute: 0 } }, 'limits.requests_per_minute'],
  [{ limits: { concurrent_requests: 3_000_000_000 } }, 'limits.concurrent_requests'],
])('an account with %j is refused', async (params, param) => {
  const refused = { status: 400, body: { error: { param } } };
  expect(await send('POST', '', { name: 'an account', ...params })).toMatchObject(refused);
  const { id } = await make();
  expect(await send('PATCH', `/${id}`, params)).toMatchObject(refused);
});

test('a prepaid account takes no limit', async () => {
  const { id } = await make({ mode: 'prepaid' });
  expect((await send('PATCH', `/${id}`, { credit_limit_usd: '5' })).status).toBe(400);
  expect((await send('PATCH', `/${id}`, { credit_limit_usd: null })).status).toBe(200);
});

test('the time zone of an account with closed periods stays', async () => {
  const { id } = await make({ time_zone: 'Europe/Berlin' });
  await environment.database.query('UPDATE billing.account SET closed_until = now() WHERE id = $1', [id]);
  const refused = await send('PATCH', `/${id}`, { time_zone: 'UTC' });
  expect(refused).toMatchObject({ status: 409, body: { error: { param: 'time_zone' } } });
  expect((await send('PATCH', `/${id}`, { time_zone: 'Europe/Berlin', name: 'Same' })).status).toBe(200);
});

test('gateways hear of a changed account by the records of its keys', async () => {
  const { id } = await make();
  const keys = [
    await addKey(environment.database, { accountId: id }),
    await addKey(environment.database, { accountId: id }),
  ];
  const gone = await addKey(environment.database, { accountId: id, deletedAt: new Date() });
  const listener = await listenForKeys(environment.redisServer.url);
  await send('PATCH', `/${id}`, {
    status: 'disabled',
    mode: 'prepaid',
    time_zone: 'Pacific/Apia',
    limits: { requests_per_minute: 7 },
  });
  const heard = () => listener.heard.map(({ key_hash }) => key_hash);
  await waitFor(
    () => keys.every(({ keyHash }) => heard().includes(keyHash)),
    'the keys to be announced',
    1_000,
  );
  listener.close();
  expect(heard()).not.toContain(gone.keyHash);
  for (const { keyHash } of keys) {
    const copy = JSON.parse((await environment.redis.get(`tollgate:key:${keyHash}`)) ?? '') as KeyRecord;
    expect(copy).toMatchObject({
      account_status: 'disabled',
      credit_limited: true,
      time_zone: 'Pacific/Apia',
      account_limits: { requests_per_minute: 7, tokens_per_minute: null, concurrent_requests: null },
      revision: 2,
    });
    expect(copy).toEqual(await lookUpKey(environment.database, keyHash));
  }
});

test('the list is paged, the newest first', async () => {
  const made = [await make({ name: 'one' }), await make({ name: 'two' }), await make({ name: 'three' })];
  const first = (await send<Page>('GET', '?limit=2')).body;
  expect(first.items.map(({ name }) => name)).toEqual(['three', 'two']);
  const second = (await send<Page>('GET', `?limit=2&cursor=${first.next}`)).body;
  expect(second.items[0]).toEqual({ ...made[0], balance_usd: '0.00' });
  const all = (await send<Page>('GET', '?limit=200')).body;
  expect(all.next).toBeNull();
  expect(all.items.map(({ id }) => id)).toContain(environment.first.accountId);
});

test('accounts are ordered by name and balance, page by page', async () => {
  const at = { url: billing.url, cookie: owner };
  for (const [name, amount_usd] of [
    ['ordered b', '2'],
    ['Ordered C', '10'],
    ['ordered a', '9'],
  ] as const) {
    const { id } = await make({ name });
    await enter(at, '/api/ledger/payments', { account_id: id, amount_usd, reason: 'paid' });
  }
  const names = async (query: string) => {
    const { items, next } = (await send<Page>('GET', `?find=ordered&limit=2&${query}`)).body;
    return { names: items.map(({ name }) => name), next };
  };
  expect(await names('sort=name')).toEqual({ names: ['ordered a', 'ordered b'], next: '2' });
  expect(await names('sort=name&cursor=2')).toEqual({ names: ['Ordered C'], next: null });
  expect(await names('sort=-balance')).toEqual({ names: ['Ordered C', 'ordered a'], next: '2' });
  // What is filtered is added up, on this page and on others.
  for (const order of ['', '&sort=name']) {
    const { body } = await send<Page>('GET', `?find=ordered&limit=1&sum=true${order}`);
    expect([body.items.length, body.totals]).toEqual([1, { accounts: 3, balance_usd: '21.00' }]);
  }
  expect((await send<Page>('GET', '?find=nobody+of+that+name&sum=true')).body.totals).toEqual({
    accounts: 0,
    balance_usd: '0.00',
  });
  expect((await send<Page>('GET', '?find=ordered')).body.totals).toBeNull();
  const { status } = await send('GET', `?sort=name&cursor=${environment.first.accountId}`);
  expect(status).toBe(400);
});

test('an account is found by a part of its name, by its id and by who is in it', async () => {
  const { id } = await make({ name: '100% Percent & Söhne' });
  const at = { url: billing.url, cookie: owner };
  await enter(at, '/api/ledger/payments', { account_id: id, amount_usd: '7.5', reason: 'paid' });
  const found = async (find: string) =>
    (await send<Page>('GET', `?find=${encodeURIComponent(find)}`)).body.items.map((each) => each.id);
  expect(await found('percent & sö')).toEqual([id]);
  expect(await found('0%')).toEqual([id]);
  expect(await found(id.toUpperCase())).toEqual([id]);
  expect(await found('MEMBER@billing')).toEqual([memberAccount]);
  expect(await found('nobody of that name')).toEqual([]);
  const { items } = (await send<Page>('GET', `?find=${id}`)).body;
  expect(items).toMatchObject([{ id, balance_usd: '7.50' }]);
});

test('finance reads accounts and changes none; a member reads their own', async () => {
  const { id } = await make();
  expect((await send('GET', '', undefined, finance)).status).toBe(200);
  expect((await send('GET', `/${id}`, undefined, finance)).status).toBe(200);
  expect((await send('POST', '', { name: 'mine' }, finance)).status).toBe(403);
  expect((await send('PATCH', `/${id}`, { name: 'mine' }, finance)).status).toBe(403);
  expect((await send('GET', '', undefined, member)).status).toBe(403);
  expect((await send('GET', `/${id}`, undefined, member)).status).toBe(403);
  expect((await send('PATCH', `/${memberAccount}`, { mode: 'postpaid' }, member)).status).toBe(403);
  expect((await send('GET', `/${memberAccount}`, undefined, member)).body).toMatchObject({
    id: memberAccount,
  });
});

test.each(['x', '0198f1c2-7d1e-7000-8000-00000000dead'])('there is no account %s', async (id) => {
  expect((await send('GET', `/${id}`)).status).toBe(404);
  expect((await send('PATCH', `/${id}`, { name: 'x' })).status).toBe(404);
  expect((await send('GET', `/${id}/users`)).status).toBe(404);
});
