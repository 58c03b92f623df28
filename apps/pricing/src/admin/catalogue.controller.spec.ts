import { randomBytes } from 'node:crypto';
import { unseal } from '@tollgate/platform';
import { type AdminApi, startAdminApi } from '../../testing/admin-api.ts';
import type { BillingProcess } from '../../testing/billing-process.ts';
import { makeModel, makeUpstream } from '../../testing/catalogues.ts';
import { type TestEnvironment, type RunningPricing, startPricingOn } from '../../testing/pricing-service.ts';

const SEAL_KEY = randomBytes(32).toString('base64');
const CREDENTIAL = 'upstream-credential-4711';

let api: AdminApi;
let environment: TestEnvironment;
let pricing: RunningPricing;
let billing: BillingProcess;
let owner: string;
beforeAll(async () => {
  api = await startAdminApi(SEAL_KEY);
  ({ environment, pricing, billing, owner } = api);
}, 60_000);
afterAll(() => api.stop(), 60_000);

const call: AdminApi['call'] = (...request) => api.call(...request);
const currentVersion = () => api.currentVersion();
const vendor = { description: 'A vendor' };
const upstream = { base_url: 'https://east.example', protocols: ['openai-chat'] };

test('before the first change there is nothing to show', async () => {
  expect((await call('GET', '')).status).toBe(404);
});

test.each([
  ['GET', '', undefined],
  ['GET', '/versions', undefined],
  ['PUT', '/vendors/v', vendor],
  ['PUT', '/limits', { client: {}, key: {}, route: {} }],
  ['DELETE', '/vendors/v', undefined],
])('%s %s needs a session', async (method, path, body) => {
  for (const headers of [{}, { cookie: 'tollgate_session=made-up.signature' }]) {
    const { status } = await call(method, path, body, headers);
    expect(status).toBe(401);
  }
  expect(await currentVersion()).toBe(0);
});

test('a member may neither look nor change', async () => {
  const cookie = await billing.signIn('member');
  expect((await call('GET', '', undefined, { cookie })).status).toBe(403);
  expect((await call('PUT', '/vendors/v', vendor, { cookie })).status).toBe(403);
  expect(await currentVersion()).toBe(0);
});

test.each([['https://evil.example'], ['null']])('a change from the Origin %s is refused', async (origin) => {
  const { status } = await call('PUT', '/vendors/v', vendor, { cookie: owner, origin });
  expect(status).toBe(403);
  expect(await currentVersion()).toBe(0);
});

test('a change from our own Origin is accepted', async () => {
  const { status } = await call('PUT', '/vendors/own-origin', vendor, { cookie: owner, origin: pricing.url });
  expect(status).toBe(200);
});

test('over https only the cookie that no neighbour can plant is a session', async () => {
  const over = (cookie: string) =>
    call('GET', '', undefined, { cookie, 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' });
  expect((await over(owner)).status).toBe(401);
  const ofHost = owner.replace('tollgate_session=', '__Host-tollgate_session=');
  expect((await over(ofHost)).status).toBe(200);
  expect((await over(`${owner}; __Host-tollgate_session=made-up.signature`)).status).toBe(401);
});

test('everything that an admin adds is a new version at once, and public', async () => {
  const before = await currentVersion();
  const steps: [string, object][] = [
    ['/vendors/acme', vendor],
    ['/models/acme%2Flarge', { vendor: 'acme', prices: { input: 3_000_000, output: 15_000_000 } }],
    ['/groups/default', { ratio: '0.85', models: ['*'] }],
    ['/upstreams/east', { ...upstream, credentials: [{ name: 'a', secret: CREDENTIAL }] }],
    ['/pools/main', { groups: ['*'], models: ['acme/large'], members: [{ upstream: 'east' }] }],
    ['/limits', { client: { requests_per_minute: 60 }, key: {}, route: {} }],
    ['/auto-groups', { groups: ['default'] }],
  ];
  for (const [index, [path, body]] of steps.entries()) {
    const answer = await call('PUT', path, body);
    expect(answer).toMatchObject({ status: 200, body: { version: before + index + 1, changed: true } });
    expect(await currentVersion()).toBe(before + index + 1);
  }
  const prices = (await (await fetch(`${pricing.url}/api/pricing`)).json()) as object;
  expect(prices).toMatchObject({
    snapshot_version: before + steps.length,
    data: [
      {
        model_name: 'acme/large',
        completion_ratio: 5,
        supported_endpoint_types: ['openai', 'openai-response', 'anthropic', 'gemini'],
      },
    ],
    group_ratio: { default: 0.85 },
    auto_groups: ['default'],
  });
  const { body } = await call('GET', '');
  expect(body).toMatchObject({
    catalogue: {
      models: [makeModel('acme/large', { input: 3_000_000, output: 15_000_000 })],
      limits: { client: { requests_per_minute: 60 } },
    },
  });
});

test('the same change again makes no version', async () => {
  await call('PUT', '/vendors/twice', vendor);
  const before = await currentVersion();
  const answer = await call('PUT', '/vendors/twice', vendor);
  expect(answer).toMatchObject({ status: 200, body: { version: before, changed: false } });
});

test('an entry is deleted, and an unknown section is not found', async () => {
  await call('PUT', '/vendors/passing', vendor);
  expect(await call('DELETE', '/vendors/passing')).toMatchObject({ status: 200, body: { changed: true } });
  const names = (await environment.store.current())?.catalogue.vendors.map(({ name }) => name);
  expect(names).not.toContain('passing');
  expect((await call('DELETE', '/limits/client')).status).toBe(404);
});

test('a change on top of another version than the newest is a conflict', async () => {
  await call('PUT', '/vendors/first', vendor);
  const newest = await currentVersion();
  const put = (name: string, expected: string) =>
    call('PUT', `/vendors/${name}`, vendor, { cookie: owner, 'if-match': expected });
  expect((await put('stale', String(newest - 1))).status).toBe(412);
  expect(await currentVersion()).toBe(newest);
  expect((await put('fresh', `"${newest}"`)).status).toBe(200);
  expect((await put('any', '*')).status).toBe(200);
  expect((await put('broken', 'newest')).status).toBe(400);
  expect(await currentVersion()).toBe(newest + 2);
});

test('a reference to what is not there is refused with every fault', async () => {
  const before = await currentVersion();
  const { status, body } = await call('PUT', '/pools/broken', {
    groups: ['no-group'],
    models: ['no-model'],
    members: [{ upstream: 'no-upstream' }],
  });
  expect(status).toBe(400);
  expect(body.error?.message).toBe(
    [
      'pools.broken.groups: there is no group "no-group"',
      'pools.broken.models: there is no model "no-model"',
      'pools.broken.members: there is no upstream "no-upstream"',
    ].join('; '),
  );
  expect(await currentVersion()).toBe(before);
});

test.each<[string, string, object, RegExp]>([
  ['a name with a blank', '/vendors/with%20blank', vendor, /name: letters, digits/],
  [
    'a model without an output price',
    '/models/m',
    { vendor: 'acme', prices: { input: 1 } },
    /^prices: input and/,
  ],
  [
    'a fraction of a price',
    '/models/m',
    { vendor: 'acme', prices: { input: 0.5, output: 1 } },
    /^prices\.input: /,
  ],
  ['a ratio as a number', '/groups/g', { ratio: 0.85, models: ['*'] }, /^ratio: /],
  [
    'a new credential without a secret',
    '/upstreams/u',
    { ...upstream, credentials: [{ name: 'a' }] },
    /^upstreams\.u\.credentials\.a: a new credential needs its secret/,
  ],
  [
    'a private address that nobody allowed',
    '/upstreams/u',
    { ...upstream, base_url: 'http://192.168.0.1' },
    /^upstreams\.u\.base_url: /,
  ],
  ...['https://user:secret@east.example', 'https://user@east.example', 'https://:secret@east.example'].map(
    (base_url): [string, string, object, RegExp] => [
      `a credential in the address ${base_url}`,
      '/upstreams/u',
      { ...upstream, base_url },
      /^base_url: must hold no user and password: a credential belongs into `credentials`(?!.*secret@)/,
    ],
  ),
  ...['https://east.example/v1?key=secret', 'https://east.example?', 'https://east.example/#a'].map(
    (base_url): [string, string, object, RegExp] => [
      `the address ${base_url}`,
      '/upstreams/u',
      { ...upstream, base_url },
      /^base_url: must hold no query and no fragment/,
    ],
  ),
  ['a field that is not known', '/vendors/v', { colour: 'red' }, /colour/],
])('%s is refused, with the field', async (_what, path, body, message) => {
  const before = await currentVersion();
  const answer = await call('PUT', path, body);
  expect(answer.status).toBe(400);
  expect(answer.body.error?.message).toMatch(message);
  expect(await currentVersion()).toBe(before);
});

test('a secret is sealed, never shown, kept when left out and removed with its credential', async () => {
  const credentials = [{ name: 'a', secret: CREDENTIAL, weight: 3 }];
  await call('PUT', '/upstreams/sealed', { ...upstream, credentials });
  const stored = async () =>
    (await environment.store.current())?.catalogue.upstreams.find(({ name }) => name === 'sealed');
  const sealed = (await stored())?.credentials[0]?.sealed ?? '';
  expect(unseal(sealed, Buffer.from(SEAL_KEY, 'base64'))).toBe(CREDENTIAL);

  for (const shown of [await call('GET', ''), await call('GET', '/versions')]) {
    expect(shown.status).toBe(200);
    expect(JSON.stringify(shown.body)).not.toContain(CREDENTIAL);
    expect(JSON.stringify(shown.body)).not.toContain(sealed);
  }
  const rows: { catalogue: string }[] = await environment.database.query(
    'SELECT catalogue FROM pricing.snapshot',
  );
  expect(rows.filter(({ catalogue }) => catalogue.includes(CREDENTIAL))).toEqual([]);

  const moved = await call('PUT', '/upstreams/sealed', { ...upstream, base_url: 'https://moved.example' });
  expect(moved.status).toBe(400);
  expect(JSON.stringify(moved.body)).toContain('state every credential with its secret again');
  await call('PUT', '/upstreams/sealed', { ...upstream, base_url: `${upstream.base_url}/v2` });
  expect(await stored()).toMatchObject({ base_url: `${upstream.base_url}/v2`, credentials: [{ sealed }] });
  const { body } = await call('GET', '');
  const shown = (
    body['catalogue'] as { upstreams: { name: string; credentials: object[] }[] }
  ).upstreams.find(({ name }) => name === 'sealed');
  expect(shown?.credentials).toEqual([{ name: 'a', weight: 3, limits: {}, has_secret: true }]);
  await call('PUT', '/upstreams/sealed', { ...upstream, credentials: shown?.credentials });
  expect((await stored())?.credentials).toEqual([{ name: 'a', weight: 3, limits: {}, sealed }]);
  await call('PUT', '/upstreams/sealed', { ...upstream, credentials: [] });
  expect((await stored())?.credentials).toEqual([]);
});

test('a secret that is none of its kind of proof is refused, and so is one in a header that is shown', async () => {
  const google = { ...upstream, auth: { kind: 'google' }, credentials: [{ name: 'a', secret: CREDENTIAL }] };
  const refused = await call('PUT', '/upstreams/clouded', google);
  expect(refused.status).toBe(400);
  expect(refused.body.error?.message).toMatch(
    /^upstreams\.clouded\.credentials\.a: the secret must be the JSON of a service account/,
  );
  expect(JSON.stringify(refused.body)).not.toContain(CREDENTIAL);
  const shown = await call('PUT', '/upstreams/clouded', { ...upstream, set_headers: { 'Api-Key': 'k-1' } });
  expect(shown.status).toBe(400);
  expect(shown.body.error?.message).toContain('{"kind":"static","header":"api-key"}');
  const ambient = { ...google, credentials: [{ name: 'a', secret: 'ambient' }] };
  expect((await call('PUT', '/upstreams/clouded', ambient)).status).toBe(200);
});

test('headers of old versions that may hold a secret are not shown', async () => {
  const { catalogue } = (await environment.store.current()) ?? {};
  if (!catalogue) throw new Error('nothing is published');
  const old = makeUpstream('old', { set_headers: { Authorization: 'Bearer old-secret-1', 'x-org': 'o' } });
  const upstreams = [...catalogue.upstreams, old];
  const by = { actor: 'test', reason: 'old' };
  const change = { op: 'replace', catalogue: { ...catalogue, upstreams } } as const;
  const { snapshot } = await environment.store.publish([change], by);
  const { version } = snapshot;
  for (const path of ['', `/versions/${version}`, `/versions/${version - 1}/diff/${version}`]) {
    const answer = await call('GET', path);
    expect([path, answer.status]).toEqual([path, 200]);
    const text = JSON.stringify(answer.body);
    expect(text).toMatch(/"Authorization":"\(sealed [0-9a-f]{8}\)","x-org":"o"/);
    expect(text).not.toContain('old-secret-1');
  }
  await call('DELETE', '/upstreams/old');
});

test('the list of versions names who changed what, page by page to the first', async () => {
  await call('PUT', '/vendors/listed', vendor);
  const newest = await currentVersion();
  const seen: number[] = [];
  let next: unknown = null;
  do {
    const { body } = await call('GET', `/versions?limit=3${next === null ? '' : `&before=${Number(next)}`}`);
    const items = body['items'] as { version: number; actor: string; reason: string }[];
    if (seen.length === 0)
      expect(items[0]).toMatchObject({ actor: 'owner@pricing.example', reason: 'vendor listed' });
    seen.push(...items.map(({ version }) => version));
    next = body['next'];
  } while (next !== null);
  expect(seen).toEqual(Array.from({ length: newest }, (_, index) => newest - index));
});

test('while billing does not answer nobody gets in', async () => {
  const alone = await startPricingOn(environment, { SEAL_KEY });
  const answer = await fetch(`${alone.url}/api/catalogue`, { headers: { cookie: owner } });
  expect(answer.status).toBe(503);
  await alone.stop();
});
