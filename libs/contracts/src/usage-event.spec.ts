import { usageEventSchema, type UsageEvent } from './index.ts';

const event: UsageEvent = {
  v: 2,
  request_id: 'req_0123456789abcdef',
  occurred_at: '2026-11-21T10:00:00.000Z',
  account_id: '0198f1c2-7d1e-7000-8000-000000000001',
  key_id: '0198f1c2-7d1e-7000-8000-000000000002',
  group: 'default',
  model: 'm',
  pool: 'main',
  upstream: 'u',
  upstream_model: 'm-1',
  protocol: 'openai-chat',
  stream: false,
  snapshot_version: 1,
  lines: [{ model: 'm', counts: { input: 3, output: 5, searches: 1 }, service_tier: 'flex', region: 'us' }],
  usage_source: 'upstream',
  outcome: 'completed',
  http_status: 200,
  latency_ms: 12,
  first_byte_ms: 8,
};

test('a whole event passes and stays as it is', () => {
  expect(usageEventSchema.parse(event)).toEqual(event);
});

test.each([
  ['a fraction of a token', { lines: [{ model: 'm', counts: { input: 1.5 } }] }],
  ['a negative count', { lines: [{ model: 'm', counts: { output: -1 } }] }],
  ['an unknown kind of token', { lines: [{ model: 'm', counts: { smell: 1 } }] }],
  ['no line', { lines: [] }],
  ['a first line of another model', { lines: [{ model: 'other', counts: {} }] }],
  ['an unknown tier', { lines: [{ model: 'm', counts: {}, service_tier: 'golden' }] }],
  ['an unknown field', { price: 1 }],
  ['a local time', { occurred_at: '2026-11-21 10:00' }],
])('%s is refused', (_case, change) => {
  expect(usageEventSchema.safeParse({ ...event, ...change }).success).toBe(false);
});

test('an event of a gateway from before there were lines is read as one with a line', () => {
  const { lines: _, ...rest } = event;
  const former = { ...rest, v: 1, tokens: { input: 3 }, reported_tokens: { input: 9 } };
  expect(usageEventSchema.parse(former)).toEqual({
    ...rest,
    lines: [{ model: 'm', counts: { input: 3 } }],
    reported_lines: [{ model: 'm', counts: { input: 9 } }],
  });
  expect(usageEventSchema.safeParse({ ...former, tokens: { smell: 1 } }).success).toBe(false);
  expect(usageEventSchema.safeParse({ ...former, tokens: undefined }).success).toBe(false);
});
