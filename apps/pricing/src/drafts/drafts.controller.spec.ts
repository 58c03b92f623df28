import { randomBytes } from 'node:crypto';
import { completePrices } from '@tollgate/catalogue';
import { waitFor } from '@tollgate/harness';
import { unseal } from '@tollgate/platform';
import { type AdminApi, startAdminApi } from '../../testing/admin-api.ts';

const SEAL_KEY = randomBytes(32).toString('base64');
const upstream = { name: 'east', base_url: 'https://east.example', protocols: ['openai-chat'] };

let api: AdminApi;
beforeAll(async () => {
  api = await startAdminApi(SEAL_KEY);
  await api.call('PUT', '/vendors/acme', {});
  await api.call('PUT', '/models/large', { vendor: 'acme', prices: { input: 10, output: 20 } });
  await api.call('PUT', '/groups/default', { ratio: '1', models: ['*'] });
}, 60_000);
afterAll(() => api.stop(), 60_000);

const put = (name: string, changes: object[], headers: Record<string, string> = {}) =>
  api.call('PUT', `/drafts/${name}`, { reason: 'because', changes }, { cookie: api.owner, ...headers });
const ratio = (value: string, name = 'default') => ({
  op: 'put',
  section: 'groups',
  entry: { name, ratio: value, models: ['*'] },
});
const secret = (text: string) => ({ name: 'first', secret: text });
const get = (name: string) => api.call('GET', `/drafts/${name}`);
const day = '2999-01-01T00:00:00Z';
const current = async () => (await api.environment.store.current())?.catalogue;

test.each([
  ['GET', '/drafts', undefined],
  ['PUT', '/drafts/x', { reason: 'r', changes: [] }],
  ['POST', '/drafts/x/publish', {}],
  ['POST', '/drafts/x/restore', { version: 1 }],
  ['PUT', '/drafts/x/schedule', { effective_at: day }],
  ['DELETE', '/drafts/x', undefined],
])('%s %s is for owners and admins', async (method, path, body) => {
  expect((await api.call(method, path, body, {})).status).toBe(401);
  const cookie = await api.billing.signIn('member');
  expect((await api.call(method, path, body, { cookie })).status).toBe(403);
});

test('a draft is shown with what it would change, and changes nothing until it is published', async () => {
  const before = await api.currentVersion();
  const entry = { name: 'large', vendor: 'acme', prices: { input: 11, output: 20 } };
  const answer = await put('prices', [{ op: 'put', section: 'models', entry }, ratio('0.9')]);
  expect(answer).toMatchObject({
    status: 200,
    body: {
      name: 'prices',
      status: 'open',
      revision: 1,
      actor: 'owner@pricing.example',
      base_version: before,
      faults: [],
      differences: [
        { section: 'models', name: 'large', change: 'changed' },
        { section: 'groups', name: 'default', fields: [{ path: '/ratio', from: '1', to: '0.9' }] },
      ],
    },
  });
  expect(answer.body['changes']).toMatchObject([
    { op: 'put', entry: { prices: completePrices(entry.prices) } },
    ratio('0.9'),
  ]);
  expect(await get('prices')).toEqual(answer);
  expect(await api.currentVersion()).toBe(before);
  expect((await put('prices', answer.body['changes'] as object[])).body).toEqual(answer.body);

  const stale = await api.call('POST', '/drafts/prices/publish', { revision: 2 });
  expect(stale.status).toBe(409);
  expect(await api.currentVersion()).toBe(before);
  const published = await api.call('POST', '/drafts/prices/publish', { revision: 1 });
  expect(published).toMatchObject({ status: 200, body: { version: before + 1, status: 'published' } });
  expect(await api.call('POST', '/drafts/prices/publish', {})).toEqual(published);
  expect(await api.currentVersion()).toBe(before + 1);
  expect((await current())?.groups[0]?.ratio).toBe('0.9');
  const [version] = await api.environment.store.list(undefined, 1);
  expect(version).toMatchObject({ actor: 'owner@pricing.example', reason: 'draft prices: because' });
  expect((await put('prices', [])).status).toBe(409);
  expect((await api.call('DELETE', '/drafts/prices')).status).toBe(409);
});

test('a draft warns of what nobody could call and what would get no requests, of nothing that is so already', async () => {
  const pool = (name: string, models: string[]) => ({
    op: 'put',
    section: 'pools',
    entry: { name, groups: ['*'], models, members: [{ upstream: 'east' }] },
  });
  const model = (name: string) => ({
    op: 'put',
    section: 'models',
    entry: { name, vendor: 'acme', prices: { input: 1, output: 2 } },
  });
  const narrow = {
    op: 'put',
    section: 'groups',
    entry: { name: 'default', ratio: '1', models: ['large', 'lost'] },
  };
  const changes = [
    { op: 'put', section: 'upstreams', entry: upstream },
    ...['new', 'lost'].map(model),
    narrow,
    ...[pool('first', ['large', 'new']), pool('second', ['large'])],
  ];
  const { body } = await put('warned', changes);
  expect(body).toMatchObject({
    faults: [],
    warnings: [
      { code: 'model_in_no_group', name: 'new' },
      { code: 'model_in_no_pool', name: 'lost' },
      { code: 'pool_never_reached', name: 'second' },
    ],
  });
  await put('warned', changes.slice(0, 1));
  expect((await get('warned')).body['warnings']).toEqual([]);
  await api.call('DELETE', '/drafts/warned');
});

test('a draft may hold every kind of change', async () => {
  const account_id = '0198f1c2-7d1e-7000-8000-000000000001';
  const pool = { groups: ['*'], models: ['*'], members: [{ upstream: 'east' }] };
  const changes = [
    { op: 'put', section: 'vendors', entry: { name: 'umbra' } },
    { op: 'put', section: 'upstreams', entry: upstream },
    { op: 'put', section: 'pools', entry: { name: 'second', ...pool } },
    { op: 'put', section: 'pools', entry: { name: 'first', ...pool }, before: 'second' },
    { op: 'limits', limits: { client: { requests_per_minute: 7 }, key: {}, route: {} } },
    { op: 'discounts', account_id: account_id.toUpperCase(), discounts: [{ models: ['*'], ratio: '0.9' }] },
    ratio('2', 'passing'),
    { op: 'delete', section: 'groups', name: 'passing' },
  ];
  const written = await put('everything', changes);
  expect(written).toMatchObject({ status: 200, body: { faults: [] } });
  expect((await put('everything', written.body['changes'] as object[])).body).toEqual(written.body);
  await api.call('POST', '/drafts/everything/publish', {});
  const catalogue = await current();
  expect(catalogue).toMatchObject({
    vendors: [{ name: 'acme' }, { name: 'umbra' }],
    pools: [{ name: 'first' }, { name: 'second' }],
    discounts: [{ account_id, models: ['*'], ratio: '0.9' }],
    limits: { client: { requests_per_minute: 7 } },
  });
  expect(catalogue?.groups.map(({ name }) => name)).not.toContain('passing');
});

test('a draft with faults is kept and shows them, but is neither published nor scheduled', async () => {
  const before = await api.currentVersion();
  const fault = 'groups.g.models: there is no model "later"';
  const entry = { name: 'g', ratio: '1', models: ['later'] };
  expect(await put('faulty', [{ op: 'put', section: 'groups', entry }])).toMatchObject({
    status: 200,
    body: { faults: [fault] },
  });
  const refused = { status: 400, body: { error: { message: fault } } };
  expect(await api.call('POST', '/drafts/faulty/publish', {})).toMatchObject(refused);
  expect(await api.call('PUT', '/drafts/faulty/schedule', { effective_at: day })).toMatchObject(refused);
  expect(await get('faulty')).toMatchObject({ body: { status: 'open' } });
  expect(await api.currentVersion()).toBe(before);

  const model = { name: 'later', vendor: 'acme', prices: { input: 1, output: 1 } };
  await put('model-first', [{ op: 'put', section: 'models', entry: model }]);
  await api.call('PUT', '/drafts/model-first/schedule', { effective_at: '2998-12-31T00:00:00Z' });
  expect(await api.call('PUT', '/drafts/faulty/schedule', { effective_at: day })).toMatchObject({
    status: 200,
    body: { status: 'scheduled', effective_at: '2999-01-01T00:00:00.000Z' },
  });
});

test('a scheduled draft is published by itself', async () => {
  const before = await api.currentVersion();
  await put('soon', [ratio('0.77', 'soon')]);
  const effective_at = new Date(Date.now() + 10_000).toISOString();
  expect((await api.call('PUT', '/drafts/soon/schedule', { effective_at })).status).toBe(200);
  expect(await api.currentVersion()).toBe(before);
  await waitFor(async () => (await get('soon')).body['status'] === 'published', 'the draft');
  expect(await get('soon')).toMatchObject({ body: { version: before + 1, effective_at } });
  expect((await current())?.groups.find(({ name }) => name === 'soon')?.ratio).toBe('0.77');
});

test('a draft that somebody else changed is not scheduled by who looked at it before', async () => {
  await put('looked-at', [ratio('2')]);
  await put('looked-at', [ratio('9')]);
  const schedule = (revision: number) =>
    api.call('PUT', '/drafts/looked-at/schedule', { effective_at: day, revision });
  expect(await schedule(1)).toMatchObject({ status: 409, body: { error: { code: 'draft_changed' } } });
  expect(await schedule(2)).toMatchObject({ status: 200, body: { status: 'scheduled' } });
  await api.call('DELETE', '/drafts/looked-at/schedule');
});

test('a draft that is taken off the schedule can be changed and removed', async () => {
  await put('waiting', []);
  await api.call('PUT', '/drafts/waiting/schedule', { effective_at: day });
  expect(await put('waiting', [ratio('3')])).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringContaining('DELETE /api/catalogue/drafts/waiting/schedule') } },
  });
  expect(await api.call('DELETE', '/drafts/waiting/schedule')).toMatchObject({ body: { status: 'open' } });
  expect((await api.call('DELETE', '/drafts/waiting')).status).toBe(204);
  expect((await get('waiting')).status).toBe(404);
});

test('a draft of another revision than the one that was looked at is not replaced', async () => {
  expect((await put('contended', [], { 'if-match': '0' })).status).toBe(200);
  expect((await put('contended', [ratio('2')], { 'if-match': '0' })).status).toBe(412);
  expect((await put('contended', [ratio('2')], { 'if-match': '"1"' })).body['revision']).toBe(2);
});

test('a credential in a draft is sealed, never shown, and kept while the draft is edited', async () => {
  const write = (entry: object) => put('credential', [{ op: 'put', section: 'upstreams', entry }]);
  const credentials = [{ name: 'a', secret: 'credential-4711' }];
  await write({ ...upstream, name: 'sealed', credentials });
  const kept = [{ name: 'a', weight: 2 }];
  const shown = await write({ ...upstream, name: 'sealed', credentials: kept, cost_ratio: '0.5' });
  const rows: { changes: string }[] = await api.environment.database.query(
    'SELECT changes FROM pricing.draft',
  );
  expect(JSON.stringify([shown, await get('credential'), rows])).not.toContain('credential-4711');
  expect(JSON.stringify(shown)).not.toContain('sealed.v1');
  await api.call('POST', '/drafts/credential/publish', {});
  const stored = (await current())?.upstreams.find(({ name }) => name === 'sealed');
  expect(stored?.cost_ratio).toBe('0.5');
  expect(unseal(stored?.credentials[0]?.sealed ?? '', Buffer.from(SEAL_KEY, 'base64'))).toBe(
    'credential-4711',
  );
});

test.each<[string, string, string, object, RegExp]>([
  ['a name with a blank', 'PUT', '/drafts/a%20b', { reason: 'r', changes: [] }, /^name: letters/],
  ['no reason', 'PUT', '/drafts/x', { reason: ' ', changes: [] }, /^reason: /],
  ['a change of no kind', 'PUT', '/drafts/x', { reason: 'r', changes: [{ op: 'replace' }] }, /^changes\.0: /],
  ['a day that is over', 'PUT', '/drafts/open/schedule', { effective_at: '2020-01-01T00:00:00Z' }, /future/],
])('%s is refused', async (_what, method, path, body, message) => {
  await put('open', []);
  const answer = await api.call(method, path, body);
  expect(answer.status).toBe(400);
  expect(answer.body.error?.message).toMatch(message);
});

test('drafts are listed with how many changes they hold', async () => {
  await put('a-listed', [ratio('2'), ratio('3')]);
  const { body } = await api.call('GET', '/drafts?limit=1');
  expect(body).toMatchObject({ items: [{ name: 'a-listed', changes: 2, status: 'open' }], next: 'a-listed' });
  const rest = await api.call('GET', '/drafts?after=a-listed&status=published');
  expect(rest.body).toMatchObject({ next: null });
  expect((rest.body['items'] as { status: string }[]).every(({ status }) => status === 'published')).toBe(
    true,
  );
});

test('a draft brings back what an earlier version said, to the last byte', async () => {
  const before = await api.environment.store.current();
  if (!before) throw new Error('nothing is published');
  await api.call('PUT', '/upstreams/restored', {
    ...upstream,
    name: undefined,
    credentials: [secret('one')],
  });
  const former = await api.environment.store.current();
  await api.call('PUT', '/upstreams/restored', {
    ...upstream,
    name: undefined,
    credentials: [secret('two')],
  });
  await api.call('PUT', '/models/large', { vendor: 'acme', prices: { input: 77, output: 88 } });
  await api.call('DELETE', '/upstreams/restored');

  const made = await api.call('POST', '/drafts/back/restore', { version: former?.version });
  expect(made).toMatchObject({
    status: 200,
    body: { name: 'back', reason: `Back to version ${former?.version}`, faults: [], status: 'open' },
  });
  expect(JSON.stringify(made.body)).not.toContain(former?.catalogue.upstreams.at(-1)?.credentials[0]?.sealed);
  expect(await api.call('POST', '/drafts/back/publish', { revision: 1 })).toMatchObject({
    body: { hash: former?.hash },
  });
});

test('some sections can be brought back without the others', async () => {
  const before = await api.environment.store.current();
  await api.call('PUT', '/models/large', { vendor: 'acme', prices: { input: 5, output: 6 } });
  await api.call('PUT', '/groups/default', { ratio: '0.7', models: ['*'] });
  const version = before?.version;
  const made = await api.call('POST', '/drafts/groups-back/restore', { version, sections: ['groups'] });
  expect(made.body['differences']).toMatchObject([{ section: 'groups', name: 'default' }]);
});

test('a version that is not there cannot be brought back, nor into a draft that is there', async () => {
  expect((await api.call('POST', '/drafts/no/restore', { version: 9_999 })).status).toBe(404);
  await put('taken', []);
  expect((await api.call('POST', '/drafts/taken/restore', { version: 1 })).status).toBe(412);
  expect((await api.call('POST', '/drafts/bad name/restore', { version: 1 })).status).toBe(400);
});
