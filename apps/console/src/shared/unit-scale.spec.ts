import { UNIT_KINDS } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { parseUnitPrice, toUnitPrice } from './unit-scale.ts';

test('a price that is shown and read again is the same to the last digit', () => {
  const price = fc.integer({ min: 0, max: 10 ** 14 });
  fc.assert(
    fc.property(fc.constantFrom(...UNIT_KINDS), price, (kind, micro) => {
      expect(parseUnitPrice(kind, toUnitPrice(kind, micro))).toBe(micro);
    }),
  );
});

test.each([
  ['searches', 10_000_000_000, '1', '10.00'],
  ['searches', 10_000_000_000, '0.85', '8.50'],
  ['container_sessions', 30_000_000_000, '1', '0.03'],
  ['audio_milliseconds', 100_000, '1', '0.006'],
  ['characters', 15_000_000, '1', '15.00'],
  ['images', 1, '0.5', '0.00'],
] as const)('%s at %i, times %s, are told as %s USD', (kind, micro, ratio, told) => {
  expect(toUnitPrice(kind, micro, ratio)).toBe(told);
});

test.each(['', '-1', '1e3', '1,5', 'free', '0.0000000000001', '99999999999'])('"%s" is no price', (text) => {
  expect(parseUnitPrice('searches', text)).toBeUndefined();
});

test('a price that does not come out even for one unit is refused, not rounded', () => {
  expect(parseUnitPrice('audio_milliseconds', '0.01')).toBeUndefined();
  expect(parseUnitPrice('audio_milliseconds', '0.0099996')).toBe(166_660);
});
