import type { UsageEvent } from '@tollgate/contracts';

/** The event of the n-th request, which used n tokens. */
export const usageEvent = (n: number): UsageEvent => ({
  v: 2,
  request_id: `req_${String(n).padStart(12, '0')}`,
  occurred_at: '2026-11-21T10:00:00.000Z',
  account_id: '0198f1c2-7d1e-7000-8000-000000000001',
  key_id: '0198f1c2-7d1e-7000-8000-000000000002',
  group: 'default',
  model: 'm',
  pool: 'main',
  upstream: 'u',
  upstream_model: 'm',
  protocol: 'openai-chat',
  stream: false,
  snapshot_version: 1,
  lines: [{ model: 'm', counts: { input: n } }],
  usage_source: 'upstream',
  outcome: 'completed',
  http_status: 200,
  latency_ms: 1,
  first_byte_ms: 1,
});
