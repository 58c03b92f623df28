import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { z } from 'zod';
import { compileCheck } from './compile-check.ts';
import { parseUsageEvent, type UsageEvent, usageEventSchema } from './index.ts';

/** With every field that there is. */
const FULL: UsageEvent = {
  v: 2,
  request_id: 'req_0123456789abcdef',
  occurred_at: '2028-02-29T10:00:00.000Z',
  account_id: '0198f1c2-7d1e-7000-8000-000000000001',
  key_id: '0198f1c2-7d1e-7000-8000-000000000002',
  group: 'default',
  model: 'm',
  pool: 'main',
  upstream: 'u',
  upstream_model: 'm-1',
  protocol: 'openai-chat',
  operation: 'realtime',
  stream: false,
  snapshot_version: 1,
  snapshot_hash: 'ab'.repeat(32),
  lines: [
    { model: 'm', counts: { input: 3, output: 5, searches: 1 }, service_tier: 'flex', region: 'us' },
    { model: 'other', counts: {} },
  ],
  counted: ['output', 'searches'],
  bound: {
    input: 4,
    output: 9,
    text_only: true,
    units: { searches: 2 },
    service_tiers: ['flex', 'standard'],
    region: 'us',
    others: [{ model: 'other', input: 1, output: 0 }],
  },
  reported_lines: [{ model: 'm', counts: { input: 8 } }],
  upstream_cost_pico: '120',
  disputed: true,
  usage_source: 'upstream',
  outcome: 'completed',
  http_status: 200,
  latency_ms: 12,
  first_byte_ms: 0,
  lost: 'hedge',
  traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
};

type Place = readonly (string | number)[];

/** Every place in a value, its own among them. */
const listPlaces = (value: unknown, place: Place = []): Place[] =>
  typeof value === 'object' && value !== null
    ? [place, ...Object.entries(value).flatMap(([key, each]) => listPlaces(each, [...place, key]))]
    : [place];
const PLACES = listPlaces(FULL).filter(({ length }) => length > 0);

/** What is wrong in some place, and right in another. */
const ODD: readonly unknown[] = [
  ...[null, true, false, 0, 1, 2, -1, 1.5, 2 ** 53, 1e300, '', '\0', 'a\0b', 'm', 'other', 'x'.repeat(65)],
  ...[[], {}, [[]], [{}], { input: 1 }, { smell: 1 }, { input: -1 }, { length: 1 }, ['flex'], ['golden']],
  ...['2026-02-29T10:00:00Z', '2026-11-21T10:00:00+01:00', '2026-11-21 10:00', '2026-11-21T24:00:00Z'],
  ...['00000000-0000-0000-0000-000000000000', '0198F1C2-7D1E-7000-8000-000000000001', 'standard', 'timeout'],
  ...[Array.from({ length: 9 }, () => ({ model: 'm', counts: {} })), 'AB'.repeat(32), '1'.repeat(19)],
];
const change = fc.record({
  place: fc.constantFrom(...PLACES),
  what: fc.constantFrom('set', 'leave out', 'add'),
  name: fc.constantFrom('price', '__proto__', 'constructor', 'toString', 'tokens', 'service_tier', '0'),
  value: fc.oneof(fc.constantFrom(...ODD), fc.jsonValue()),
});
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

function changeAt(event: unknown, { place, what, name, value }: Change): void {
  let parent = event;
  for (const key of place.slice(0, -1))
    parent = (parent as Record<string, unknown> | null | undefined)?.[key];
  if (typeof parent !== 'object' || parent === null) return;
  const last = String(place.at(-1));
  if (what === 'leave out') Reflect.deleteProperty(parent, last);
  else
    Object.defineProperty(parent, what === 'set' ? last : name, {
      value: structuredClone(value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
}

const throughQueue = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Whether it is an event. What is right as it is, and only that, is taken without being copied. */
function expectAsSchemaSays(event: unknown): boolean {
  const says = usageEventSchema.safeParse(event);
  const parsed = parseUsageEvent(event);
  expect(parsed).toEqual(says);
  if (says.success) expect(parsed.data === event).toBe(isDeepStrictEqual(says.data, event));
  return says.success;
}

test('an event is read as its schema says, whatever stands in one of its places', () => {
  expect(expectAsSchemaSays(throughQueue(FULL))).toBe(true);
  for (const place of PLACES)
    for (const value of [undefined, ...ODD]) {
      const event = throughQueue(FULL);
      changeAt(event, { place, what: value === undefined ? 'leave out' : 'set', name: '0', value });
      expectAsSchemaSays(throughQueue(event));
    }
});

test('an event is read as its schema says, whatever is changed about it', () => {
  let good = 0;
  const optional = Object.keys(FULL).filter(
    (name) => usageEventSchema.safeParse({ ...FULL, [name]: undefined }).success,
  );
  fc.assert(
    fc.property(fc.subarray(optional), fc.array(change, { maxLength: 3 }), (absent, changes) => {
      const made = throughQueue(FULL);
      for (const name of absent) changeAt(made, { place: [name], what: 'leave out', name: '0', value: null });
      for (const each of changes) changeAt(made, each);
      if (expectAsSchemaSays(throughQueue(made))) good += 1;
    }),
    { numRuns: 2_000 },
  );
  expect(good).toBeGreaterThan(200);
});

test.each([
  ['a default', z.strictObject({ a: z.string().default('x') })],
  ['a change of the value', z.strictObject({ a: z.string().trim() })],
  ['a rule of its own', z.strictObject({ a: z.string().refine((text) => text !== 'x') })],
  ['a format that is more than its pattern', z.strictObject({ a: z.url() })],
  ['a rule about the whole', z.strictObject({ a: z.string() }).refine(() => true)],
  ['fields that are passed over', z.object({ a: z.string() })],
  ['a number with an end', z.strictObject({ a: z.int().max(3) })],
  ['a number that is not whole', z.strictObject({ a: z.number() })],
  ['a record that has all keys', z.record(z.enum(['a']), z.string())],
])('nothing is compiled of a schema with %s', (_case, schema) => {
  expect(() => compileCheck(schema)({ a: 'x' })).toThrow('nothing is compiled');
});
