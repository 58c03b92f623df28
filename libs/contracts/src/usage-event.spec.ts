import { usageEventSchema, type UsageEvent } from './index.ts';

const event: UsageEvent = {
  v: 1,
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
  tokens: { input: 3, output: 5 },
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
  ['a fraction of a token', { tokens: { input: 1.5 } }],
  ['a negative count', { tokens: { output: -1 } }],
  ['an unknown kind of token', { tokens: { smell: 1 } }],
  ['an unknown field', { price: 1 }],
  ['a local time', { occurred_at: '2026-11-21 10:00' }],
])('%s is refused', (_case, change) => {
  expect(usageEventSchema.safeParse({ ...event, ...change }).success).toBe(false);
});
