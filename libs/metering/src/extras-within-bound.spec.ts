import type { BilledExtras, ExtrasBound } from '@tollgate/protocols';
import { SERVICE_TIERS, UNIT_KINDS } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { type ChargeableExtras, extrasWithinBound } from './extras-within-bound.ts';

const asked: ExtrasBound = { units: { searches: 3 }, serviceTiers: ['priority'], region: 'us' };
const NONE: ChargeableExtras = {
  serviceTier: undefined,
  region: undefined,
  units: {},
  others: [],
  counted: [],
  beyond: false,
};

test.each<[string, BilledExtras | undefined, ExtrasBound | undefined, Partial<ChargeableExtras>]>([
  ['an answer that says nothing', undefined, asked, {}],
  [
    'what was asked for',
    { serviceTier: 'priority', region: 'us' },
    asked,
    { serviceTier: 'priority', region: 'us' },
  ],
  ['as many searches as were held', { units: { searches: 3 } }, asked, { units: { searches: 3 } }],
  ['more searches', { units: { searches: 4 } }, asked, { units: { searches: 3 }, beyond: true }],
  ['a unit that nobody asked for', { units: { fetches: 1 } }, asked, { beyond: true }],
  ['a tier that nobody asked for', { serviceTier: 'priority' }, undefined, { beyond: true }],
  ['another tier', { serviceTier: 'fast' }, asked, { beyond: true }],
  ['a tier that nobody knows', { unknownTier: 'warp' }, asked, { beyond: true }],
  ['a region that nobody asked for', { region: 'eu' }, asked, { beyond: true }],
  ['pictures of a model that draws itself', { pictures: 2 }, asked, {}],
  ['a second model', { others: [{ model: 'x', counts: { output_image: 1 } }] }, asked, { beyond: true }],
])('%s', (_what, extras, bound, expected) => {
  expect(extrasWithinBound(extras, bound, new Set())).toEqual({ ...NONE, ...expected });
});

test('what is free is never beyond what was asked for', () => {
  const free = new Set(['service_tier', 'inference_geo', 'image_generation'] as const);
  const extras = { serviceTier: 'flex', region: 'eu', others: [{ model: undefined, counts: {} }] } as const;
  expect(extrasWithinBound(extras, undefined, free)).toEqual({ ...NONE, serviceTier: 'flex', region: 'eu' });
  expect(extrasWithinBound({ unknownTier: 'warp' }, undefined, free)).toEqual(NONE);
});

test('whatever is reported, nothing is charged that was not asked for', () => {
  const counts = fc.record(
    Object.fromEntries(UNIT_KINDS.map((kind) => [kind, fc.oneof(fc.nat(9), fc.constant(2 ** 53 - 1))])),
    { requiredKeys: [] },
  );
  const extras = fc.record(
    {
      serviceTier: fc.constantFrom(...SERVICE_TIERS.filter((tier) => tier !== 'standard')),
      region: fc.constantFrom('us', 'eu'),
      units: counts,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(extras, counts, fc.subarray([...SERVICE_TIERS]), (reported, units, serviceTiers) => {
      const {
        serviceTier,
        region,
        units: charged,
      } = extrasWithinBound(reported, { units, serviceTiers, region: 'us' }, new Set());
      for (const kind of UNIT_KINDS) expect(charged[kind] ?? 0).toBeLessThanOrEqual(units[kind] ?? 0);
      if (serviceTier !== undefined) expect(serviceTiers).toContain(serviceTier);
      expect(['us', undefined]).toContain(region);
    }),
  );
});
