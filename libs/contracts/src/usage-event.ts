import {
  METER_KINDS,
  CLIENT_PROTOCOLS,
  SERVICE_TIERS,
  OTHER_OPERATIONS,
  TOKEN_KINDS,
  UNIT_KINDS,
} from '@tollgate/vocabulary';
import { z } from 'zod';
import { compileCheck } from './compile-check.ts';
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

/** Units of one request by kind; a kind that is absent counts zero. */
export const unitCountsSchema = z.partialRecord(z.enum(UNIT_KINDS), z.int().nonnegative());

/** Tokens and units together. */
export const countsSchema = z.partialRecord(z.enum(METER_KINDS), z.int().nonnegative());

/** PostgreSQL stores every character but NUL. */
const text = z
  .string()
  .min(1)
  .regex(/^[^\0]*$/, 'must not hold the character NUL');

/** What one model did in one request. */
export const usageLineSchema = z.strictObject({
  model: text,
  /** As the answer says; the standard one where it is absent. */
  service_tier: z.enum(SERVICE_TIERS).optional(),
  /** Where the vendor prices it apart. */
  region: text.max(64).optional(),
  counts: countsSchema,
});
export type UsageLine = z.infer<typeof usageLineSchema>;

/** The first is of the model that was asked for, the others of models that it had work for it. */
const linesSchema = z.array(usageLineSchema).min(1).max(8);

const latestEventSchema = z.strictObject({
  v: z.literal(2),
  request_id: text.min(8).max(64),
  occurred_at: z.iso.datetime(),
  account_id: z.uuid(),
  key_id: z.uuid(),
  group: text,
  model: text,
  pool: text,
  upstream: text,
  upstream_model: text,
  protocol: z.enum(CLIENT_PROTOCOLS),
  /** Absent of conversations. */
  operation: z.enum(OTHER_OPERATIONS).optional(),
  stream: z.boolean(),
  snapshot_version: z.int().positive(),
  /** Names the prices for good: after a restore of a database, a number may have been given twice. */
  snapshot_hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  lines: linesSchema,
  /** What we counted ourselves, because the upstream did not report it. */
  counted: z.array(z.enum(METER_KINDS)).optional(),
  /** The most that the request could have, which its hold was worked out from: no more is booked. */
  bound: z
    .strictObject({
      input: z.int().nonnegative(),
      output: z.int().nonnegative(),
      /** Tokens of sound and drawn pictures cannot be among them. */
      text_only: z.boolean(),
      /** The most units of each kind; none of those that are not named. */
      units: unitCountsSchema.optional(),
      /** In which it may be served beside the standard one. */
      service_tiers: z.array(z.enum(SERVICE_TIERS)).optional(),
      /** Where it may be served at a price apart. */
      region: text.max(64).optional(),
      /** Of models that work for it; all of what is above is left for its own. */
      others: z
        .array(z.strictObject({ model: text, input: z.int().nonnegative(), output: z.int().nonnegative() }))
        .max(7)
        .optional(),
    })
    .optional(),
  /** What the upstream reported, where that is beyond the bound: set aside for review. */
  reported_lines: linesSchema.optional(),
  /** What the upstream says it charges, in pico-USD, where the catalogue says that its answers tell it. */
  upstream_cost_pico: z
    .string()
    .regex(/^\d{1,18}$/)
    .optional(),
  /** Its figures are beyond what is possible: ours are booked. */
  disputed: z.literal(true).optional(),
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
export type UsageEvent = z.infer<typeof latestEventSchema>;

const isOfFirstModel = ({ model, lines }: UsageEvent): boolean => lines[0]?.model === model;

/** What the fields of an event hold. */
export const usageEventFields = latestEventSchema.shape;

/**
 * One relayed and billable request, as the gateway publishes it to the `usage` queue. The request id is the
 * identity: billing posts an id once, however often the event arrives.
 */
export const usageEventSchema = z.preprocess(
  (event) => (isOfV1(event) ? toLatest(event) : event),
  latestEventSchema.refine(isOfFirstModel, {
    path: ['lines', 0, 'model'],
    error: 'must be the model of the event',
  }),
);

const isLatest = compileCheck(latestEventSchema);

/** What {@link usageEventSchema} makes of what came as JSON; of an event that needs no change, which nearly all are, the same object. */
export const parseUsageEvent = (event: unknown): z.ZodSafeParseResult<UsageEvent> =>
  isLatest(event) && isOfFirstModel(event)
    ? { success: true, data: event }
    : usageEventSchema.safeParse(event);

/** Of a gateway from before there were lines; its events may wait in a spool or a queue. */
interface EventOfV1 {
  readonly v: 1;
  readonly model: unknown;
  readonly tokens: unknown;
  readonly reported_tokens?: unknown;
}

const isOfV1 = (event: unknown): event is EventOfV1 =>
  typeof event === 'object' &&
  event !== null &&
  'v' in event &&
  event.v === 1 &&
  'model' in event &&
  'tokens' in event;

const toLatest = ({ v: _, tokens, reported_tokens, ...rest }: EventOfV1): object => ({
  ...rest,
  v: 2,
  lines: [{ model: rest.model, counts: tokens }],
  ...(reported_tokens === undefined
    ? {}
    : { reported_lines: [{ model: rest.model, counts: reported_tokens }] }),
});
