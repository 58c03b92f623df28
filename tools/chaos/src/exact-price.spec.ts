import { exactPrice, readPriceList } from './exact-price.ts';

const list = readPriceList(`{"data":[{"model_name":"m","request_price":3,
  "prices":{"input":1,"cache_read":2,"output":90071992547409931},
  "tiers":[{"above_input_tokens":10,"prices":{"input":7,"output":5}}]}],
  "group_ratio":{"one":1,"half":0.5,"odd":0.333333333}}`);

test.each([
  ['one', { input: 4, cache_read: 3 }, 3_000_010n],
  ['one', { output: 1 }, 90_071_992_550_409_931n],
  ['one', { input: 10 }, 3_000_010n],
  ['one', { input: 11 }, 3_000_077n],
  ['half', { input: 1 }, 1_500_000n],
  ['half', { input: 3 }, 1_500_002n],
  ['odd', { input: 1 }, 1_000_000n],
  ['one', {}, 3_000_000n],
])('in the group %s %o cost %s pico-USD', (group, tokens, cost) => {
  expect(exactPrice(list, 'm', group, tokens)).toBe(cost);
});

test('what the list does not price is not priced', () => {
  expect(() => exactPrice(list, 'other', 'one', {})).toThrow('no model other');
  expect(() => exactPrice(list, 'm', 'other', {})).toThrow('no ratio of other');
  expect(() => exactPrice(list, 'm', 'one', { input: 11, cache_read: 1 })).toThrow('no cache_read');
});
