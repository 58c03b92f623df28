import { PRICE_SOURCES, TOKEN_KINDS, type TokenKind } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { completePriceList, completePrices, type PricesInput } from './complete-prices.ts';

test.each<[TokenKind, PricesInput, number]>([
  ['input_audio', { input: 3, output: 5 }, 3],
  ['input_image', { input: 3, output: 5 }, 3],
  ['cache_read', { input: 3, output: 5 }, 3],
  ['cache_read_audio', { input: 3, output: 5, cache_read: 1 }, 1],
  ['cache_read_image', { input: 3, output: 5, cache_read: 1 }, 1],
  ['cache_write', { input: 3, output: 5 }, 3],
  ['cache_write_1h', { input: 3, output: 5 }, 3],
  ['cache_write_1h', { input: 4, output: 9, cache_write: 5 }, 8],
  ['cache_write_1h', { input: 4, output: 9, cache_write: 10 }, 10],
  ['cache_write_1h', { input: 4, output: 9, cache_write: 4 }, 4],
  ['cache_write_1h', { input: 4, output: 9, cache_write: 1 }, 1],
  ['cache_write_1h', { input: 4, output: 9, cache_write: 5, cache_write_1h: 6 }, 6],
  ['output_reasoning', { input: 3, output: 5 }, 5],
  ['output_audio', { input: 3, output: 5 }, 5],
  ['output_image', { input: 3, output: 5 }, 5],
  ['cache_read', { input: 3, output: 5, cache_read: 0 }, 0],
])('the price of %s with %j stated is %i', (kind, stated, price) => {
  expect(completePrices(stated)[kind]).toBe(price);
});

test('every kind has a price, and what is stated stays as stated', () => {
  const price = fc.nat();
  const optional = Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, price]));
  const stated = fc.record(optional, { requiredKeys: ['input', 'output'] }) as fc.Arbitrary<PricesInput>;
  fc.assert(
    fc.property(stated, (prices) => {
      const complete = completePrices(prices);
      expect(Object.keys(complete).sort()).toEqual([...TOKEN_KINDS].sort());
      expect(complete).toMatchObject(prices);
    }),
  );
});

test('every tier is completed from its own prices, and the price of a request stays', () => {
  const list = completePriceList({
    prices: { input: 3, cache_read: 1, output: 5 },
    tiers: [{ above_input_tokens: 200, prices: { input: 6, output: 9 } }],
    request_price: 7,
    unit_prices: { searches: 9 },
    service_tiers: { flex: '0.5' },
    regions: { us: '1.1' },
  });
  expect(list).toMatchObject({
    unit_prices: { searches: 9 },
    service_tiers: { flex: '0.5' },
    regions: { us: '1.1' },
  });
  expect(list.request_price).toBe(7);
  expect(list.prices.cache_read).toBe(1);
  expect(list.tiers).toEqual([{ above_input_tokens: 200, prices: completePrices({ input: 6, output: 9 }) }]);
  expect(list.tiers[0]?.prices.cache_read).toBe(6);
});

test('a source is known before the kinds that take their price from it', () => {
  for (const [index, kind] of TOKEN_KINDS.entries()) {
    const source = PRICE_SOURCES[kind];
    if (source !== null) expect(TOKEN_KINDS.indexOf(source)).toBeLessThan(index);
  }
});
