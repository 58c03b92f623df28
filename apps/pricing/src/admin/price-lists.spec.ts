import { completePrices } from '@tollgate/catalogue';
import { type AdminApi, startAdminApi } from '../../testing/admin-api.ts';

let api: AdminApi;
beforeAll(async () => {
  api = await startAdminApi();
  await api.call('PUT', '/vendors/acme', {});
}, 60_000);
afterAll(() => api.stop(), 60_000);

const upstream = { base_url: 'https://east.example', protocols: ['openai-chat'] };

test('tiers and costs are completed, a price of the request is kept', async () => {
  const prices = { input: 10, output: 20 };
  const tiers = [{ above_input_tokens: 1_000, prices: { input: 30, cache_read: 1, output: 40 } }];
  await api.call('PUT', '/models/tiered', { vendor: 'acme', prices, tiers, request_price: 5 });
  const costs = { tiered: { prices: { input: 4, output: 6 }, tiers: [{ above_input_tokens: 9, prices }] } };
  const { status } = await api.call('PUT', '/upstreams/priced', { ...upstream, costs, cost_ratio: '0.5' });
  expect(status).toBe(200);
  const catalogue = (await api.environment.store.current())?.catalogue;
  expect(catalogue?.models.find(({ name }) => name === 'tiered')).toMatchObject({
    request_price: 5,
    prices: completePrices(prices),
    tiers: [{ above_input_tokens: 1_000, prices: completePrices({ input: 30, cache_read: 1, output: 40 }) }],
  });
  expect(catalogue?.upstreams.find(({ name }) => name === 'priced')).toMatchObject({
    cost_ratio: '0.5',
    costs: {
      tiered: {
        prices: completePrices({ input: 4, output: 6 }),
        tiers: [{ above_input_tokens: 9, prices: completePrices(prices) }],
        request_price: 0,
      },
    },
  });
});

test.each<[string, string, object, string]>([
  [
    'tiers that fall',
    '/models/falling',
    {
      vendor: 'acme',
      prices: { input: 1, output: 1 },
      tiers: [2, 1].map((above_input_tokens) => ({ above_input_tokens, prices: { input: 1, output: 1 } })),
    },
    'models.falling.tiers: above_input_tokens must rise from each tier to the next',
  ],
  [
    'costs of a model that is not there',
    '/upstreams/unknown-cost',
    { ...upstream, costs: { nothing: { prices: { input: 1, output: 1 } } } },
    'upstreams.unknown-cost.costs: there is no model "nothing"',
  ],
  [
    'a discount on a model that is not there',
    '/discounts/0198f1c2-7d1e-7000-8000-000000000001',
    { discounts: [{ models: ['nothing'], ratio: '0.9' }] },
    'discounts.0198f1c2-7d1e-7000-8000-000000000001.models: there is no model "nothing"',
  ],
  [
    'a discount for what is no account',
    '/discounts/acme',
    { discounts: [{ models: ['*'], ratio: '0.9' }] },
    'account_id: must be the UUID of an account.',
  ],
])('%s are refused', async (_what, path, body, message) => {
  const before = await api.currentVersion();
  const answer = await api.call('PUT', path, body);
  expect(answer).toMatchObject({ status: 400, body: { error: { message } } });
  expect(await api.currentVersion()).toBe(before);
});

test('the discounts of an account are put in their order, replaced and deleted', async () => {
  const account = '0198f1c2-7d1e-7000-8000-00000000000a';
  await api.call('PUT', '/models/cheap', { vendor: 'acme', prices: { input: 1, output: 1 } });
  const discounts = [
    { models: ['cheap'], ratio: '0.5' },
    { models: ['*'], ratio: '0.9' },
  ];
  const of = async () =>
    (await api.environment.store.current())?.catalogue.discounts.filter(
      ({ account_id }) => account_id === account,
    );
  expect((await api.call('PUT', `/discounts/${account.toUpperCase()}`, { discounts })).status).toBe(200);
  expect(await of()).toEqual(discounts.map((discount) => ({ account_id: account, ...discount })));
  await api.call('PUT', `/discounts/${account}`, { discounts: discounts.slice(1) });
  expect(await of()).toEqual([{ account_id: account, ...discounts[1] }]);
  expect(await api.call('DELETE', `/discounts/${account}`)).toMatchObject({
    status: 200,
    body: { changed: true },
  });
  expect(await of()).toEqual([]);
  expect((await api.call('PUT', `/discounts/${account}`, { discounts: [] })).status).toBe(400);
});
