import { type Catalogue, groupSchema, type PriceSnapshot, priceSnapshotSchema } from '@tollgate/catalogue';
import { TOKEN_KINDS, type TokenCounts } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { snapshotWith } from '../../testing/usage-events.ts';
import { rateUsage } from '../usage/posting.ts';
import { raterFor } from './rater.ts';

const ACCOUNTS = [1, 2, 3].map((n) => `0198f1c2-7d1e-7000-8000-00000000000${n}`);
const account = fc.constantFrom(...ACCOUNTS);
const name = fc.constantFrom('a', 'b', 'c');
const ratio = fc.constantFrom('1', '0.85', '0.333333333', '0');
const price = fc.nat(1_000_000);
const prices = fc.record(
  Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, price])) as Record<
    (typeof TOKEN_KINDS)[number],
    typeof price
  >,
);
const base = snapshotWith({}, '1');
const [model] = base.catalogue.models;
if (!model) throw new Error('the snapshot has a model');

const snapshots: fc.Arbitrary<PriceSnapshot> = fc
  .record({
    models: fc.uniqueArray(
      fc.record({
        name,
        prices,
        tiers: fc.array(fc.record({ above_input_tokens: fc.constant(50), prices }), { maxLength: 1 }),
        request_price: price,
      }),
      { selector: (each) => each.name },
    ),
    groups: fc.uniqueArray(fc.record({ name, ratio }), { selector: (each) => each.name }),
    discounts: fc.array(
      fc.record({ account_id: account, models: fc.subarray(['a', 'b', '*'], { minLength: 1 }), ratio }),
      { maxLength: 6 },
    ),
  })
  .map(({ models, groups, discounts }) => {
    const catalogue: Catalogue = {
      ...base.catalogue,
      models: models.map((each) => ({ ...model, ...each })),
      groups: groups.map((each) => groupSchema.parse({ models: ['*'], ...each })),
      discounts,
    };
    return { ...base, catalogue };
  });
const tokens: fc.Arbitrary<TokenCounts> = fc.record(
  Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, fc.nat(100)])),
  { requiredKeys: [] },
);
const usage = fc
  .record({
    accountId: account,
    group: name,
    model: name,
    version: fc.constant(1),
    tokens,
    second: fc.option(name),
  })
  .map(({ tokens: counts, second, ...rest }) => ({
    ...rest,
    lines: [{ model: rest.model, counts }, ...(second === null ? [] : [{ model: second, counts }])],
  }));

test('whatever was rated before, a request is rated as posting does, and not at all where posting refuses', () => {
  fc.assert(
    fc.property(snapshots, fc.array(usage, { minLength: 1, maxLength: 30 }), (snapshot, requests) => {
      const rater = raterFor(snapshot);
      for (const request of requests) {
        const { accountId: account_id, ...rest } = request;
        const posted = rateUsage(
          { account_id, pool: 'main', upstream: 'east', upstream_model: 'm', ...rest },
          snapshot,
        );
        expect(rater(request)).toBe(posted.ok ? posted.value.costPico : null);
      }
    }),
  );
});

test('a version from before there were units and kinds of cached input rates what it had prices of, and nothing else', () => {
  const former = structuredClone(snapshotWith({ input: 10, cache_read: 3, output: 20 }, '0.5'));
  const [ofThen] = former.catalogue.models;
  for (const kind of ['cache_read_audio', 'cache_read_image'])
    Reflect.deleteProperty(ofThen?.prices ?? {}, kind);
  expect(ofThen).not.toHaveProperty('unit_prices');
  const rater = raterFor(priceSnapshotSchema.parse(JSON.parse(JSON.stringify(former))));
  const rate = (...lines: Parameters<typeof rater>[0]['lines']) =>
    rater({ accountId: ACCOUNTS[0] ?? '', group: 'default', model: 'm', version: 1, lines });
  // What is read from a cache costs that, whatever it is.
  expect(rate({ model: 'm', counts: { input: 2, cache_read_audio: 4, cache_read_image: 2 } })).toBe(19n);
  expect(rate({ model: 'm', counts: { input: 2, searches: 1 } })).toBeNull();
  expect(rate({ model: 'm', counts: { input: 2 }, service_tier: 'priority' })).toBeNull();
  expect(rate({ model: 'm', counts: { input: 2 } }, { model: 'drawing', counts: { input: 1 } })).toBeNull();
});
