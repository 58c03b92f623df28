import { type Catalogue, STRATEGIES } from '@tollgate/catalogue';
import { CLIENT_PROTOCOLS, TOKEN_KINDS } from '@tollgate/vocabulary';
import fc from 'fast-check';

const NAMES = ['a', 'b', 'c.1', 'd/e', 'f~g', 'h~1'];
const name = fc.constantFrom(...NAMES);
const price = fc.nat(3);
const ratio = fc.constantFrom('1', '0.85', '2');
const text = fc.constantFrom('', 'text');
const limits = fc.record(
  { requests_per_minute: fc.option(fc.integer({ min: 1, max: 3 })), tokens_per_minute: fc.constant(9) },
  { requiredKeys: [] },
);
const prices = fc.record(
  Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, price])) as Record<
    (typeof TOKEN_KINDS)[number],
    typeof price
  >,
);
const priceList = {
  prices,
  tiers: fc.array(fc.record({ above_input_tokens: fc.integer({ min: 1, max: 3 }), prices }), {
    maxLength: 2,
  }),
  request_price: price,
  unit_prices: fc.record({ searches: price, pages: price }, { requiredKeys: [] }),
  service_tiers: fc.record({ priority: ratio, flex: ratio }, { requiredKeys: [] }),
  regions: fc.dictionary(name, ratio, { maxKeys: 2 }),
};
const named = <T extends { readonly name: string }>(entry: fc.Arbitrary<T>) =>
  fc.uniqueArray(entry, { selector: (each) => each.name, maxLength: 4 });

/** Catalogues that are well formed and whose names stand once; they need not refer to what is there. */
export const arbitraryCatalogue: fc.Arbitrary<Catalogue> = fc.record({
  vendors: named(fc.record({ name, description: text, icon: text })),
  models: named(
    fc.record({
      name,
      vendor: name,
      description: text,
      tags: fc.array(text, { maxLength: 2 }),
      ...priceList,
      context_window: fc.option(fc.constant(5)),
      max_output_tokens: fc.constant(null),
      limits,
    }),
  ),
  groups: named(
    fc.record({
      name,
      description: text,
      ratio,
      models: fc.array(name, { maxLength: 2 }),
      limits,
      fallbacks: fc.dictionary(name, fc.array(name, { minLength: 1, maxLength: 2 }), { maxKeys: 2 }),
      required_tags: fc.array(name, { maxLength: 2 }),
    }),
  ),
  upstreams: named(
    fc.record({
      name,
      base_url: fc.constant('https://upstream.example'),
      protocols: fc.subarray([...CLIENT_PROTOCOLS], { minLength: 1 }),
      credentials: fc.array(
        fc.record({
          name,
          sealed: fc.constantFrom('sealed-1', 'sealed-2'),
          weight: fc.integer({ min: 1, max: 2 }),
          limits,
        }),
        { maxLength: 2 },
      ),
      tags: fc.array(name, { maxLength: 2 }),
      set_headers: fc.dictionary(fc.constantFrom('x-a', 'x-b'), text, { maxKeys: 1 }),
      set_parameters: fc.dictionary(fc.constantFrom('a', 'b~/c'), fc.nat(2), { maxKeys: 2 }),
      allow_private_addresses: fc.boolean(),
      limits,
      probe_interval_s: fc.option(fc.constant(5)),
      total_timeout_ms: fc.constant(1),
      connect_timeout_ms: fc.constant(1),
      first_byte_timeout_ms: fc.constant(1),
      idle_timeout_ms: fc.constant(1),
      costs: fc.dictionary(name, fc.record(priceList), { maxKeys: 2 }),
      cost_ratio: fc.option(ratio),
    }),
  ),
  pools: named(
    fc.record({
      name,
      groups: fc.constant(['*']),
      models: fc.subarray(NAMES, { minLength: 1 }),
      members: fc.constant([{ upstream: 'a', priority: 0, weight: 1, model_map: {}, cost_ratio: null }]),
      strategy: fc.constantFrom(...STRATEGIES),
      attempts: fc.constant(3),
      retry_percent: fc.constantFrom(0, 20),
      hedge: fc.boolean(),
    }),
  ),
  discounts: fc
    .uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 })
    .chain((accounts) =>
      fc.tuple(
        ...accounts.map((account) =>
          fc.array(
            fc.record({
              account_id: fc.constant(`0198f1c2-7d1e-7000-8000-00000000000${account}`),
              models: fc.subarray(NAMES, { minLength: 1 }),
              ratio,
            }),
            { minLength: 1, maxLength: 2 },
          ),
        ),
      ),
    )
    .map((each) => each.flat()),
  auto_groups: fc.uniqueArray(name, { maxLength: 3 }),
  limits: fc.record({
    client: limits,
    key: limits,
    route: fc.record({ 'openai-chat': limits, gemini: limits }, { requiredKeys: [] }),
  }),
});
