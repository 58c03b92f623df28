import { type AdminApi, startAdminApi } from '../../testing/admin-api.ts';

let api: AdminApi;
beforeAll(async () => {
  api = await startAdminApi();
  await api.call('PUT', '/vendors/acme', { description: 'first' });
  await api.call('PUT', '/vendors/acme', { description: 'second' });
  await api.call('PUT', '/upstreams/east', credential('credential-4711'));
  await api.call('PUT', '/upstreams/east', credential('credential-4712'));
  await api.call('DELETE', '/upstreams/east');
}, 60_000);
afterAll(() => api.stop(), 60_000);

const credential = (secret: string) => ({
  base_url: 'https://east.example',
  protocols: ['openai-chat'],
  credentials: [{ name: 'a', secret }],
});
const differences = async (a: number, b: number) => {
  const { status, body } = await api.call('GET', `/versions/${a}/diff/${b}`);
  expect([status, body['from'], body['to']]).toEqual([200, a, b]);
  return body['differences'];
};

test('any version is shown with its catalogue', async () => {
  const { body } = await api.call('GET', '/versions/1');
  expect(body).toMatchObject({
    version: 1,
    catalogue: { vendors: [{ name: 'acme', description: 'first' }] },
  });
});

test.each(['/versions/99', '/versions/first', '/versions/1/diff/99', '/versions/0x1/diff/1'])(
  '%s is not found',
  async (path) => {
    expect((await api.call('GET', path)).status).toBe(404);
  },
);

test('two versions are compared in both directions', async () => {
  const [field] = [{ path: '/description', from: 'first', to: 'second' }];
  expect(await differences(1, 2)).toEqual([
    { section: 'vendors', name: 'acme', change: 'changed', fields: [field] },
  ]);
  expect(await differences(2, 1)).toMatchObject([{ fields: [{ from: 'second', to: 'first' }] }]);
  expect(await differences(2, 2)).toEqual([]);
});

const MARK: unknown = expect.stringMatching(/^\(sealed [0-9a-f]{8}\)$/);

test('a credential that came, changed or went is seen to have done so, and not shown', async () => {
  const stored = await api.environment.store.byVersion(3);
  const shown = [await differences(2, 3), await differences(3, 4), await differences(4, 5)];
  expect(shown).toMatchObject([
    [{ change: 'added', fields: [{ path: '', to: { credentials: [{ sealed: MARK }] } }] }],
    [
      {
        change: 'changed',
        fields: [{ path: '/credentials', from: [{ sealed: MARK }], to: [{ sealed: MARK }] }],
      },
    ],
    [{ change: 'removed', fields: [{ path: '', from: { credentials: [{ sealed: MARK }] } }] }],
  ]);
  const [change] = shown[1] as { fields: { from: unknown; to: unknown }[] }[];
  expect(change?.fields[0]?.from).not.toEqual(change?.fields[0]?.to);
  const sealed = stored?.catalogue.upstreams[0]?.credentials[0]?.sealed ?? '';
  expect(sealed).toMatch(/^sealed\.v1\./);
  const version = await api.call('GET', '/versions/3');
  expect(JSON.stringify([shown, version.body])).not.toContain(sealed);
  expect(JSON.stringify([shown, version.body])).not.toContain('credential-471');
});

test('the version that was in force at a time is found, to the millisecond', async () => {
  const { body } = await api.call('GET', '/versions');
  const [third] = (body['items'] as { version: number; published_at: string }[]).filter(
    ({ version }) => version === 3,
  );
  const at = (time: string) => api.call('GET', `/versions/at?time=${encodeURIComponent(time)}`);
  const published = third?.published_at ?? '';
  expect(await at(published)).toMatchObject({ status: 200, body: { version: 3, published_at: published } });
  const before = new Date(Date.parse(published) - 1).toISOString();
  expect(await at(before)).toMatchObject({ body: { version: 2 } });
  expect(await api.call('GET', '/versions/at')).toMatchObject({ body: { version: 5 } });
  expect((await at('2001-01-01T00:00:00Z')).status).toBe(404);
  expect((await at('yesterday')).status).toBe(400);
});
