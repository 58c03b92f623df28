import fc from 'fast-check';
import { charge, parseRatio, rate, type RateCard } from './index.ts';

const card: RateCard = {
  prices: { input: 3, cache_read: 1, output: 10 },
  tiers: [
    { above_input_tokens: 100, prices: { input: 6, cache_read: 2, output: 15 } },
    { above_input_tokens: 1_000, prices: { input: 9, cache_read: 3, output: 20 } },
  ],
  request_price: 2,
};
const REQUEST = 2_000_000n;

test.each([
  ['below every tier', { input: 60, cache_read: 40, output: 5 }, 60n * 3n + 40n + 50n],
  [
    'one token above the first tier: all of it is dearer',
    { input: 61, cache_read: 40, output: 5 },
    61n * 6n + 80n + 75n,
  ],
  ['at the second tier', { input: 1_000, output: 1 }, 6_000n + 15n],
  ['above the second tier', { input: 1_001, output: 1 }, 9_009n + 20n],
  ['output does not lengthen the context', { input: 1, output: 5_000 }, 3n + 50_000n],
  ['nothing but the request', {}, 0n],
])('%s', (_case, tokens, cost) => {
  expect(rate(tokens, card, [])).toBe(cost + REQUEST);
});

test('every ratio counts, and what they give together is rounded once', () => {
  const half = parseRatio('0.5');
  expect(rate({ input: 1 }, { ...card, request_price: 0 }, [half])).toBe(2n);
  expect(rate({ input: 1 }, { ...card, request_price: 0 }, [half, half])).toBe(1n);
  expect(rate({ input: 2 }, { ...card, request_price: 0 }, [half, half])).toBe(2n);
});

test('a kind without a price is refused, one that was not used is not missed', () => {
  expect(() => rate({ output_audio: 1 }, card, [])).toThrow('there is no price for output_audio');
  expect(rate({ output_audio: 0 }, card, [])).toBe(REQUEST);
});

test('without tiers and a price for the request it is the charge of its lines', () => {
  const counts = fc.record({ input: fc.nat(), cache_read: fc.nat(), output: fc.nat() });
  const ratios = fc.constantFrom('1', '0.8', '1.333333333', '0');
  fc.assert(
    fc.property(counts, counts, ratios, (tokens, prices, ratio) => {
      const lines = (['input', 'cache_read', 'output'] as const).map((kind) => ({
        tokens: tokens[kind],
        price: prices[kind],
      }));
      expect(rate(tokens, { prices, tiers: [], request_price: 0 }, [parseRatio(ratio)])).toBe(
        charge(lines, parseRatio(ratio)),
      );
    }),
  );
});
