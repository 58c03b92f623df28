import { percentChange, toRows } from './difference-rows.ts';

test('a price that follows another one is not told twice', () => {
  const change = (kind: string, to: number) => ({ path: `/prices/${kind}`, from: 1, to });
  const rows = toRows({
    fields: [
      change('input', 2),
      change('cache_read', 2),
      change('input_audio', 3),
      change('output_image', 2),
    ],
  });
  expect(rows.map(({ path }) => path[1])).toEqual(['input', 'input_audio', 'output_image']);
});

test('names with strokes come back as they are, and values know what they are', () => {
  expect(
    toRows({
      fields: [
        { path: '/fallbacks/a~1b~0c', to: ['x'] },
        { path: '/request_price', from: 0, to: 5 },
        { path: '/tiers', from: [], to: [{}] },
        { path: '/costs/m/prices/input', from: 1, to: 2 },
        { path: '/unit_prices/searches', to: 3 },
        { path: '/service_tiers/flex', from: '1', to: '0.5' },
        { path: '/regions/us', from: '1.1' },
        { path: '/features/web_search', to: 'priced' },
      ],
    }),
  ).toEqual([
    { path: ['fallbacks', 'a/b~c'], kind: 'plain', to: ['x'] },
    { path: ['request_price'], kind: 'price', from: 0, to: 5 },
    { path: ['tiers'], kind: 'tiers', from: [], to: [{}] },
    { path: ['costs', 'm', 'prices', 'input'], kind: 'price', from: 1, to: 2 },
    { path: ['unit_prices', 'searches'], kind: 'unitPrice', to: 3 },
    { path: ['service_tiers', 'flex'], kind: 'times', from: '1', to: '0.5' },
    { path: ['regions', 'us'], kind: 'times', from: '1.1' },
    { path: ['features', 'web_search'], kind: 'terms', to: 'priced' },
  ]);
});

test('prices that are all new or all gone are told one by one', () => {
  const rows = toRows({
    fields: [
      { path: '/unit_prices', to: { searches: 3, pages: 0 } },
      { path: '/regions', from: { us: '1.1' } },
      { path: '/image_models', to: ['drawing'] },
    ],
  });
  expect(rows).toEqual([
    { path: ['unit_prices', 'searches'], kind: 'unitPrice', to: 3 },
    { path: ['unit_prices', 'pages'], kind: 'unitPrice', to: 0 },
    { path: ['regions', 'us'], kind: 'times', from: '1.1' },
    { path: ['image_models'], kind: 'plain', to: ['drawing'] },
  ]);
});

test('a new entry is told by what it says, a removed one by what it said', () => {
  const entry = { ratio: '1', models: ['*'], description: '', limits: { tokens_per_minute: 7 }, tags: [] };
  expect(toRows({ fields: [{ path: '', to: entry }] })).toEqual([
    { path: ['ratio'], kind: 'plain', to: '1' },
    { path: ['models'], kind: 'plain', to: ['*'] },
    { path: ['limits', 'tokens_per_minute'], kind: 'plain', to: 7 },
  ]);
  expect(toRows({ fields: [{ path: '', from: { ratio: '1' } }] })).toEqual([
    { path: ['ratio'], kind: 'plain', from: '1' },
  ]);
});

test.each([
  [2_500_000, 3_000_000, 20],
  [3, 2, -33.3],
  [0, 5, undefined],
  ['1', '2', undefined],
])('from %p to %p is %p percent', (from, to, percent) => {
  expect(percentChange(from, to)).toBe(percent);
});
