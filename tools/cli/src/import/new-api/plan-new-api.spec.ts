import { planNewApi } from './plan-new-api.ts';
import { channelRow, type NewApi, tokenRow, userRow } from './rows.ts';

/** Rows as the oldest one-api has them, without the columns that came later. */
const source = (options: Record<string, string>, more: Partial<NewApi> = {}): NewApi => ({
  channels: [
    channelRow.parse({
      id: 1,
      type: 14,
      key: 'k',
      name: 'Claude',
      models: 'claude-x',
      group: 'default',
      priority: '7',
    }),
  ],
  users: [userRow.parse({ id: 1, username: 'ada', quota: '1', group: 'default' })],
  tokens: [
    tokenRow.parse({ id: 1, user_id: 1, key: 'a'.repeat(48), name: '', models: '', remain_quota: '3' }),
  ],
  options: new Map(Object.entries(options)),
  ...more,
});
const rated = (options: Record<string, string> = {}) =>
  planNewApi(
    source({
      ModelRatio: '{"claude-x":1.5}',
      CompletionRatio: '{"claude-x":5}',
      GroupRatio: '{"default":0.85}',
      ...options,
    }),
  );

test('an old one-api comes over, a unit of quota at its exact worth', () => {
  const { catalogue, accounts } = rated();
  expect(catalogue.models).toMatchObject([
    { vendor: 'anthropic', prices: { input: 3_000_000, output: 15_000_000 } },
  ]);
  expect(catalogue.groups).toMatchObject([{ name: 'default', ratio: '0.85', models: ['claude-x'] }]);
  expect(catalogue.upstreams).toMatchObject([{ name: 'Claude-1', base_url: 'https://api.anthropic.com' }]);
  expect(accounts).toMatchObject([
    {
      name: 'ada (new-api 1)',
      credit_usd: '0.000002',
      keys: [{ name: 'token 1', budgets: { total_usd: '0.000006' }, models: null }],
    },
  ]);
});

test.each<[Record<string, string>, object]>([
  [
    { CacheRatio: '{"claude-x":0.1}', CreateCacheRatio: '{"claude-x":1.25}' },
    { cache_read: 300_000, cache_write: 3_750_000 },
  ],
  [{ QuotaPerUnit: '1000000' }, { input: 1_500_000, output: 7_500_000 }],
  [{ CompletionRatio: '{}' }, { input: 3_000_000, output: 3_000_000 }],
  [{ ModelPrice: '{"claude-x":0.25}' }, { input: 0, output: 0 }],
])('with the options %j prices are %j', (options, prices) => {
  expect(rated(options).catalogue.models[0]?.prices).toMatchObject(prices);
});

test('a model without a price is left out rather than given away, and its tokens have nothing to ask for', () => {
  const { catalogue, notes } = planNewApi(source({}));
  expect(catalogue.models).toEqual([]);
  expect(notes.join('\n')).toContain('model claude-x: left out, it has neither ModelRatio nor ModelPrice');
});

test('options that are no JSON are refused by their names', () => {
  expect(() => rated({ GroupRatio: 'cheap' })).toThrow(
    'The option GroupRatio is no JSON of names and numbers.',
  );
});
