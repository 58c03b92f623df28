import type { RequestRecord } from '@tollgate/contracts';

/** What a gateway writes down of a request that a limit of its key refused. */
export const requestRecord = (
  of: Pick<RequestRecord, 'request_id' | 'occurred_at' | 'account_id' | 'key_id'> & Partial<RequestRecord>,
): RequestRecord => ({
  is_charged: false,
  model: 'm',
  operation: null,
  protocol: 'openai-chat',
  stream: false,
  http_status: 429,
  error_code: 'rate_limit_exceeded',
  message: 'The limit of 5 requests per minute for this API key is reached.',
  limited_by: 'key',
  pool: null,
  attempts: [],
  first_byte_ms: null,
  latency_ms: 4,
  ...of,
});
