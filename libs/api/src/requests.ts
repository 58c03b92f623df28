import { modelSchema } from '@tollgate/catalogue';
import { ATTEMPT_RESULTS, momentSchema, requestRecordFields } from '@tollgate/contracts';
import { FIELD_RULES, MODEL_OPERATIONS } from '@tollgate/vocabulary';
import { z } from 'zod';
import { REPORT_ERRORS, sortBy, timestamp, usdAmount, WINDOW_ORDERED } from './common.ts';
import { isUsd } from './fields.ts';
import { defineResource } from './route.ts';
import { usageEntry } from './usage.ts';

/** Of an account, or of all of them. */
export const ALL_ACCOUNTS = 'all';
/** Statuses that are asked for together. `error` is all that failed: not what clients left by themselves. */
const STATUS_CLASSES = ['2xx', '4xx', '5xx', 'error'] as const;
/** What requests may be ordered by. */
const REQUEST_COLUMNS = ['time', 'input', 'output', 'latency', 'status', 'cost'] as const;
/** How a request ended: the last two made no usage. */
const REQUEST_OUTCOMES = ['completed', 'client_aborted', 'upstream_cut', 'failed', 'free'] as const;

const account_id = z
  .union([z.literal(ALL_ACCOUNTS), z.uuid()])
  .optional()
  .meta({
    description: 'One’s own where it is left out; `all` for those of every account',
    examples: ['0198f1c2-7d1e-7000-8000-000000000001'],
  });

const atLeast = z.coerce.number().int().min(1).max(1_000_000_000).optional();

const filters = {
  account_id,
  status: z
    .union([z.enum(STATUS_CLASSES), z.coerce.number().int().min(100).max(599)])
    .optional()
    .meta({ description: 'A status, or several: `error` is all that failed', examples: ['429'] }),
  error_code: z
    .string()
    .regex(/^[a-z0-9_]{1,64}$/)
    .optional()
    .meta({ examples: ['rate_limit_exceeded'] }),
  limited_by: z
    .string()
    .regex(/^[a-z][a-z ]{0,31}$/)
    .optional()
    .meta({ description: 'The limit that was hit, as `limited_by` of a request says it', examples: ['key'] }),
  model: modelSchema.shape.name.optional().meta({ examples: ['acme-large'] }),
  key_id: z
    .uuid()
    .optional()
    .meta({ examples: ['0198f1c2-7d1e-7000-8000-000000000002'] }),
  operation: z.enum(MODEL_OPERATIONS).optional(),
  upstream: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .meta({ description: 'For operators alone', examples: ['openai'] }),
  request_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'By its x-request-id', examples: ['req_0198f1c27d1e70008000000000000003'] }),
  message: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'A part of what the client was told', examples: ['no such model'] }),
  min_attempts: atLeast.meta({ description: 'So many upstreams were tried, or more', examples: ['2'] }),
  min_first_byte_ms: atLeast.meta({ description: 'It took so long to the first byte, or longer' }),
  min_tokens: atLeast.meta({ description: 'In and out together; of what was charged alone' }),
  min_charge_usd: z
    .string()
    .refine((text) => isUsd(text, (pico) => pico >= 0n), FIELD_RULES.not_usd)
    .optional()
    .meta({ description: 'Of what was charged alone', examples: ['0.01'] }),
  from: momentSchema.optional().meta({ description: 'Inclusive', examples: ['2026-11-01T00:00:00Z'] }),
  to: momentSchema.optional().meta({ description: 'Exclusive', examples: ['2026-12-01T00:00:00Z'] }),
};

const { protocol } = requestRecordFields;

const attempt = z
  .object({
    upstream: z.string().nullable().meta({ description: 'Null for all but operators' }),
    upstream_model: z.string().nullable().meta({ description: 'Null for all but operators' }),
    result: z.enum(ATTEMPT_RESULTS),
    status: z.int().nullable().meta({ description: 'Null where none came' }),
    ms: z.int(),
  })
  .meta({ id: 'RequestAttempt', description: 'A try at one upstream' });

const serving = z
  .object({
    pool: z.string().nullable(),
    upstream: z.string().nullable(),
    upstream_model: z.string().nullable(),
    upstream_cost_usd: usdAmount.nullable().meta({ description: 'Null where the catalogue does not say' }),
    margin_usd: usdAmount.nullable().meta({ description: 'What was charged, less that' }),
  })
  .meta({ id: 'RequestServing', description: 'Who served it last, and what that cost' });

const requestEntry = z
  .object({
    request_id: z.string(),
    occurred_at: timestamp,
    account_id: z.uuid(),
    account_name: z.string().nullable(),
    key_id: z.uuid(),
    key_name: z.string().nullable().meta({ description: 'Null of a key that is gone' }),
    model: z.string().nullable().meta({ description: 'Null where the request could not be read so far' }),
    operation: z.enum(MODEL_OPERATIONS),
    protocol: protocol.meta({ description: "The client's wire format" }),
    stream: z.boolean(),
    outcome: z.enum(REQUEST_OUTCOMES),
    http_status: z.int().meta({ description: '499 where the client left before an answer' }),
    error_code: z.string().nullable().meta({ description: 'Null where it was answered without an error' }),
    message: z.string().nullable().meta({ description: 'What the client was told' }),
    limited_by: z
      .string()
      .nullable()
      .meta({ description: 'The limit that it hit: what it is of, or `credit`' }),
    attempts: z.array(attempt),
    first_byte_ms: z.int().nullable(),
    latency_ms: z.int(),
    charge: usageEntry.nullable().meta({ description: 'Null where nothing was charged' }),
    serving: serving.nullable().meta({ description: 'Null for all but operators' }),
  })
  .meta({ id: 'RequestEntry', description: 'A relayed request, whatever became of it' });

const countSeries = z
  .object({
    http_status: z.int(),
    error_code: z.string().nullable(),
    requests: z.int(),
    recorded: z
      .int()
      .meta({ description: 'Those that the log has; it keeps so many of an account a minute' }),
    each: z.array(z.int()).meta({ description: 'One for each bucket' }),
  })
  .meta({ id: 'RequestCounts' });

export const requests = defineResource({
  listRequests: {
    method: 'GET',
    path: '/api/requests',
    summary: 'List all requests, failed ones included, the newest first',
    description: `What was charged stays in the log; what was not is kept for \`REQUEST_LOG_DAYS\`, of each account so many a minute. ${WINDOW_ORDERED}`,
    permission: 'usage:read',
    account: { in: 'query', name: 'account_id', others: 'requests:read-all' },
    query: z.object({
      ...filters,
      sort: sortBy(REQUEST_COLUMNS),
      cursor: z.string().max(400).optional().meta({ description: '`next` of the page before' }),
      limit: z.coerce.number().int().min(1).max(200).default(50),
    }),
    answer: z
      .object({
        items: z.array(requestEntry),
        next: z.string().nullable().meta({ description: 'The cursor of the next page; null at the end' }),
      })
      .meta({ id: 'RequestPage' }),
    errors: REPORT_ERRORS,
  },
  sumRequests: {
    method: 'GET',
    path: '/api/requests/totals',
    summary: 'Add up requests',
    description:
      'Of the log: what was not charged is there for `REQUEST_LOG_DAYS`, of each account so many a minute.',
    permission: 'usage:read',
    account: { in: 'query', name: 'account_id', others: 'requests:read-all' },
    query: z.object(filters),
    answer: z
      .object({
        requests: z.int(),
        failed: z.int().meta({ description: 'Without what clients left by themselves' }),
        tokens_in: z.int(),
        tokens_out: z.int(),
        charged_usd: usdAmount,
      })
      .meta({ id: 'RequestTotals' }),
    errors: REPORT_ERRORS,
  },
  countRequests: {
    method: 'GET',
    path: '/api/requests/counts',
    summary: 'Count requests over time by how they ended',
    description: 'All of them, whether the log keeps a record of them or not.',
    permission: 'usage:read',
    account: { in: 'query', name: 'account_id', others: 'requests:read-all' },
    query: z.object({
      account_id,
      from: momentSchema.optional().meta({
        description: 'Rounded down to the beginning of its bucket; a day before `to` where it is left out',
        examples: ['2026-11-01T00:00:00Z'],
      }),
      to: momentSchema.optional().meta({
        description: 'Exclusive, now where it is left out',
        examples: ['2026-12-01T00:00:00Z'],
      }),
      bucket: z.enum(['hour', 'day']).default('hour').meta({ description: "Of the account's time zone" }),
    }),
    answer: z
      .object({
        from: timestamp,
        to: timestamp,
        bucket: z.enum(['hour', 'day']),
        time_zone: z.string(),
        buckets: z.array(timestamp).meta({ description: 'Where each begins' }),
        requests: z.int(),
        failed: z.int().meta({ description: 'Without what clients left by themselves' }),
        series: z.array(countSeries),
      })
      .meta({ id: 'RequestCountsOverTime' }),
    errors: { ...REPORT_ERRORS, 404: 'There is no such account.' },
  },
  showRequest: {
    method: 'GET',
    path: '/api/requests/:id',
    summary: 'Show one request, whatever became of it',
    permission: 'usage:read',
    params: z.object({ id: z.string().min(1).max(200) }),
    answer: requestEntry,
    errors: { ...REPORT_ERRORS, 404: 'There is no such request, or it is another account’s.' },
  },
});
