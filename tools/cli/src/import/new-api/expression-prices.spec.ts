import { readExpression } from './expression-prices.ts';

test.each<[string, object]>([
  [
    'tier("base", p * 2.5 + c * 15 + cr * 0.25)',
    { prices: { input: 2_500_000, output: 15_000_000, cache_read: 250_000 }, request_price: 0 },
  ],
  [
    'v1:len <= 200_000 ? tier("standard", p * 3 + 15 * c + cc * 3.75) : tier("long", p * 6 + c * 22.5 + cc * 7.5 + cc1h * 12)',
    {
      prices: { input: 3_000_000, output: 15_000_000, cache_write: 3_750_000, cache_write_1h: 3_000_000 },
      tiers: [
        {
          above_input_tokens: 200_000,
          prices: {
            input: 6_000_000,
            output: 22_500_000,
            cache_write: 7_500_000,
            cache_write_1h: 12_000_000,
          },
        },
      ],
    },
  ],
  [
    'len >= 128000 ? tier("c", p * 3 + c * 3) : (len < 32000 ? tier("a", p * 1 + c * 1) : tier("b", p * 2 + c * 2))',
    {
      prices: { input: 1_000_000 },
      tiers: [
        { above_input_tokens: 31_999, prices: { input: 2_000_000 } },
        { above_input_tokens: 127_999, prices: { input: 3_000_000 } },
      ],
    },
  ],
  [
    'tier("all", p * 0.43 + c * 3.06 + img * 0.78 + ai * 3.81 + ao * 15.11)',
    {
      prices: {
        input: 430_000,
        output: 3_060_000,
        input_image: 780_000,
        input_audio: 3_810_000,
        output_audio: 15_110_000,
      },
    },
  ],
  ['tier("request", fixed(0.01))', { prices: { input: 0, output: 0 }, request_price: 10_000 }],
])('the price of %s comes over', (expression, list) => {
  expect(readExpression(expression)).toMatchObject({ ok: true, isExact: true, prices: list });
});

test.each([
  ['nothing', ''],
  [
    'what a request says',
    'tier("base", p * 5 + c * 25)|||when(header("anthropic-beta") has "fast-mode") * 6',
  ],
  ['the hour', 'hour("UTC") < 8 ? tier("night", p * 1 + c * 1) : tier("day", p * 2 + c * 2)'],
  ['what is no length', 'p <= 1000 ? tier("a", p * 1 + c * 1) : tier("b", p * 2 + c * 2)'],
  ['a request in one tier', 'len <= 1000 ? tier("a", fixed(0.01)) : tier("b", p * 2 + c * 2)'],
  ['a factor behind it', '(tier("base", p * 5 + c * 25)) * 2'],
  ['a kind twice', 'tier("base", p * 5 + p * 1 + c * 25)'],
  ['what nobody knows', 'tier("base", p * 5 + video * 25)'],
  ['a function', 'tier("base", max(p, 100) * 5)'],
])('an expression that charges by %s is no price list', (_what, expression) => {
  expect(readExpression(expression)).toMatchObject({ ok: false });
});
