import { readFileSync } from 'node:fs';
import { parseRatio } from '@tollgate/money';
import {
  AS_TEXT_KIND,
  INPUT_TOKEN_KINDS,
  OUTPUT_TOKEN_KINDS,
  sumTokens,
  TOKEN_KINDS,
  type TokenCounts,
  type TokenKind,
} from '@tollgate/vocabulary';
import fc from 'fast-check';
import { completePrices } from './complete-prices.ts';
import {
  computeCeilings,
  computeCharge,
  computeMaxCharge,
  explainCharge,
  findTier,
  listPriceLines,
  type PriceTerms,
} from './price.ts';

const terms: PriceTerms = {
  prices: { input: 3, cache_read: 1, output: 10 },
  tiers: [
    { above_input_tokens: 100, prices: { input: 6, cache_read: 2, output: 15 } },
    { above_input_tokens: 1_000, prices: { input: 9, cache_read: 3, output: 20 } },
  ],
  request_price: 2,
};
const REQUEST = 2_000_000n;

/** Prices without tiers, and nothing for the request. */
const flat = (prices: PriceTerms['prices']): PriceTerms => ({ prices, tiers: [], request_price: 0 });

test.each<[string, TokenCounts, bigint]>([
  ['below every tier', { input: 60, cache_read: 40, output: 5 }, 60n * 3n + 40n + 50n],
  [
    'one token above the first tier: all of it is more expensive',
    { input: 61, cache_read: 40, output: 5 },
    61n * 6n + 80n + 75n,
  ],
  ['at the second tier', { input: 1_000, output: 1 }, 6_000n + 15n],
  ['above the second tier', { input: 1_001, output: 1 }, 9_009n + 20n],
  ['output does not lengthen the context', { input: 1, output: 5_000 }, 3n + 50_000n],
  ['nothing but the request', {}, 0n],
])('%s', (_case, tokens, cost) => {
  expect(computeCharge({ counts: tokens }, terms, [])).toBe(cost + REQUEST);
});

test.each<[string, TokenCounts, PriceTerms['prices'], string, bigint]>([
  ['1 token at 1 micro-USD per million', { input: 1 }, { input: 1 }, '1', 1n],
  ['a million tokens at 2.50 USD', { input: 1_000_000 }, { input: 2_500_000 }, '1', 2_500_000_000_000n],
  ['two kinds', { input: 10, output: 5 }, { input: 3, output: 15 }, '1', 105n],
  ['a ratio', { input: 10 }, { input: 100 }, '0.85', 850n],
  ['half a pico-USD to even, down', { input: 1 }, { input: 1 }, '0.5', 0n],
  ['half a pico-USD to even, up', { input: 3 }, { input: 1 }, '0.5', 2n],
  ['a ratio of nothing', { input: 10 }, { input: 100 }, '0', 0n],
  ['no tokens', {}, {}, '1', 0n],
])('charges %s', (_case, tokens, prices, ratio, pico) => {
  expect(computeCharge({ counts: tokens }, flat(prices), [parseRatio(ratio)])).toBe(pico);
});

test('every ratio counts, and what they give together is rounded once', () => {
  const half = parseRatio('0.5');
  expect(computeCharge({ counts: { input: 1 } }, flat({ input: 3 }), [half])).toBe(2n);
  expect(computeCharge({ counts: { input: 1 } }, flat({ input: 3 }), [half, half])).toBe(1n);
  expect(computeCharge({ counts: { input: 2 } }, flat({ input: 3 }), [half, half])).toBe(2n);
});

test('a kind without a price is refused, one that was not used is not missed', () => {
  expect(() => computeCharge({ counts: { output_audio: 1 } }, terms, [])).toThrow(
    'there is no price for output_audio',
  );
  expect(computeCharge({ counts: { output_audio: 0 } }, terms, [])).toBe(REQUEST);
});

test.each([[1.5], [-1], [2 ** 53], [Number.NaN]])('a count of %s is refused', (count) => {
  expect(() => computeCharge({ counts: { input: count } }, terms, [])).toThrow(RangeError);
});

test('the lines of a tier that there is not are refused', () => {
  expect(() => listPriceLines({ input: 1 }, terms, 3, 1n)).toThrow('there is no tier 3');
});

test.each([
  [0, 0],
  [100, 0],
  [101, 1],
  [1_000, 1],
  [1_001, 2],
])('a context of %i tokens is priced by tier %i', (contextLength, tier) => {
  expect(findTier(terms, contextLength)).toBe(tier);
});

interface GoldenCharge {
  readonly terms: PriceTerms;
  readonly ratios: readonly string[];
  readonly tokens: TokenCounts;
  readonly charge_pico: string;
  readonly bound: { readonly input: number; readonly output: number; readonly textOnly: boolean };
  readonly max_charge_pico: string;
}

/** Figures that gateway and billing worked out when each had a formula of its own. */
const golden = JSON.parse(
  readFileSync(new URL('./golden/charges.json', import.meta.url), 'utf8'),
) as GoldenCharge[];

test.each(golden.map((each, index) => [index, each] as const))('golden charge %i', (_index, each) => {
  const ratios = each.ratios.map(parseRatio);
  expect(computeCharge({ counts: each.tokens }, each.terms, ratios)).toBe(BigInt(each.charge_pico));
  expect(computeMaxCharge(each.bound, computeCeilings(each.terms), ratios)).toBe(
    BigInt(each.max_charge_pico),
  );
});

const anyPrices = fc
  .record(Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, fc.nat({ max: 100_000_000 })])), {
    requiredKeys: ['input', 'output'],
  })
  .map((prices) => completePrices(prices as { input: number; output: number }));

const anyTerms: fc.Arbitrary<PriceTerms> = fc.record({
  prices: anyPrices,
  tiers: fc
    .array(fc.record({ above_input_tokens: fc.integer({ min: 1, max: 900 }), prices: anyPrices }), {
      maxLength: 3,
    })
    .map((tiers) => tiers.sort((a, b) => a.above_input_tokens - b.above_input_tokens)),
  request_price: fc.nat({ max: 1_000_000 }),
});

const anyRatios = fc
  .array(fc.constantFrom('0', '0.333333333', '0.5', '1', '1.5', '12.000000001'), { maxLength: 2 })
  .map((ratios) => ratios.map(parseRatio));

const countsOf = (kinds: readonly TokenKind[]): fc.Arbitrary<TokenCounts> =>
  fc.record(Object.fromEntries(kinds.map((kind) => [kind, fc.nat({ max: 300 })])), { requiredKeys: [] });

test('no usage within its bound is charged more than the ceiling', () => {
  const isText = (kind: TokenKind) => AS_TEXT_KIND[kind] === undefined;
  const usage = fc.boolean().chain((textOnly) =>
    fc.record({
      textOnly: fc.constant(textOnly),
      tokens: countsOf(TOKEN_KINDS.filter((kind) => !textOnly || isText(kind))),
    }),
  );
  fc.assert(
    fc.property(
      usage,
      anyTerms,
      anyRatios,
      fc.nat(9),
      fc.nat(9),
      ({ tokens, textOnly }, any, ratios, more, longer) => {
        const bound = {
          input: sumTokens(tokens, INPUT_TOKEN_KINDS) + more,
          output: sumTokens(tokens, OUTPUT_TOKEN_KINDS) + longer,
          textOnly,
        };
        const charge = computeCharge({ counts: tokens }, any, ratios);
        expect(charge).toBeLessThanOrEqual(computeMaxCharge(bound, computeCeilings(any), ratios));
      },
    ),
  );
});

test('a ceiling is reached: less would not be enough', () => {
  const expensive = flat(completePrices({ input: 3, output: 10, cache_write: 7, input_audio: 9 }));
  const ceilings = computeCeilings({ ...expensive, request_price: 2 });
  expect(ceilings).toEqual({
    text: { input: 7n, output: 10n },
    every: { input: 9n, output: 10n },
    request: REQUEST,
    units: {},
    serviceTiers: {},
    regions: {},
  });
  const spent: TokenCounts = { input_audio: 5, output: 4 };
  const bound = { input: 5, output: 4, textOnly: false };
  expect(computeMaxCharge(bound, ceilings, [])).toBe(
    computeCharge({ counts: spent }, { ...expensive, request_price: 2 }, []),
  );
});

test('the lines of an explanation add up to what is listed, and that times the ratios is the charge', () => {
  fc.assert(
    fc.property(countsOf(TOKEN_KINDS), anyTerms, anyRatios, (tokens, any, ratios) => {
      const { lines, listed, chargedPico, tier } = explainCharge({ counts: tokens }, any, ratios);
      for (const { quantity, price, amountPico } of lines) expect(amountPico).toBe(quantity * price);
      expect(listed).toEqual({
        numerator: lines.reduce((sum, { amountPico }) => sum + amountPico, 0n),
        scale: 0,
      });
      expect(computeCharge({ counts: tokens }, any, [])).toBe(listed.numerator);
      expect(computeCharge({ counts: tokens }, any, ratios)).toBe(chargedPico);
      expect(listPriceLines(tokens, any, tier, 1n)).toEqual(
        lines.map(({ kind, quantity, price }) => ({ kind, quantity, price })),
      );
    }),
  );
});

test('without a ratio the parts add up to the whole', () => {
  fc.assert(
    fc.property(
      countsOf(INPUT_TOKEN_KINDS),
      countsOf(OUTPUT_TOKEN_KINDS),
      anyPrices,
      (read, written, prices) => {
        const list = flat(prices);
        expect(computeCharge({ counts: { ...read, ...written } }, list, [])).toBe(
          computeCharge({ counts: read }, list, []) + computeCharge({ counts: written }, list, []),
        );
      },
    ),
  );
});

test('the one rounding is off by at most half a pico-USD, and to even at the half', () => {
  const ratio = fc.record({
    numerator: fc.bigInt({ min: 0n, max: 10n ** 9n }),
    scale: fc.integer({ min: 0, max: 9 }),
  });
  fc.assert(
    fc.property(countsOf(TOKEN_KINDS), anyTerms, ratio, (tokens, any, by) => {
      const scale = 10n ** BigInt(by.scale);
      const charge = computeCharge({ counts: tokens }, any, [by]);
      const twiceOff = (charge * scale - computeCharge({ counts: tokens }, any, []) * by.numerator) * 2n;
      expect(twiceOff <= scale && -twiceOff <= scale).toBe(true);
      if (twiceOff === scale || -twiceOff === scale) expect(charge % 2n).toBe(0n);
    }),
  );
});

test('a region that has the name of something that every object inherits costs no more than the standard', () => {
  const ceilings = computeCeilings({ ...terms, regions: { eu: '1.1' } });
  const bound = { input: 10, output: 10, textOnly: true };
  expect(computeMaxCharge({ ...bound, region: 'constructor' }, ceilings, [])).toBe(
    computeMaxCharge(bound, ceilings, []),
  );
});
