import { CLIENT_PROTOCOLS, OTHER_OPERATIONS } from '@tollgate/vocabulary';
import { z } from 'zod';

/** PostgreSQL stores every character but NUL. */
const text = z.string().regex(/^[^\0]*$/, 'must not hold the character NUL');

/** How an attempt at an upstream ended: `answered` is an answer of whatever status that was passed on. */
export const ATTEMPT_RESULTS = [
  'answered',
  'status',
  'connect',
  'reset',
  'timeout',
  'garbage',
  'refused-address',
  'no-proof',
  'aborted',
] as const;

/** As other front doors write it of a request whose client left before it was answered. */
export const CLIENT_LEFT = { status: 499, code: 'client_closed_request' } as const;

const attemptSchema = z.object({
  upstream: text.min(1).max(128),
  upstream_model: text.max(256),
  result: z.enum(ATTEMPT_RESULTS),
  /** Null where none came. */
  status: z.int().nullable(),
  /** To the first byte of an answer, or to the failure. */
  ms: z.int().nonnegative(),
});
export type RequestAttempt = z.infer<typeof attemptSchema>;

/** How much of a request is kept; what is longer is cut by the gateway. */
export const RECORD_LIMITS = { model: 128, message: 500, attempts: 16 } as const;

/**
 * What became of a request, beside its charge. One that was charged has a record only where more than one attempt was made
 * for it: its usage says the rest.
 */
const requestRecordSchema = z.object({
  request_id: text.min(8).max(64),
  /** When it came. */
  occurred_at: z.iso.datetime(),
  account_id: z.uuid(),
  key_id: z.uuid(),
  is_charged: z.boolean(),
  /** As it was asked for; null where the request could not be read so far. */
  model: text.max(RECORD_LIMITS.model).nullable(),
  /** Null of conversations. */
  operation: z.enum(OTHER_OPERATIONS).nullable(),
  protocol: z.enum(CLIENT_PROTOCOLS),
  stream: z.boolean(),
  /** That of `CLIENT_LEFT` where the client left before an answer. */
  http_status: z.int().min(100).max(599),
  /** Null where it was answered without an error. */
  error_code: z
    .string()
    .regex(/^[a-z0-9_]{1,64}$/)
    .nullable(),
  /** What the client was told, without secrets. */
  message: text.max(RECORD_LIMITS.message).nullable(),
  /** The limit that it hit: a dimension of limits, or credit. */
  limited_by: text.max(32).nullable(),
  /** Null where nobody was asked. */
  pool: text.max(128).nullable(),
  attempts: z.array(attemptSchema).max(RECORD_LIMITS.attempts),
  /** Of an upstream's answer; null where none came. */
  first_byte_ms: z.int().nonnegative().nullable(),
  latency_ms: z.int().nonnegative(),
});
export type RequestRecord = z.infer<typeof requestRecordSchema>;

/** What the fields of a record hold. */
export const requestRecordFields = requestRecordSchema.shape;

/** How many requests without a charge came in one minute and ended alike. */
const requestCountSchema = z.object({
  /** Null where nobody knows whose they were. */
  account_id: z.uuid().nullable(),
  minute: z.iso.datetime(),
  http_status: z.int().min(100).max(599),
  /** Empty where they were answered without an error. */
  error_code: z.string().regex(/^[a-z0-9_]{0,64}$/),
  requests: z.int().positive(),
  /** Those of them that have a record. */
  recorded: z.int().nonnegative(),
});
export type RequestCount = z.infer<typeof requestCountSchema>;

/**
 * What a gateway tells of requests that made no usage. A batch that was taken once is not counted again. What a later release
 * adds to it is passed over.
 */
export const requestBatchSchema = z.object({
  id: z.uuid(),
  records: z.array(requestRecordSchema).max(500),
  counts: z.array(requestCountSchema).max(2_000),
});
export type RequestBatch = z.infer<typeof requestBatchSchema>;
