import type { RequestBatch, RequestRecord } from '@tollgate/contracts';

export const KEY = '0198f1c2-7d1e-7000-8000-0000000000aa';
export const DAY = '2026-11-20';
export const idAt = (time: string, nth = 0) =>
  `req_${Date.parse(time).toString(16).padStart(12, '0')}${String(nth).padStart(20, '0')}`;

const attempt = (of: Partial<RequestRecord['attempts'][number]>) => ({
  upstream: 'east',
  upstream_model: 'm-east',
  result: 'status' as const,
  status: 503,
  ms: 20,
  ...of,
});
export const FAILED_AT = `${DAY}T10:00:02.000Z`;
export const CHARGED_AT = `${DAY}T10:00:01.000Z`;

/** What gateways note of two accounts: requests that failed, were left or charged after a second attempt. */
export const requestLog = (
  recordAt: (time: string, of?: Partial<RequestRecord>) => RequestRecord,
  member: string,
  stranger: string,
): Pick<RequestBatch, 'records' | 'counts'> => ({
  records: [
    recordAt(`${DAY}T10:00:00.000Z`),
    recordAt(CHARGED_AT, {
      is_charged: true,
      http_status: 200,
      error_code: null,
      message: null,
      limited_by: null,
      attempts: [attempt({}), attempt({ upstream: 'west', result: 'answered', status: 200, ms: 90 })],
    }),
    recordAt(FAILED_AT, {
      model: 'n',
      operation: 'embed',
      http_status: 502,
      error_code: 'upstream_error',
      message: 'The upstream failed with status 500.',
      limited_by: null,
      pool: 'main',
      attempts: [attempt({ status: 500 })],
    }),
    recordAt(`${DAY}T10:00:03.000Z`, {
      http_status: 499,
      error_code: 'client_closed_request',
      message: null,
      limited_by: null,
    }),
    recordAt(`${DAY}T10:00:05.000Z`, {
      account_id: stranger,
      key_id: '0198f1c2-7d1e-7000-8000-0000000000bb',
    }),
  ],
  counts: [
    {
      account_id: member,
      minute: `${DAY}T10:00:00.000Z`,
      http_status: 429,
      error_code: 'rate_limit_exceeded',
      requests: 40,
      recorded: 1,
    },
    {
      account_id: member,
      minute: `${DAY}T10:00:00.000Z`,
      http_status: 499,
      error_code: 'client_closed_request',
      requests: 1,
      recorded: 1,
    },
    {
      account_id: null,
      minute: `${DAY}T10:00:00.000Z`,
      http_status: 401,
      error_code: 'invalid_api_key',
      requests: 7,
      recorded: 0,
    },
  ],
});
