import { modelSchema, type PriceSnapshot } from '@tollgate/catalogue';
import type { UsageLine } from '@tollgate/contracts';
import { type Counts, SERVICE_TIERS, TOKEN_KINDS, UNIT_KINDS } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { type EventFields, snapshotWith } from './usage-events.ts';

const OTHER_TIERS = SERVICE_TIERS.filter((tier) => tier !== 'standard');

/**
 * Two models with a price for everything, a third that gives its searches away and has no price for the rest, and a fourth that
 * gives tiers and regions away.
 */
export function snapshotOfUnits(): PriceSnapshot {
  const snapshot = snapshotWith({}, '0.333333333');
  const prices = (first: number) => Object.fromEntries(TOKEN_KINDS.map((kind, n) => [kind, first + n * 7]));
  const priced = (name: string, first: number) =>
    modelSchema.parse({
      name,
      vendor: 'acme',
      prices: prices(first),
      tiers: [{ above_input_tokens: 500, prices: prices(first * 2) }],
      request_price: 3,
      unit_prices: Object.fromEntries(UNIT_KINDS.map((kind, n) => [kind, 1_000 + n])),
      service_tiers: Object.fromEntries(OTHER_TIERS.map((tier, n) => [tier, `${n}.333`])),
      regions: { us: '1.1', eu: '0.875' },
    });
  snapshot.catalogue.models = [
    priced('m', 101),
    priced('drawing', 1_009),
    modelSchema.parse({
      name: 'plain',
      vendor: 'acme',
      prices: prices(11),
      features: { web_search: 'free' },
    }),
    modelSchema.parse({
      name: 'given',
      vendor: 'acme',
      prices: prices(13),
      features: { service_tier: 'free', inference_geo: 'free' },
    }),
  ];
  return snapshot;
}

const counts: fc.Arbitrary<Counts> = fc.record(
  Object.fromEntries([...TOKEN_KINDS, ...UNIT_KINDS].map((kind) => [kind, fc.nat(200)])),
  { requiredKeys: [] },
);
const line = (model: fc.Arbitrary<string>): fc.Arbitrary<UsageLine> =>
  fc
    .record({
      model,
      counts,
      service_tier: fc.option(fc.constantFrom(...SERVICE_TIERS)),
      region: fc.option(fc.constantFrom('us', 'eu', 'mars')),
    })
    .map(({ service_tier, region, ...rest }) => ({
      ...rest,
      ...(service_tier === null ? {} : { service_tier }),
      ...(region === null ? {} : { region }),
    }));

const bound = fc.record({
  input: fc.nat(2_000),
  output: fc.nat(1_000),
  text_only: fc.boolean(),
  units: fc.record(Object.fromEntries(UNIT_KINDS.map((kind) => [kind, fc.nat(200)])), { requiredKeys: [] }),
  service_tiers: fc.subarray([...SERVICE_TIERS]),
});

/** What a request may come with: every kind, tier and region, and other models beside its own. */
export const anyUsage: fc.Arbitrary<EventFields> = fc
  .tuple(
    fc.constantFrom('m', 'drawing', 'plain'),
    line(fc.constant('')),
    fc.array(line(fc.constantFrom('m', 'drawing', 'plain', 'unheard-of')), { maxLength: 3 }),
    fc.option(bound),
  )
  .map(([model, first, others, held]) => ({
    model,
    lines: [{ ...first, model }, ...others],
    ...(held === null ? {} : { bound: held }),
  }));
