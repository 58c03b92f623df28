import { parseRatio } from '@tollgate/money';
import {
  INPUT_TOKEN_KINDS,
  OUTPUT_TOKEN_KINDS,
  SERVICE_TIERS,
  sumTokens,
  TOKEN_KINDS,
  UNIT_KINDS,
} from '@tollgate/vocabulary';
import fc from 'fast-check';
import {
  computeCeilings,
  computeCharge,
  computeMaxCharge,
  explainCharge,
  type PricedUsage,
  type PriceTerms,
} from './price.ts';

/** 10 USD for 1,000 searches, 0.006 USD for a minute of sound. */
const terms: PriceTerms = {
  prices: { input: 3, output: 10 },
  tiers: [{ above_input_tokens: 100, prices: { input: 6, output: 20 } }],
  request_price: 2,
  unit_prices: { searches: 10_000_000_000, audio_milliseconds: 100_000 },
  service_tiers: { priority: '2', flex: '0.5' },
  regions: { us: '1.1' },
};
const REQUEST = 2_000_000n;

test.each<[string, PricedUsage, bigint]>([
  ['ten searches are 0.10 USD', { counts: { searches: 10 } }, 100_000_000_000n + REQUEST],
  ['a minute of sound is 0.006 USD', { counts: { audio_milliseconds: 60_000 } }, 6_000_000_000n + REQUEST],
  ['a tier multiplies tokens', { counts: { input: 5, output: 1 }, serviceTier: 'priority' }, 50n + REQUEST],
  ['the standard tier is the list', { counts: { input: 5 }, serviceTier: 'standard' }, 15n + REQUEST],
  ['a region multiplies tokens', { counts: { input: 10 }, region: 'us' }, 33n + REQUEST],
  [
    'a tier and a region together, rounded once, half to even',
    { counts: { input: 5 }, serviceTier: 'flex', region: 'us' },
    8n + REQUEST,
  ],
  [
    'neither changes what a search costs',
    { counts: { input: 5, searches: 1 }, serviceTier: 'priority', region: 'us' },
    33n + 10_000_000_000n + REQUEST,
  ],
  [
    'units do not lengthen the context',
    { counts: { input: 100, searches: 500 } },
    300n + 5_000_000_000_000n + REQUEST,
  ],
  [
    'a second model of a request does not pay for the request again',
    { counts: { input: 5 }, isRequest: false },
    15n,
  ],
])('%s', (_case, usage, pico) => {
  expect(computeCharge(usage, terms, [])).toBe(pico);
});

test.each<[string, PricedUsage]>([
  ['there is no price for images', { counts: { images: 1 } }],
  ['there is no price for the service tier batch', { counts: {}, serviceTier: 'batch' }],
  ['there is no price for the region eu', { counts: {}, region: 'eu' }],
  ['there is no price for the region constructor', { counts: {}, region: 'constructor' }],
])('%s: it is refused, not guessed', (message, usage) => {
  expect(() => computeCharge(usage, terms, [])).toThrow(message);
});

test('a unit that was not used needs no price', () => {
  expect(computeCharge({ counts: { images: 0 } }, terms, [])).toBe(REQUEST);
});

const anyTokenRatio = fc.constantFrom('0', '0.333', '0.5', '1', '1.1', '2', '6');
const anyTerms: fc.Arbitrary<PriceTerms> = fc.record({
  prices: fc.record(Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, fc.nat(100_000_000)]))),
  tiers: fc.constant([]),
  request_price: fc.nat(1_000_000),
  unit_prices: fc.record(Object.fromEntries(UNIT_KINDS.map((kind) => [kind, fc.nat(100_000_000)]))),
  service_tiers: fc.record(
    Object.fromEntries(
      SERVICE_TIERS.filter((tier) => tier !== 'standard').map((tier) => [tier, anyTokenRatio]),
    ),
  ),
  regions: fc.record({ us: anyTokenRatio }),
});
const anyUsage: fc.Arbitrary<PricedUsage> = fc.record({
  counts: fc.record(Object.fromEntries([...TOKEN_KINDS, ...UNIT_KINDS].map((kind) => [kind, fc.nat(300)])), {
    requiredKeys: [],
  }),
  serviceTier: fc.constantFrom(...SERVICE_TIERS),
  region: fc.constantFrom(undefined, 'us'),
});
const anyRatios = fc
  .array(fc.constantFrom('0', '0.333333333', '0.5', '1', '1.5'), { maxLength: 2 })
  .map((ratios) => ratios.map(parseRatio));

test('what was held for its units and its tier is enough for any usage within it', () => {
  fc.assert(
    fc.property(anyUsage, anyTerms, anyRatios, fc.nat(3), (usage, any, ratios, more) => {
      const { counts, serviceTier = 'standard', region } = usage;
      const bound = {
        input: sumTokens(counts, INPUT_TOKEN_KINDS) + more,
        output: sumTokens(counts, OUTPUT_TOKEN_KINDS),
        textOnly: false,
        units: Object.fromEntries(UNIT_KINDS.map((kind) => [kind, (counts[kind] ?? 0) + more])),
        serviceTiers: [serviceTier],
        region,
      };
      expect(computeCharge(usage, any, ratios)).toBeLessThanOrEqual(
        computeMaxCharge(bound, computeCeilings(any), ratios),
      );
    }),
  );
});

test('a hold reaches its charge: less would not be enough', () => {
  const usage: PricedUsage = { counts: { input: 7, searches: 3 }, serviceTier: 'priority', region: 'us' };
  const flat = { ...terms, tiers: [] };
  const bound = { input: 7, output: 0, textOnly: true, units: { searches: 3 }, region: 'us' };
  expect(computeMaxCharge({ ...bound, serviceTiers: ['flex', 'priority'] }, computeCeilings(flat), [])).toBe(
    computeCharge(usage, flat, []),
  );
});

test('a cheaper tier holds no less than the standard one: an answer may come in that', () => {
  const bound = { input: 10, output: 0, textOnly: true };
  const ceilings = computeCeilings(terms);
  expect(computeMaxCharge({ ...bound, serviceTiers: ['flex'] }, ceilings, [])).toBe(
    computeMaxCharge(bound, ceilings, []),
  );
});

test('an explanation gives the ratio of the tokens apart', () => {
  const { lines, listed, tokenRatio, chargedPico } = explainCharge(
    { counts: { input: 5, searches: 1 }, serviceTier: 'priority' },
    terms,
    [parseRatio('0.5')],
  );
  expect(lines).toEqual([
    { kind: 'input', quantity: 5n, price: 3n, amountPico: 15n },
    { kind: 'searches', quantity: 1n, price: 10_000_000_000n, amountPico: 10_000_000_000n },
    { kind: 'request', quantity: 1n, price: REQUEST, amountPico: REQUEST },
  ]);
  expect(listed).toEqual({ numerator: 30n + 10_000_000_000n + REQUEST, scale: 0 });
  expect(tokenRatio).toEqual({ numerator: 2n, scale: 0 });
  expect(chargedPico).toBe((30n + 10_000_000_000n + REQUEST) / 2n);
});

test('a tier and a region that are free cost no more than the standard, whatever ratio stands beside them', () => {
  const features = { service_tier: 'free', speed: 'free', inference_geo: 'free' } as const;
  const usage = { counts: { input: 5, output: 1 }, serviceTier: 'priority', region: 'us' } as const;
  expect(computeCharge(usage, { ...terms, features }, [])).toBe(25n + REQUEST);
  expect(computeCharge(usage, terms, [])).toBe(55n + REQUEST);
});
