import {
  type Catalogue,
  computeCharge,
  findRatios,
  groupSchema,
  modelSchema,
  poolSchema,
  upstreamSchema,
} from '@tollgate/catalogue';
import type { KeyRecord } from '@tollgate/contracts';
import { extrasWithinBound, withinBound } from '@tollgate/metering';
import { parseRatio } from '@tollgate/money';
import { type BilledExtras, boundExtras, type ExplicitOutput, type JsonObject } from '@tollgate/protocols';
import { TOKEN_KINDS, type TokenKind } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { keyRecord } from '../../testing/keys.ts';
import { priceSnapshot } from '../../testing/price-snapshot.ts';
import { buildRoutingTable, type RoutingTable } from '../route/routing-table.ts';
import { createUpstreamClients } from '../upstreams/upstream-clients.ts';
import { calendarDay } from './calendar-day.ts';
import { reserve } from './reserve.ts';

const { account_id: ACCOUNT, key_id: KEY } = keyRecord();

type Model = Catalogue['models'][0];
const pricesOf = (of: Partial<Record<TokenKind, number>>): Model['prices'] =>
  Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, of[kind] ?? 0])) as Model['prices'];

const modelOf = (name: string, of: Partial<Model>): Model => ({
  ...modelSchema.parse({ name, vendor: 'v', prices: pricesOf({}), max_output_tokens: 1_000 }),
  ...of,
});

function tableWith(
  of: Partial<Model>,
  terms: {
    ratio?: string;
    discounts?: Catalogue['discounts'];
    /** The fallback of the first model. */
    fallback?: Partial<Model>;
    /** A model that draws for the first one. */
    drawing?: Partial<Model>;
    set_parameters?: Catalogue['upstreams'][0]['set_parameters'];
    protocols?: Catalogue['upstreams'][0]['protocols'];
  } = {},
): RoutingTable {
  const snapshot = priceSnapshot({
    models: [
      modelOf('m', of),
      ...(terms.fallback ? [modelOf('spare', { ...of, ...terms.fallback })] : []),
      ...(terms.drawing ? [modelOf('drawing', terms.drawing)] : []),
    ],
    groups: [
      groupSchema.parse({
        name: 'g',
        ratio: terms.ratio ?? '1',
        models: ['*'],
        fallbacks: { m: ['gone', 'spare'] },
      }),
    ],
    upstreams: [
      upstreamSchema.parse({
        name: 'u',
        base_url: 'https://u.example',
        protocols: terms.protocols ?? ['openai-chat'],
        set_parameters: terms.set_parameters ?? {},
      }),
    ],
    pools: [poolSchema.parse({ name: 'p', groups: ['*'], models: ['*'], members: [{ upstream: 'u' }] })],
    discounts: terms.discounts ?? [],
  });
  const clients = createUpstreamClients(Buffer.alloc(32));
  return buildRoutingTable(snapshot, clients.update(snapshot.catalogue.upstreams));
}

const stating = (of: Partial<ExplicitOutput>): ExplicitOutput => ({
  limit: null,
  raisedTo: 0,
  beside: 0,
  answers: 1,
  ...of,
});

const request = (of: Partial<Parameters<typeof reserve>[1]> = {}): Parameters<typeof reserve>[1] => ({
  requestId: 'req_1',
  arrivedAt: Date.parse('2026-11-21T23:30:00Z'),
  key: keyRecord(),
  model: 'm',
  protocol: 'openai-chat',
  output: stating({}),
  bound: () => ({ input: 100, textOnly: false }),
  extras: () => undefined,
  ...of,
});

const priced = { prices: pricesOf({ input: 2_000_000, output: 10_000_000 }) };

test.each<
  [string, Partial<Model>, Parameters<typeof tableWith>[1], Partial<Parameters<typeof reserve>[1]>, number]
>([
  ['the stated maximum', priced, {}, { output: stating({ limit: 50 }) }, 200 + 500],
  ['else what the model can answer', priced, {}, {}, 200 + 10_000],
  ['else what is asked of upstreams', { ...priced, max_output_tokens: null }, {}, {}, 200 + 81_920],
  ['every answer that is asked for', priced, {}, { output: stating({ answers: 3 }) }, 200 + 30_000],
  ['a budget above the maximum', priced, {}, { output: stating({ limit: 50, raisedTo: 70 }) }, 200 + 700],
  ['what comes beside the maximum', priced, {}, { output: stating({ limit: 50, beside: 5 }) }, 200 + 550],
  [
    'no more than the catalogue says the model writes',
    { ...priced, context_window: 2_000 },
    {},
    { output: stating({ limit: 9_000_000 }) },
    200 + 10_000,
  ],
  [
    'no more than the model can have',
    { ...priced, max_output_tokens: null, context_window: 20_000 },
    {},
    { output: stating({ limit: 9_000_000 }) },
    200 + 200_000,
  ],
  ['a low limit', priced, {}, { output: stating({ limit: 5 }) }, 200 + 50],
  [
    'the least that a format takes that the caller does not speak',
    priced,
    { protocols: ['openai-responses'] },
    { output: stating({ limit: 5 }) },
    200 + 160,
  ],
  [
    'a low limit as it is where it passes unchanged',
    priced,
    { protocols: ['openai-chat', 'openai-responses'] },
    { output: stating({ limit: 5 }) },
    200 + 50,
  ],
  ['the price of the request', { request_price: 7_000 }, {}, {}, 7_000],
  [
    'the most expensive kind of each side',
    {
      prices: pricesOf({
        input: 1_000_000,
        cache_write_1h: 3_000_000,
        output: 1_000_000,
        output_audio: 9_000_000,
      }),
    },
    {},
    {},
    300 + 9_000,
  ],
  [
    'of text alone, the most expensive kind of text',
    {
      prices: pricesOf({
        input: 1_000_000,
        input_audio: 40_000_000,
        cache_write_1h: 3_000_000,
        output: 1_000_000,
        output_audio: 80_000_000,
      }),
    },
    {},
    { bound: () => ({ input: 100, textOnly: true }) },
    300 + 1_000,
  ],
  [
    'pictures where the model draws unasked',
    { prices: pricesOf({ input: 1_000_000, output: 1_000_000, output_image: 30_000_000 }) },
    {},
    { bound: () => ({ input: 100, textOnly: true }) },
    100 + 30_000,
  ],
  [
    'the most expensive tier',
    {
      ...priced,
      tiers: [{ above_input_tokens: 10, prices: pricesOf({ input: 4_000_000, output: 5_000_000 }) }],
    },
    {},
    {},
    400 + 10_000,
  ],
  ['the ratio of the group', priced, { ratio: '0.5' }, {}, 5_100],
  [
    'the discount of the account',
    priced,
    {
      ratio: '2',
      discounts: [
        { account_id: KEY, models: ['*'], ratio: '0.1' },
        { account_id: ACCOUNT, models: ['other'], ratio: '0.2' },
        { account_id: ACCOUNT, models: ['m'], ratio: '0.25' },
        { account_id: ACCOUNT, models: ['*'], ratio: '0.3' },
      ],
    },
    {},
    5_100,
  ],
  ['a fraction of a micro-USD as a whole one', { request_price: 3 }, { ratio: '0.5' }, {}, 2],
])('what is held counts %s', (_name, model, terms, of, expected) => {
  expect(reserve(tableWith(model, terms), request(of))?.hold?.amount).toBe(expected);
});

test.each([
  ['a model that draws unasked', 30_000_000, false],
  ['a model whose pictures cost what its words do', 1_000_000, true],
])('only text may be charged of text alone, but for %s', (_what, output_image, textOnly) => {
  const prices = pricesOf({ input: 1_000_000, output: 1_000_000, output_image });
  const reservation = reserve(
    tableWith({ prices }),
    request({ bound: () => ({ input: 100, textOnly: true }) }),
  );
  expect(reservation?.boundOf('m').textOnly).toBe(textOnly);
});

test('the catalogue’s context window bounds the input', () => {
  const seen: unknown[] = [];
  const bound = (window: number | null) => {
    seen.push(window);
    return { input: 1, textOnly: false };
  };
  reserve(tableWith({ ...priced, context_window: 5 }), request({ bound }));
  expect(seen).toEqual([5]);
});

test.each<[string, Partial<KeyRecord>, string[]]>([
  ['an account with credit', {}, [`account:${ACCOUNT}`]],
  ['budgets of the key alone', { credit_limited: false, budgets: ['total'] }, [`key:${KEY}:total`]],
  [
    'everything, by the calendar of the account',
    { budgets: ['total', 'daily', 'monthly'], time_zone: 'Asia/Tokyo' },
    [`account:${ACCOUNT}`, `key:${KEY}:total`, `key:${KEY}:2026-11-22`, `key:${KEY}:2026-11`],
  ],
])('a request spends from %s', (_name, of, scopes) => {
  expect(reserve(tableWith(priced), request({ key: keyRecord(of) }))?.hold?.scopes).toEqual(scopes);
});

test.each<[string, Partial<Model>, Partial<Parameters<typeof reserve>[1]>]>([
  ['keys that nothing limits', priced, { key: keyRecord({ credit_limited: false }) }],
  ['models that cost nothing', {}, {}],
  ['models that there are not', priced, { model: 'nothing' }],
  ['groups that there are not', priced, { key: keyRecord({ group: 'gone' }) }],
])('nothing is held for %s', (_name, model, of) => {
  expect(reserve(tableWith(model), request(of))?.hold).toBeUndefined();
});

const anyPrices = fc
  .tuple(...TOKEN_KINDS.map(() => fc.integer({ min: 0, max: 100_000_000 })))
  .map((prices) =>
    pricesOf(Object.fromEntries(TOKEN_KINDS.map((kind, index) => [kind, prices[index] ?? 0]))),
  );

test('no usage within the bounds costs more than what was held, at any prices', () => {
  fc.assert(
    fc.property(
      anyPrices,
      fc.array(fc.tuple(fc.integer({ min: 1, max: 900 }), anyPrices), { maxLength: 3 }),
      fc.integer({ min: 0, max: 1_000_000 }),
      fc.constantFrom('0', '0.333333333', '1', '1.5'),
      fc.array(fc.integer({ min: 0, max: 100 }), {
        minLength: TOKEN_KINDS.length,
        maxLength: TOKEN_KINDS.length,
      }),
      (prices, tiers, request_price, ratio, counts) => {
        const model = {
          prices,
          request_price,
          tiers: tiers
            .sort(([a], [b]) => a - b)
            .map(([above_input_tokens, each]) => ({ above_input_tokens, prices: each })),
        };
        const table = tableWith(model, {
          ratio: '0.9',
          discounts: [{ account_id: ACCOUNT, models: ['*'], ratio }],
        });
        const tokens = Object.fromEntries(TOKEN_KINDS.map((kind, index) => [kind, counts[index] ?? 0]));
        const sum = (output: boolean) =>
          Object.entries(tokens).reduce(
            (all, [kind, n]) => (kind.startsWith('output') === output ? all + n : all),
            0,
          );
        const reservation = reserve(
          table,
          request({
            output: stating({ limit: sum(true) }),
            bound: () => ({ input: sum(false), textOnly: false }),
          }),
        );
        const group = table.groups.get('g');
        const routed = group?.models.get('m');
        if (!group || !routed) throw new Error('the table lacks what it was made of');
        const cost = computeCharge(
          { counts: tokens },
          routed.model,
          findRatios(group.ratio, table.discounts, ACCOUNT, 'm'),
        );
        expect(BigInt(reservation?.hold?.amount ?? 0) * 1_000_000n).toBeGreaterThanOrEqual(cost);
        const settled = BigInt(reservation?.costOf([{ model: 'm', counts: tokens }]) ?? 0) * 1_000_000n;
        expect(settled - cost).toBeGreaterThanOrEqual(0n);
        expect(settled - cost).toBeLessThan(1_000_000n);
      },
    ),
  );
});

test('whatever an upstream reports, what is charged is not more than what was held', () => {
  const reportable = fc.oneof(fc.integer({ min: 0, max: 500 }), fc.constantFrom(0, 5_000_000, 2 ** 53 - 1));
  fc.assert(
    fc.property(
      anyPrices,
      fc.dictionary(fc.constantFrom(...TOKEN_KINDS), reportable),
      fc.boolean(),
      fc.constantFrom('0', '0.333333333', '1', '1.5'),
      (prices, reported, textOnly, ratio) => {
        const table = tableWith({ prices }, { ratio });
        const output = stating({ limit: 50, answers: 2 });
        const reservation = reserve(table, request({ output, bound: () => ({ input: 100, textOnly }) }));
        const routed = table.groups.get('g')?.models.get('m');
        if (!reservation || !routed) throw new Error('the table lacks what it was made of');
        const { tokens } = withinBound(reported, reservation.boundOf('m'));
        const charged = computeCharge(
          { counts: tokens },
          routed.model,
          findRatios(parseRatio(ratio), table.discounts, ACCOUNT, 'm'),
        );
        expect(charged).toBeLessThanOrEqual(BigInt(reservation.hold?.amount ?? 0) * 1_000_000n);
      },
    ),
  );
});

test('the hold covers the most expensive of a model and its fallbacks, and the one that answered is paid', () => {
  const dear = { prices: pricesOf({ input: 5_000_000, output: 20_000_000 }) };
  const cheap = { prices: pricesOf({ input: 1_000_000, output: 1_000_000 }) };
  for (const [fallback, amount] of [
    [dear, 500 + 1_000],
    [cheap, 200 + 500],
  ] as const) {
    const reservation = reserve(tableWith(priced, { fallback }), request({ output: stating({ limit: 50 }) }));
    expect(reservation?.hold?.amount).toBe(amount);
    const used = { input: 100, output: 50 };
    expect(reservation?.costOf([{ model: 'm', counts: used }])).toBe(700);
    expect(reservation?.costOf([{ model: 'spare', counts: used }])).toBe(fallback === dear ? 1_500 : 150);
  }
});

test.each([
  [10, 20],
  [11, 44],
])('a tier above 10 tokens of input is paid for %s of them as billing posts it', (input, cost) => {
  const tiers = [{ above_input_tokens: 10, prices: pricesOf({ input: 4_000_000 }) }];
  const reservation = reserve(tableWith({ prices: pricesOf({ input: 2_000_000 }), tiers }), request());
  expect(reservation?.costOf([{ model: 'm', counts: { input } }])).toBe(cost);
});

test('a free model whose fallback costs something is held for', () => {
  const table = tableWith({ prices: pricesOf({}) }, { fallback: priced });
  expect(reserve(table, request({ output: stating({ limit: 50 }) }))?.hold?.amount).toBe(700);
});

test.each([
  [{ max_tokens: 500 }, 200 + 5_000],
  [{ max_tokens: 10 }, 200 + 500],
  [{ max_completion_tokens: null }, 200 + 10_000],
])('an upstream that is told %j may write that much: %i is held', (set_parameters, amount) => {
  const table = tableWith(priced, { set_parameters });
  expect(reserve(table, request({ output: stating({ limit: 50 }) }))?.hold?.amount).toBe(amount);
});

test.each([
  ['UTC', '2026-11-21T23:59:59.999Z', '2026-11-21'],
  ['Europe/Berlin', '2026-11-21T23:00:00.000Z', '2026-11-22'],
  ['America/Los_Angeles', '2026-12-01T07:59:59.000Z', '2026-11-30'],
  ['No/Such_Zone', '2026-11-21T23:59:59.999Z', '2026-11-21'],
])('in %s the day of %s is %s', (zone, at, day) => {
  expect(calendarDay(zone, Date.parse(at))).toBe(day);
});

const SOLD = {
  prices: pricesOf({ input: 2_000_000, output: 10_000_000 }),
  unit_prices: { searches: 10_000_000_000, fetches: 1_000_000_000 },
  service_tiers: { priority: '2', fast: '6', flex: '0.5' },
  regions: { us: '1.1' },
  features: {
    web_search: 'priced',
    web_fetch: 'priced',
    service_tier: 'priced',
    speed: 'priced',
    inference_geo: 'priced',
  },
} as const satisfies Partial<Model>;

/** 100 tokens of input at 2 and 1,000 of output at 10 micro-USD. */
const PLAIN = 10_200;

test.each<[string, JsonObject, number]>([
  ['nothing', {}, PLAIN],
  ['a tier twice as expensive', { service_tier: 'priority' }, 2 * PLAIN],
  ['a cheaper tier: an answer may come in the standard one', { service_tier: 'flex' }, PLAIN],
  ['searches as often as they may run', { tools: [search(3)] }, PLAIN + 3 * 10_000],
  ['searches without a limit: 20', { tools: [search()] }, PLAIN + 20 * 10_000],
  ['a region and speed', { inference_geo: 'us', speed: 'fast' }, 1.1 * 6 * PLAIN],
])('beside tokens, %s is held', (_what, body, amount) => {
  const extras: Parameters<typeof reserve>[1]['extras'] = (served) =>
    boundExtras('anthropic-messages', body, served);
  const reservation = reserve(tableWith(SOLD), request({ extras }));
  expect(reservation?.hold?.amount).toBe(Math.round(amount));
});

const DRAWS = {
  prices: pricesOf({ input: 2_000_000, output: 10_000_000 }),
  features: { image_generation: 'priced' },
  image_models: ['drawing'],
} as const satisfies Partial<Model>;
const DRAWING: Partial<Model> = {
  prices: pricesOf({ input: 5_000_000, input_image: 10_000_000, output_image: 40_000_000 }),
  max_output_tokens: null,
  request_price: 9_000_000,
};

test.each<[string, JsonObject, Partial<Model>, number]>([
  [
    'one picture of a stated size',
    { tools: [draw({ size: '1024x1024', quality: 'low' })], max_tool_calls: 1 },
    {},
    32_000 * 10 + (272 + 1_000) * 40,
  ],
  [
    'two of the most expensive, the second of which reads the first',
    { tools: [draw()], max_tool_calls: 2 },
    {},
    (2 * 32_000 + 7_000) * 10 + 2 * (6_240 + 1_000) * 40,
  ],
  [
    'what the catalogue says of the model that draws',
    { tools: [draw()], max_tool_calls: 1 },
    { context_window: 1_000, max_output_tokens: 500 },
    1_000 * 10 + 1_500 * 40,
  ],
])('a second model is held for: %s', (_what, body, drawing, amount) => {
  const table = tableWith(DRAWS, { drawing: { ...DRAWING, ...drawing }, ratio: '0.5' });
  const extras: Parameters<typeof reserve>[1]['extras'] = (served) =>
    boundExtras('openai-responses', body, served);
  const reservation = reserve(table, request({ extras }));
  expect(reservation?.hold?.amount).toBe((PLAIN + amount) / 2);
  // What was drawn is paid by the list of the model that drew it, and the request itself but once.
  expect(
    reservation?.costOf([
      { model: 'm', counts: { input: 1 } },
      { model: 'drawing', counts: { input: 4, output_image: 100 } },
    ]),
  ).toBe((2 + 20 + 4_000) / 2);
});

function draw(of: object = {}): object {
  return { type: 'image_generation', model: 'drawing', ...of };
}

test('what the operator gives away costs nothing, however often it was done', () => {
  const reservation = reserve(
    tableWith({ ...priced, features: { web_search: 'free', service_tier: 'free' } }),
    request(),
  );
  const line = { model: 'm', counts: { input: 1, searches: 7 }, serviceTier: 'priority' } as const;
  expect(reservation?.costOf([line])).toBe(2);
});

test.each<[JsonObject, object]>([
  [{ service_tier: 'flex' }, {}],
  [
    { service_tier: 'flex', speed: 'fast', inference_geo: 'us' },
    { serviceTier: 'fast', region: 'us' },
  ],
])('the most expensive way to serve %j is known', (body, costliest) => {
  const extras: Parameters<typeof reserve>[1]['extras'] = (served) =>
    boundExtras('anthropic-messages', body, served);
  expect(reserve(tableWith(SOLD), request({ extras }))?.boundOf('m').costliest).toEqual(costliest);
});

function search(maxUses?: number): object {
  return { type: 'web_search_20250305', name: 'web_search', ...(maxUses ? { max_uses: maxUses } : {}) };
}

test('whatever an upstream says of tools, tiers and regions, it is charged no more than what was held', () => {
  const body = fc.record(
    {
      service_tier: fc.constantFrom('priority', 'standard'),
      speed: fc.constantFrom('fast', 'standard'),
      inference_geo: fc.constantFrom('us', 'global'),
      tools: fc.subarray([search(2), { type: 'web_fetch_20260209', name: 'f', max_uses: 1 }]),
    },
    { requiredKeys: [] },
  );
  const count = fc.oneof(fc.nat(5), fc.constant(2 ** 53 - 1));
  const said = fc.record(
    {
      serviceTier: fc.constantFrom('priority', 'fast', 'flex', 'batch' as const),
      region: fc.constantFrom('us', 'eu'),
      units: fc.record({ searches: count, fetches: count, images: count }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<BilledExtras>;
  const tokens = fc.record({ input: count, output: count });
  const table = tableWith(SOLD, { ratio: '1.5' });
  const model = table.groups.get('g')?.models.get('m')?.model;
  if (!model) throw new Error('the table lacks what it was made of');
  fc.assert(
    fc.property(body, said, tokens, (asks, extras, reported) => {
      const reservation = reserve(
        table,
        request({ extras: (served) => boundExtras('anthropic-messages', asks, served) }),
      );
      const bound = reservation?.boundOf('m');
      if (!bound) throw new Error('nothing is held');
      const { serviceTier, region, units } = extrasWithinBound(extras, bound.extras, bound.free);
      const counts = { ...withinBound(reported, bound).tokens, ...units };
      const charged = computeCharge({ counts, serviceTier, region }, model, [parseRatio('1.5')]);
      expect(charged).toBeLessThanOrEqual(BigInt(reservation?.hold?.amount ?? 0) * 1_000_000n);
    }),
  );
});
