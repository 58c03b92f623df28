import { usageEventSchema } from '@tollgate/contracts';
import type { Metered } from '@tollgate/metering';
import { startForwarding, upstream } from '../../testing/forwarding.ts';
import { keyRecord } from '../../testing/keys.ts';
import type { RequestBound } from '../admit/reserve.ts';
import { usageEvent } from './usage-event.ts';

const forwarding = startForwarding({
  upstreams: [upstream('one', 'http://127.0.0.1:9', ['a'])],
  pool: { members: [{ upstream: 'one' }] },
});
afterAll(() => forwarding.close());

const NOW = Date.UTC(2026, 10, 22);
function eventOf(
  metered: Metered,
  times: { latencyMs?: number; firstByteMs?: number } = {},
  bound: Partial<RequestBound> = {},
  chargedBy?: Parameters<typeof usageEvent>[0]['chargedBy'],
) {
  const candidate = forwarding.stages[0]?.candidates[0];
  if (!candidate) throw new Error('there is no candidate');
  return usageEventSchema.parse(
    usageEvent({
      requestId: 'req_of_this_test',
      arrivedAt: NOW,
      firstByteMs: times.firstByteMs,
      latencyMs: times.latencyMs ?? 50,
      key: keyRecord(),
      protocol: 'openai-chat',
      model: 'm',
      stream: true,
      snapshotVersion: 1,
      snapshotHash: '0'.repeat(64),
      candidate,
      status: 200,
      end: 'complete',
      metered,
      bound: {
        input: 100,
        output: 10,
        textOnly: true,
        extras: undefined,
        free: new Set(),
        costliest: {},
        ...bound,
      },
      ...(chargedBy ? { chargedBy } : {}),
    }),
  );
}
const TOLD: Metered = { tokens: { input: 5, output: 4 }, source: 'upstream' };

test.each([
  ['in fractions of a millisecond', 12.6, 13],
  ['by a clock that was set forwards by fifty years', 50 * 365 * 86_400_000, 2 ** 31 - 1],
  ['by a clock that was set backwards', -5_000, 0],
])('a length of time that is measured %s can be booked', (_how, ms, booked) => {
  const event = eventOf(TOLD, { latencyMs: ms, firstByteMs: ms });
  expect([event.latency_ms, event.first_byte_ms]).toEqual([booked, booked]);
});

test('what an upstream tells beyond the bound is set aside, and what we guess is not', () => {
  const beyond = { input: 5, output: 11 };
  expect(eventOf({ tokens: beyond, source: 'upstream' })).toMatchObject({
    lines: [{ model: 'm', counts: { input: 5, output: 10 } }],
    reported_lines: [{ model: 'm', counts: beyond }],
  });
  const guessed = eventOf({ tokens: beyond, source: 'estimated' });
  expect(guessed.lines).toEqual([{ model: 'm', counts: { input: 5, output: 10 } }]);
  expect(guessed).not.toHaveProperty('reported_lines');
});

test('whatever an upstream reports makes an event that can be booked', () => {
  const absurd = { input: 2 ** 54, output: 2 ** 60 };
  const others = [
    { model: '\0', counts: { output_image: 2 ** 54 } },
    { model: 'a\0b', counts: {} },
  ];
  const event = eventOf({ tokens: absurd, source: 'upstream', extras: { region: '\0', others } });
  expect(event.lines).toEqual([{ model: 'm', counts: { input: 100, output: 10 } }]);
  expect(event.reported_lines).toEqual([
    { model: 'm', counts: { input: Number.MAX_SAFE_INTEGER, output: Number.MAX_SAFE_INTEGER } },
    { model: 'unnamed', counts: { output_image: Number.MAX_SAFE_INTEGER } },
    { model: 'ab', counts: {} },
  ]);
  const free = { free: new Set(['inference_geo'] as const) };
  expect(eventOf({ ...TOLD, extras: { region: 'u\0s' } }, {}, free).lines[0]?.region).toBe('us');
});

const SOLD: Partial<RequestBound> = {
  extras: { units: { searches: 2 }, serviceTiers: ['priority'], region: 'us' },
};

test('what was asked for beside tokens stands on the line, as the answer says', () => {
  const extras = {
    serviceTier: 'priority',
    region: 'us',
    units: { searches: 2 },
    counted: ['searches'],
  } as const;
  const event = eventOf({ ...TOLD, extras }, {}, SOLD);
  expect(event).toMatchObject({
    lines: [
      { model: 'm', service_tier: 'priority', region: 'us', counts: { input: 5, output: 4, searches: 2 } },
    ],
    counted: ['searches'],
    bound: { input: 100, output: 10, units: { searches: 2 }, service_tiers: ['priority'], region: 'us' },
  });
  expect(event).not.toHaveProperty('disputed');
});

test('an answer in the standard tier is charged as that, whatever was asked for', () => {
  expect(eventOf(TOLD, {}, SOLD).lines).toEqual([{ model: 'm', counts: { input: 5, output: 4 } }]);
});

test.each<[string, NonNullable<Metered['extras']>, object]>([
  ['more searches than were held', { units: { searches: 10 } }, { input: 5, output: 4, searches: 2 }],
  ['a unit that nobody asked for', { units: { fetches: 1 } }, { input: 5, output: 4 }],
  ['a tier that nobody asked for', { serviceTier: 'fast' }, { input: 5, output: 4 }],
  ['a region that nobody asked for', { region: 'eu' }, { input: 5, output: 4 }],
  ['a tier that nobody knows', { unknownTier: 'warp' }, { input: 5, output: 4 }],
  [
    'a second model that nobody priced',
    { others: [{ model: 'gpt-image-2', counts: { output_image: 6_208 } }] },
    { input: 5, output: 4 },
  ],
])('%s is disputed, set aside and not charged', (_what, extras, counts) => {
  const event = eventOf({ ...TOLD, extras }, {}, SOLD);
  expect(event.lines).toEqual([{ model: 'm', counts }]);
  expect(event.disputed).toBe(true);
  expect(event.reported_lines?.[0]).toMatchObject({ model: 'm', counts: { input: 5, output: 4 } });
  if (extras.others)
    expect(event.reported_lines?.[1]).toEqual({ model: 'gpt-image-2', counts: { output_image: 6_208 } });
});

const DRAWS: Partial<RequestBound> = {
  extras: {
    units: {},
    serviceTiers: [],
    drawing: { model: 'gpt-image-2', images: 1, input: 50, output: 6_240, outputOfImage: 6_240 },
  },
};

test.each<[string, NonNullable<Metered['extras']>, object]>([
  [
    'a model that drew has a line of its own',
    { others: [{ model: 'gpt-image-2-2026-04-21', counts: { input: 40, output_image: 6_208 } }] },
    { lines: [{}, { model: 'gpt-image-2', counts: { input: 40, output_image: 6_208 } }] },
  ],
  [
    'more than was held for it is disputed',
    { others: [{ model: 'gpt-image-2', counts: { input: 90, output_image: 9_000 } }] },
    {
      lines: [{}, { model: 'gpt-image-2', counts: { input: 50, output_image: 6_240 } }],
      disputed: true,
      reported_lines: [{}, { model: 'gpt-image-2', counts: { input: 90, output_image: 9_000 } }],
    },
  ],
  [
    'a picture that no tokens are told of counts as the most expensive',
    { pictures: 1 },
    { lines: [{}, { model: 'gpt-image-2', counts: { output_image: 6_240 } }], counted: ['output_image'] },
  ],
])('%s', (_what, extras, expected) => {
  expect(eventOf({ ...TOLD, extras }, {}, DRAWS)).toMatchObject({
    bound: { others: [{ model: 'gpt-image-2', input: 50, output: 6_240 }] },
    ...expected,
  });
});

test('what the operator gives away is told and not disputed', () => {
  const free = new Set(['service_tier', 'web_search'] as const);
  const extras = { units: { searches: 1_000_000 }, serviceTiers: [] };
  const event = eventOf(
    { ...TOLD, extras: { serviceTier: 'flex', units: { searches: 30 } } },
    {},
    { free, extras },
  );
  expect(event.lines).toEqual([
    { model: 'm', service_tier: 'flex', counts: { input: 5, output: 4, searches: 30 } },
  ]);
  expect(event).not.toHaveProperty('disputed');
});

test('what an upstream says it charges goes to the books, and what cannot be is disputed', () => {
  const eventAt = (isCredible: boolean) => eventOf(TOLD, {}, {}, () => ({ pico: 15_000_000n, isCredible }));
  expect(eventAt(true)).toMatchObject({ upstream_cost_pico: '15000000' });
  expect(eventAt(true)).not.toHaveProperty('disputed');
  expect(eventAt(false)).toMatchObject({ disputed: true });
  expect(eventAt(false)).not.toHaveProperty('upstream_cost_pico');
});
