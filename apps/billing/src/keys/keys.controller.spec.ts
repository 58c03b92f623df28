import type { Session } from '@tollgate/contracts';
import { freePort } from '@tollgate/harness';
import { type Pair, startBillingOn, startPair } from '../../testing/billing-service.ts';
import { addPerson, type Answer, call, signIn } from '../../testing/people.ts';
import { hashKey } from './key-secret.ts';

type Key = Record<string, unknown> & { readonly id: string; readonly key: string };
type Refusal = { readonly error: { readonly param: string | null; readonly message: string } };
interface List {
  readonly items: readonly Key[];
  readonly total: number | null;
}

let pair: Pair;
let member: Session;
let owner: string;
let cookie: string;
beforeAll(async () => {
  pair = await startPair();
  member = await addPerson(pair.environment, 'member@billing.example', 'member');
  await pair.environment.database.query(
    `UPDATE billing.account SET allowed_groups = '{default,vip,restricted,auto}' WHERE id = $1`,
    [member.account_id],
  );
  cookie = await signIn(pair.billing.url, member.email);
  owner = await signIn(pair.billing.url, pair.environment.first.email);
});
afterAll(() => pair.stop());

const send = <T>(method: string, path: string, body?: object, as = cookie): Promise<Answer<T>> =>
  call<T>({ url: pair.billing.url, cookie: as }, method, `/api/keys${path}`, body);
const make = async (params: object = {}, as = cookie): Promise<Key> => {
  const { status, body } = await send<Key>('POST', '', { name: 'a key', ...params }, as);
  expect(status).toBe(201);
  return body;
};

test('a new key is shown once, with what it may do', async () => {
  const params = {
    name: 'Reports',
    group: 'vip',
    expires_at: '2027-01-01T00:00:00.000Z',
    budgets: { total_usd: '12.5', daily_usd: '3' },
    limits: {
      requests_per_minute: 60,
      tokens_per_minute: 1_000,
      concurrent_requests: 4,
      units_per_minute: { images: 5 },
    },
    models: ['sim-chat', 'sim-claude'],
    allowed_addresses: ['192.0.2.0/24', '2001:db8::1'],
  };
  const { key, id, created_at, ...shown } = await make({
    ...params,
    allowed_addresses: ['192.0.2.77/24', '2001:DB8:0::1'],
  });
  expect(key).toMatch(/^sk-[A-Za-z0-9]{48}$/);
  expect(Date.parse(String(created_at))).not.toBeNaN();
  expect(shown).toEqual({
    ...params,
    account_id: member.account_id,
    owner_id: member.user_id,
    owner: { email: member.email, name: null },
    masked: `${key.slice(0, 7)}…${key.slice(-4)}`,
    status: 'active',
    strict: false,
    temporary: false,
    operator_fields: {},
    budgets: { total_usd: '12.50', daily_usd: '3.00', monthly_usd: null },
    spent: { total_usd: '0.00', today_usd: '0.00', this_month_usd: '0.00' },
    rotated_from: null,
    last_used_at: null,
  });
  const { body } = await send<List>('GET', '');
  const listed = body.items.find((item) => item.id === id);
  expect(listed).toEqual({ id, created_at, ...shown });
  expect(JSON.stringify(body)).not.toContain(key);
});

test('a temporary key needs an end, and is told as one', async () => {
  const refused = await send<Refusal>('POST', '', { name: 'endless', temporary: true });
  expect(refused).toMatchObject({ status: 400, body: { error: { param: 'temporary' } } });
  const { id } = await make({ temporary: true, expires_at: '2099-01-01T00:00:00Z' });
  const { body } = await send<List>('GET', '');
  expect(body.items.find((item) => item.id === id)).toMatchObject({ temporary: true });
});

test('nothing that is stored holds the key, only its hash', async () => {
  const { key } = await make();
  const tables: { name: string }[] = await pair.environment.database.query(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema IN ('billing', 'pricing')`,
  );
  expect(tables.length).toBeGreaterThan(9);
  let hashes = 0;
  for (const { name } of tables) {
    const rows: { text: string }[] = await pair.environment.database.query(
      `SELECT to_jsonb(row)::text AS text FROM ${name} AS row`,
    );
    for (const { text } of rows) {
      expect(text).not.toContain(key);
      expect(text).not.toContain(key.slice(3, 30));
      if (text.includes(hashKey(key))) hashes += 1;
    }
  }
  expect(hashes).toBe(1);
  for (const name of await pair.environment.redis.keys('tollgate:key:*')) {
    expect(await pair.environment.redis.get(name)).not.toContain(key);
  }
});

test('what a change names is changed, the rest stays', async () => {
  const made = await make({
    budgets: { total_usd: '1', daily_usd: '0.5', monthly_usd: '0.75' },
    limits: { requests_per_minute: 5 },
  });
  const change = { name: 'Renamed', budgets: { total_usd: null, monthly_usd: '0.8' } };
  const { status, body } = await send<Key>('PATCH', `/${made.id}`, change);
  expect(status).toBe(200);
  const budgets = { total_usd: null, daily_usd: '0.50', monthly_usd: '0.80' };
  expect({ ...body, key: made.key }).toEqual({ ...made, name: 'Renamed', budgets });
  const changed = await send<Key>('PATCH', `/${made.id}`, {
    group: 'restricted',
    status: 'disabled',
    expires_at: '2026-12-31T23:00:00+01:00',
    limits: {},
  });
  expect(changed.body).toMatchObject({
    name: 'Renamed',
    group: 'restricted',
    status: 'disabled',
    expires_at: '2026-12-31T22:00:00.000Z',
    limits: { requests_per_minute: null, tokens_per_minute: null, concurrent_requests: null },
  });
});

test('a key shows what it spent in all, today and this month of its account', async () => {
  const { database } = pair.environment;
  await database.query(`UPDATE billing.account SET time_zone = 'Pacific/Auckland' WHERE id = $1`, [
    member.account_id,
  ]);
  const { id } = await make();
  const spent = async (days: number, span: string, usd: number) =>
    database.query(
      `INSERT INTO billing.key_spend (key_id, span, starts_on, spent_pico)
       VALUES ($1, $2, date_trunc($2, (now() AT TIME ZONE 'Pacific/Auckland') + make_interval(days => $3)), $4)`,
      [id, span, days, usd * 1e12],
    );
  await spent(0, 'day', 1);
  await spent(-1, 'day', 10);
  await spent(0, 'month', 2);
  await spent(-32, 'month', 20);
  await database.query('UPDATE billing.api_key SET spent_pico = 33e12 WHERE id = $1', [id]);
  const { body } = await send<List>('GET', '');
  expect(body.items.find((item) => item.id === id)).toMatchObject({
    spent: { total_usd: '33.00', today_usd: '1.00', this_month_usd: '2.00' },
  });
});

test('a deleted key is gone', async () => {
  const { id } = await make();
  expect((await send('DELETE', `/${id}`)).status).toBe(204);
  expect((await send<List>('GET', '')).body.items.map((item) => item.id)).not.toContain(id);
  expect((await send('PATCH', `/${id}`, { status: 'active' })).status).toBe(404);
  expect((await send('DELETE', `/${id}`)).status).toBe(404);
});

test('the list is paged, newest first, and counts all', async () => {
  const person = await addPerson(pair.environment, 'lister@billing.example', 'member');
  const as = await signIn(pair.billing.url, person.email);
  for (const name of ['one', 'two', 'three']) await make({ name }, as);
  const page = async (query: string) => (await send<List>('GET', query, undefined, as)).body;
  const first = await page('?limit=2');
  expect([first.total, first.items.map(({ name }) => name)]).toEqual([3, ['three', 'two']]);
  const second = await page('?limit=2&offset=2');
  expect([second.total, second.items.map(({ name }) => name)]).toEqual([3, ['one']]);
  const uncounted = [await page('?limit=2&count=false'), await page('?limit=2&count=false&find=t')];
  expect(uncounted.map(({ total }) => total)).toEqual([null, null]);
  expect(uncounted.map(({ items }) => items)).toEqual([first.items, first.items]);
});

test.each<[object, string]>([
  [{ group: 'no-such-group' }, 'group'],
  [{ name: '' }, 'name'],
  [{ name: '   ' }, 'name'],
  [{ name: 'x'.repeat(101) }, 'name'],
  [{ name: 'nul \0' }, 'name'],
  [{ expires_at: 'tomorrow' }, 'expires_at'],
  [{ budgets: { total_usd: 5 } }, 'budgets.total_usd'],
  [{ budgets: { daily_usd: 'much' } }, 'budgets.daily_usd'],
  [{ budgets: { monthly_usd: '-1' } }, 'budgets.monthly_usd'],
  [{ budgets: { total_usd: '0.0000000000001' } }, 'budgets.total_usd'],
  [{ budgets: null }, 'budgets'],
  [{ limits: { requests_per_minute: 0 } }, 'limits.requests_per_minute'],
  [{ limits: { requests_per_minute: 3_000_000_000 } }, 'limits.requests_per_minute'],
  [{ limits: { tokens_per_minute: 1.5 } }, 'limits.tokens_per_minute'],
  [{ limits: { concurrent_requests: 0 } }, 'limits.concurrent_requests'],
  [{ limits: { units_per_minute: { images: 0 } } }, 'limits.units_per_minute.images'],
  [{ models: [] }, 'models'],
  [{ models: ['no-such-model'] }, 'models'],
  [{ models: 'sim-chat' }, 'models'],
  [{ allowed_addresses: [] }, 'allowed_addresses'],
  [{ allowed_addresses: ['192.0.2.1', 'localhost'] }, 'allowed_addresses.1'],
  [{ allowed_addresses: ['192.0.2.0/33'] }, 'allowed_addresses.0'],
  [{ allowed_addresses: ['fe80::1%eth0'] }, 'allowed_addresses.0'],
])('a key with %j is refused, naming %s', async (params, param) => {
  const answer = await send<Refusal>('POST', '', { name: 'a key', ...params });
  expect([answer.status, answer.body.error.param]).toEqual([400, param]);
  const { id } = await make();
  const change = await send<Refusal>('PATCH', `/${id}`, params);
  expect([change.status, change.body.error.param]).toEqual([400, param]);
});

test('the group auto is one that a key may have', async () => {
  expect(await make({ group: 'auto' })).toMatchObject({ group: 'auto' });
});

test('the refusal of an unknown group names those that there are', async () => {
  const { body } = await send<Refusal>('POST', '', { name: 'a key', group: 'gone' });
  expect(body.error.message).toBe(
    'group: there is no group "gone". There are: default, vip, restricted, auto.',
  );
});

test('a member can neither make, see, change nor delete keys of another account', async () => {
  const { accountId } = pair.environment.first;
  expect((await send('POST', '', { name: 'a key', account_id: accountId })).status).toBe(403);
  expect((await send('GET', `?account_id=${accountId}`)).status).toBe(403);
  const theirs = await make({}, owner);
  expect((await send('PATCH', `/${theirs.id}`, { status: 'disabled' })).status).toBe(404);
  expect((await send('DELETE', `/${theirs.id}`)).status).toBe(404);
  const { body } = await send<List>('GET', '', undefined, owner);
  expect(body.items.find(({ id }) => id === theirs.id)).toMatchObject({ status: 'active' });
});

test('an owner acts for every account that exists', async () => {
  const made = await make({ account_id: member.account_id }, owner);
  expect(made['account_id']).toBe(member.account_id);
  expect((await send('PATCH', `/${made.id}`, { name: 'By the owner' }, owner)).status).toBe(200);
  const { body } = await send<List>('GET', `?account_id=${member.account_id}`, undefined, owner);
  expect(body.items[0]).toMatchObject({ id: made.id, name: 'By the owner' });
  const nobody = '0198f1c2-7d1e-7000-8000-000000000001';
  const refused = await send<Refusal>('POST', '', { name: 'a key', account_id: nobody }, owner);
  expect([refused.status, refused.body.error.param]).toEqual([400, 'account_id']);
});

test.each(['not-a-uuid', '0198f1c2-7d1e-7000-8000-000000000001'])('there is no key %s', async (id) => {
  expect((await send('PATCH', `/${id}`, { status: 'disabled' })).status).toBe(404);
  expect((await send('DELETE', `/${id}`)).status).toBe(404);
});

test('without a session nothing is done', async () => {
  expect((await send('GET', '', undefined, '')).status).toBe(401);
  expect((await send('POST', '', { name: 'a key' }, '')).status).toBe(401);
});

test('a change from another site is refused', async () => {
  const before = (await send<List>('GET', '')).body.total;
  const answer = await fetch(`${pair.billing.url}/api/keys`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json', origin: 'https://evil.example' },
    body: JSON.stringify({ name: 'a key' }),
  });
  expect(answer.status).toBe(403);
  expect((await send<List>('GET', '')).body.total).toBe(before);
});

test('while pricing does not answer a key cannot be made, for its group is not known', async () => {
  const alone = await startBillingOn(pair.environment, {
    SESSION_SECRET: pair.billing.config.SESSION_SECRET,
    PRICING_TCP_URL: `tcp://127.0.0.1:${await freePort()}`,
  });
  const answer = await call({ url: alone.url, cookie }, 'POST', '/api/keys', { name: 'a key' });
  expect(answer.status).toBe(503);
  await alone.stop();
});

test.each([
  ['name', ['alpha', 'Beta', 'gamma']],
  ['-name', ['gamma', 'Beta', 'alpha']],
  ['-created', ['alpha', 'gamma', 'Beta']],
  // What has no end comes last either way.
  ['expires', ['Beta', 'alpha', 'gamma']],
  ['-expires', ['alpha', 'Beta', 'gamma']],
])('keys are found by a part of their name, and ordered by %s', async (sort, names) => {
  const { account_id, email } = await addPerson(pair.environment, `${sort}@sorted.example`, 'member');
  const as = await signIn(pair.billing.url, email);
  await make({ name: `Beta ${email}`, expires_at: '2098-01-01T00:00:00Z' }, as);
  await make({ name: `gamma ${email}` }, as);
  await make({ name: `alpha ${email}`, expires_at: '2099-01-01T00:00:00Z' }, as);
  const query = `?find=${encodeURIComponent('@SORTED')}&sort=${sort}&account_id=${account_id}`;
  const { body } = await send<List>('GET', query, undefined, owner);
  expect(body.items.map(({ name }) => String(name).split(' ')[0])).toEqual(names);
  expect(body.total).toBe(3);
  const page = await send<List>('GET', `${query}&limit=1&offset=2`, undefined, owner);
  expect(page.body.items.map(({ name }) => String(name).split(' ')[0])).toEqual(names.slice(2));
});
