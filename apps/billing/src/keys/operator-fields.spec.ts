import type { Session } from '@tollgate/contracts';
import { type Pair, startPair } from '../../testing/billing-service.ts';
import { addPerson, type Answer, call, signIn } from '../../testing/people.ts';

// What an operator set on a customer's key, and what the account may have at all: asked over HTTP, as the customer.

type Key = Record<string, unknown> & { readonly id: string; readonly key: string };
type Refusal = { readonly error: { readonly param: string | null; readonly message: string } };

let pair: Pair;
let member: Session;
let cookie: string;
let owner: string;
beforeAll(async () => {
  pair = await startPair();
  member = await addPerson(pair.environment, 'customer@billing.example', 'member');
  cookie = await signIn(pair.billing.url, member.email);
  owner = await signIn(pair.billing.url, pair.environment.first.email);
});
afterAll(() => pair.stop());

const send = <T>(method: string, path: string, body?: object, as = cookie): Promise<Answer<T>> =>
  call<T>({ url: pair.billing.url, cookie: as }, method, path, body);
const give = async (params: object): Promise<Key> => {
  const body = { name: 'given', account_id: member.account_id, ...params };
  const answer = await send<Key>('POST', '/api/keys', body, owner);
  expect(answer.status).toBe(201);
  return answer.body;
};
const change = (id: string, body: object, as = cookie) =>
  send<Key & Refusal>('PATCH', `/api/keys/${id}`, body, as);
const allow = (groups: readonly string[] | null, more: object = {}) =>
  send('PATCH', `/api/accounts/${member.account_id}`, { allowed_groups: groups, ...more }, owner);

const SET = {
  group: 'restricted',
  models: ['sim-chat'],
  budgets: { total_usd: '5', daily_usd: '1', monthly_usd: '2' },
  limits: {
    requests_per_minute: 60,
    tokens_per_minute: 1_000,
    concurrent_requests: 4,
    units_per_minute: { images: 5 },
  },
  allowed_addresses: ['203.0.113.0/24', '2001:db8::/48'],
  expires_at: '2099-01-01T00:00:00.000Z',
};
const LIMITS = SET.limits;

test('a key of who names their own account in capitals is theirs', async () => {
  const body = { name: 'own', account_id: member.account_id.toUpperCase() };
  const made = await send<Key>('POST', '/api/keys', body);
  expect(made).toMatchObject({
    status: 201,
    body: { account_id: member.account_id, owner_id: member.user_id },
  });
});

test.each<[string, object]>([
  ['group', { group: 'default' }],
  ['models', { models: null }],
  ['models', { models: ['sim-chat', 'sim-claude'] }],
  ['budgets.total_usd', { budgets: { total_usd: null } }],
  ['budgets.total_usd', { budgets: { total_usd: '5.000000000001' } }],
  ['budgets.daily_usd', { budgets: { daily_usd: '1.01' } }],
  ['budgets.monthly_usd', { budgets: { monthly_usd: null } }],
  ['limits.requests_per_minute', { limits: {} }],
  ['limits.requests_per_minute', { limits: { ...LIMITS, requests_per_minute: 61 } }],
  ['limits.tokens_per_minute', { limits: { ...LIMITS, tokens_per_minute: null } }],
  ['limits.concurrent_requests', { limits: { ...LIMITS, concurrent_requests: 5 } }],
  ['limits.units_per_minute', { limits: { ...LIMITS, units_per_minute: { images: 6 } } }],
  ['limits.units_per_minute', { limits: { ...LIMITS, units_per_minute: { characters: 1 } } }],
  ['allowed_addresses', { allowed_addresses: null }],
  ['allowed_addresses', { allowed_addresses: ['203.0.112.0/23'] }],
  ['allowed_addresses', { allowed_addresses: ['203.0.113.7', '198.51.100.1'] }],
  ['expires_at', { expires_at: null }],
  ['expires_at', { expires_at: '2099-01-01T00:00:00.001Z' }],
])('a member does not lift %s that an operator set, by %j', async (field, params) => {
  const { key, ...given } = await give(SET);
  await allow(['default', 'vip']);
  const answer = await change(given.id, params);
  expect([answer.status, answer.body.error.param]).toEqual([403, field]);
  const { body } = await send<{ items: Key[] }>('GET', '/api/keys');
  expect(body.items.find(({ id }) => id === given.id)).toEqual(given);
  expect(key).toMatch(/^sk-/);
});

test('a member restricts what an operator set further, and back to it but no more', async () => {
  const { id } = await give(SET);
  const tighter = {
    models: ['sim-chat'],
    budgets: { total_usd: '4', daily_usd: '0.5' },
    limits: {
      requests_per_minute: 10,
      tokens_per_minute: 10,
      concurrent_requests: 1,
      units_per_minute: { images: 1, characters: 9 },
    },
    allowed_addresses: ['203.0.113.128/25', '2001:db8::7'],
    expires_at: '2098-01-01T00:00:00Z',
    status: 'disabled',
  };
  expect((await change(id, tighter)).status).toBe(200);
  expect((await change(id, { ...SET, group: undefined, status: 'active' })).status).toBe(200);
  expect((await change(id, { budgets: { total_usd: '6' } })).status).toBe(403);
});

test('a key says which of its fields are held, by whom and since when', async () => {
  const { id } = await give({ budgets: { total_usd: '5' } });
  await change(id, { limits: { requests_per_minute: 6 } }, owner);
  const { body } = await send<{ items: Key[] }>('GET', '/api/keys');
  const by = { by: pair.environment.first.email, at: expect.any(String) };
  expect(body.items.find((key) => key.id === id)?.['operator_fields']).toEqual({
    'budgets.total_usd': by,
    'limits.requests_per_minute': by,
  });
  // What nobody held is the member's own.
  expect((await change(id, { models: ['sim-chat'], budgets: { daily_usd: '1' } })).status).toBe(200);
  expect((await change(id, { models: null, budgets: { daily_usd: null } })).status).toBe(200);
});

test('a key that an operator disabled is not enabled again, by rotation neither', async () => {
  const { body } = await send<Key>('POST', '/api/keys', { name: 'mine' });
  expect((await change(body.id, { status: 'disabled' }, owner)).status).toBe(200);
  expect((await change(body.id, { status: 'active' })).status).toBe(403);
  const rotated = await send<Key>('POST', `/api/keys/${body.id}/rotate`, { overlap_s: 60 });
  expect([rotated.status, rotated.body['status']]).toEqual([200, 'disabled']);
  expect((await change(body.id, { status: 'active' }, owner)).status).toBe(200);
  expect((await change(body.id, { status: 'disabled' })).status).toBe(200);
  expect((await change(body.id, { status: 'active' })).status).toBe(200);
});

test('operators give a field back, and a member does not take one', async () => {
  const { id } = await give({ budgets: { total_usd: '5' }, models: ['sim-chat'] });
  expect((await change(id, { operator_fields: [] })).status).toBe(403);
  const kept = await change(id, { operator_fields: ['models'] }, owner);
  expect(Object.keys(kept.body['operator_fields'] as object)).toEqual(['models']);
  expect((await change(id, { budgets: { total_usd: null } })).status).toBe(200);
  expect((await change(id, { models: null })).status).toBe(403);
});

test('a member makes and moves keys within the groups of the account, and hears of no others', async () => {
  await allow(null);
  const refused = await send<Refusal>('POST', '/api/keys', { name: 'dear', group: 'vip' });
  expect(refused.status).toBe(400);
  expect(refused.body.error.message).toBe('group: there is no group "vip". There are: default.');
  for (const group of ['auto', 'restricted', 'gone'])
    expect((await send('POST', '/api/keys', { name: 'x', group })).status).toBe(400);
  const { body } = await send<Key>('POST', '/api/keys', {
    name: 'x',
    temporary: true,
    expires_at: SET.expires_at,
  });
  expect(body['group']).toBe('default');
  expect((await change(body.id, { group: 'vip' })).status).toBe(400);

  await allow(['vip', 'auto']);
  expect((await change(body.id, { group: 'vip' })).status).toBe(200);
  expect((await change(body.id, { group: 'auto' })).status).toBe(200);
  expect((await change(body.id, { group: 'default' })).status).toBe(400);
  const next = await send<Key>('POST', '/api/keys', { name: 'next' });
  expect(next.body['group']).toBe('vip');
  const account = await send<{ usable_groups: string[] }>('GET', `/api/accounts/${member.account_id}`);
  expect(account.body.usable_groups).toEqual(['vip', 'auto']);
});

test('a member does not learn which models other groups have', async () => {
  await allow(['restricted']);
  const params = { name: 'x', models: ['sim-claude'] };
  const refused = await send<Refusal>('POST', '/api/keys', params);
  expect(refused.body.error.message).toBe('models: there is no model "sim-claude".');
  expect((await send('POST', '/api/keys', { name: 'x', models: ['sim-chat'] })).status).toBe(201);
});

test('an account has no more keys than it may, however many are made at once', async () => {
  const { body } = await send<{ total: number }>('GET', '/api/keys');
  await allow(['default'], { max_keys: body.total + 2 });
  const answers = await Promise.all(
    [1, 2, 3, 4, 5].map(() => send('POST', '/api/keys', { name: 'one of many' })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
  await allow(['default'], { max_keys: null });
  expect((await send('POST', '/api/keys', { name: 'one more' })).status).toBe(201);
});

describe('whose a key is', () => {
  const list = async (query: string, as = cookie) =>
    (await send<{ items: readonly Key[] }>('GET', `/api/keys${query}`, undefined, as)).body.items.map(
      ({ name }) => name,
    );

  test('is said by operators, of a person of its account, and by nobody else', async () => {
    const given = await give({});
    expect(given).toMatchObject({ owner_id: null, owner: null });
    const theirs = await change(given.id, { owner_id: member.user_id }, owner);
    expect(theirs.body).toMatchObject({ owner_id: member.user_id, owner: { email: member.email } });
    const stranger = await addPerson(pair.environment, 'elsewhere@billing.example', 'member');
    const wrong = { owner_id: stranger.user_id };
    expect(await change(given.id, wrong, owner)).toMatchObject({
      status: 400,
      body: { error: { param: 'owner_id' } },
    });
    expect((await change(given.id, { owner_id: null })).status).toBe(403);
    expect((await send('POST', '/api/keys', { name: 'x', owner_id: member.user_id })).status).toBe(403);
  });

  test('hides it from other members, and not from who sees all keys of the account', async () => {
    const { account_id } = member;
    await give({ name: 'private', owner_id: member.user_id });
    await give({ name: 'shared' });
    const as = async (role: Session['role']) => {
      const { email } = await addPerson(pair.environment, `${role}-beside@billing.example`, role, account_id);
      return list('', await signIn(pair.billing.url, email));
    };
    const seen = await as('member');
    expect(seen).toContain('shared');
    expect(seen).not.toContain('private');
    expect(await as('finance')).toEqual(expect.arrayContaining(['shared', 'private']));
    expect(await as('admin')).toEqual(expect.arrayContaining(['shared', 'private']));
  });
});
