import { PROTOCOLS, TOKEN_KINDS } from '@tollgate/vocabulary';
import { z } from 'zod';
import { traceparentSchema } from './traceparent.ts';

/** Where the token counts come from: the upstream's own report, its last report of a cut stream, or our estimate. */
const USAGE_SOURCES = ['upstream', 'partial', 'estimated'] as const;

/** How a relayed request ended. */
const OUTCOMES = ['completed', 'client_aborted', 'upstream_cut'] as const;

/**
 * Why an attempt at an upstream brought nothing: it took too long, the connection broke, the answer could not be read, somebody
 * on the way gave up waiting, or the answer of another one that was asked beside it came first.
 */
const LOST_CAUSES = ['timeout', 'reset', 'garbage', 'status', 'hedge'] as const;
export type LostCause = (typeof LOST_CAUSES)[number];

/** Tokens of one request by kind; a kind that is absent counts zero. */
export const tokenCountsSchema = z.partialRecord(z.enum(TOKEN_KINDS), z.int().nonnegative());

/** PostgreSQL stores every character but NUL. */
const text = z
  .string()
  .min(1)
  .regex(/^[^\0]*$/, 'must not hold the character NUL');

/**
 * One relayed and billable request, as the gateway publishes it to the `usage` queue. The request id is the
 * identity: billing posts an id once, however often the event arrives.
 */
export const usageEventSchema = z.strictObject({
  v: z.literal(1),
  request_id: text.min(8).max(64),
  occurred_at: z.iso.datetime(),
  account_id: z.uuid(),
  key_id: z.uuid(),
  group: text,
  model: text,
  pool: text,
  upstream: text,
  upstream_model: text,
  protocol: z.enum(PROTOCOLS),
  stream: z.boolean(),
  snapshot_version: z.int().positive(),
  /** Names the prices for good: after a restore of a database, a number may have been given twice. */
  snapshot_hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  tokens: tokenCountsSchema,
  /** The most tokens of each side that the request could have, which its hold was worked out from: no more is booked. */
  bound: z
    .strictObject({
      input: z.int().nonnegative(),
      output: z.int().nonnegative(),
      /** Tokens of sound and drawn pictures cannot be among them. */
      text_only: z.boolean(),
    })
    .optional(),
  /** What the upstream reported, where that is beyond the bound: set aside for review. */
  reported_tokens: tokenCountsSchema.optional(),
  usage_source: z.enum(USAGE_SOURCES),
  outcome: z.enum(OUTCOMES),
  http_status: z.int(),
  latency_ms: z.int().nonnegative(),
  first_byte_ms: z.int().nonnegative(),
  /**
   * Where it is there this is no request but an attempt for one that brought nothing, and that the upstream may bill: it costs
   * the operator, and the customer nothing. Its `request_id` is that of the request with its number behind.
   */
  lost: z.enum(LOST_CAUSES).optional(),
  /** The gateway's span of the request, in the form of the header of this name; absent where nobody traces it. */
  traceparent: traceparentSchema.optional(),
});
export type UsageEvent = z.infer<typeof usageEventSchema>;
