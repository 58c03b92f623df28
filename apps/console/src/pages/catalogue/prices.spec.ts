import { PRICE_SOURCES, TOKEN_KINDS } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { emptyPrices, parseMicro, parsePrices, toTexts, toUsd, wrongKinds } from './prices.ts';

test('a price that is shown and read again is the same to the last micro-USD', () => {
  fc.assert(
    fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (micro) => {
      expect(parseMicro(toUsd(micro))).toBe(micro);
    }),
  );
});

test.each([
  ['2.5', 2_500_000],
  ['0', 0],
  [' 3 ', 3_000_000],
  ['0.000001', 1],
  ['0.0000010', 1],
  ['0.0000001', undefined],
  ['1e3', undefined],
  ['-1', undefined],
  ['', undefined],
  ['1,5', undefined],
  ['9999999999', undefined],
])('"%s" is %p micro-USD', (text, micro) => {
  expect(parseMicro(text)).toBe(micro);
});

test('what only repeats another price is left open, and follows it from then on', () => {
  const texts = toTexts({
    input: 3_000_000,
    cache_read: 300_000,
    output: 15_000_000,
    cache_write: 3_000_000,
    cache_write_1h: 6_000_000,
    output_audio: 15_000_000,
  });
  expect(texts).toEqual({
    ...emptyPrices,
    input: '3.00',
    cache_read: '0.30',
    output: '15.00',
    cache_write_1h: '6.00',
  });
  expect(parsePrices({ ...texts, input: '4' })).toEqual({
    input: 4_000_000,
    cache_read: 300_000,
    output: 15_000_000,
    cache_write_1h: 6_000_000,
  });
});

test.each([
  ['twice the input follows it', 8_000_000, ''],
  ['another price stays as it is stated', 5_000_000, '5.00'],
])('of writes for an hour %s', (_what, cache_write_1h, text) => {
  const prices = { input: 4_000_000, output: 9_000_000, cache_write: 5_000_000, cache_write_1h };
  expect(toTexts(prices).cache_write_1h).toBe(text);
});

test('a price that is needed and not there is wrong, and so is what is no price', () => {
  expect(wrongKinds(emptyPrices)).toEqual(TOKEN_KINDS.filter((kind) => PRICE_SOURCES[kind] === null));
  expect(wrongKinds({ ...emptyPrices, input: '1', output: '2', cache_read: 'x' })).toEqual(['cache_read']);
});
