import { COSTLY_FEATURES, FIELD_RULES } from '@tollgate/vocabulary';
import { z } from 'zod';
import { creditScopeSchema } from './credit.ts';
import { usageEventFields, usageEventSchema } from './usage-event.ts';

const { request_id: requestId, account_id: accountId, key_id: keyId } = usageEventFields;
/** PostgreSQL stores every character but NUL. */
const text = z
  .string()
  .min(1)
  .max(512)
  .regex(/^[^\0]*$/, FIELD_RULES.holds_nul);

/** What of a request stands in the event that bills it, known before it ends. */
export const backgroundRequestSchema = z.strictObject({
  occurred_at: usageEventFields.occurred_at,
  account_id: accountId,
  key_id: keyId,
  group: usageEventFields.group,
  /** The model that answers, by its name here. */
  model: usageEventFields.model,
  pool: usageEventFields.pool,
  upstream: usageEventFields.upstream,
  upstream_model: usageEventFields.upstream_model,
  stream: usageEventFields.stream,
  snapshot_version: usageEventFields.snapshot_version,
  snapshot_hash: usageEventFields.snapshot_hash.unwrap(),
  /** Estimated, of the request: for an answer that reports no usage. */
  request_tokens: z.int().nonnegative(),
  bound: usageEventFields.bound.unwrap(),
  /** What a second model may draw for it. */
  drawing: z
    .strictObject({
      model: usageEventFields.model,
      images: z.int().nonnegative(),
      input: z.int().nonnegative(),
      output: z.int().nonnegative(),
      outputOfImage: z.int().nonnegative(),
    })
    .optional(),
  /** What the model does without a charge. */
  free: z.array(z.enum(COSTLY_FEATURES)),
  traceparent: usageEventFields.traceparent,
});
export type BackgroundRequest = z.infer<typeof backgroundRequestSchema>;

/** Asks for room for one more job, before its request is sent. */
export const backgroundBeginSchema = z.strictObject({
  request_id: requestId,
  account_id: accountId,
  key_id: keyId,
  /** Null where the request holds nothing. */
  hold: z
    .strictObject({ amount: z.int().positive(), scopes: z.array(creditScopeSchema).min(1).max(4) })
    .nullable(),
});
export type BackgroundBegin = z.infer<typeof backgroundBeginSchema>;

/** Whether there was room, or whose is taken. */
export const backgroundBegunSchema = z.enum(['begun', 'key full', 'account full']);
export type BackgroundBegun = z.infer<typeof backgroundBegunSchema>;

/** Where a job runs, and under which name. */
const placeSchema = z.strictObject({
  /** Of an upstream and one of its credentials. */
  place: text,
  /** As the upstream has it. */
  response_id: text,
});

/** Tells that an upstream has taken a job; its caller is answered after that. */
export const backgroundStartSchema = placeSchema.extend({
  request_id: requestId,
  status: text,
  request: backgroundRequestSchema,
});
export type BackgroundStart = z.infer<typeof backgroundStartSchema>;

/** A job whose upstream is to be asked now. Nobody else is told of it until the lease ends. */
export const backgroundLeaseSchema = z.strictObject({ max: z.int().min(1).max(100) });
const leasedJobSchema = placeSchema.extend({
  request_id: requestId,
  /** Since it began. */
  age_ms: z.int().nonnegative(),
  request: backgroundRequestSchema,
});
export type LeasedJob = z.infer<typeof leasedJobSchema>;
export const leasedJobsSchema = z.array(leasedJobSchema);

/** Tells that a job still runs, or that its upstream did not say. */
export const backgroundPolledSchema = z.strictObject({ request_id: requestId, status: text.nullable() });

/** Tells how a job ended, with what it used: it is in the books once this is answered. */
export const backgroundEndSchema = z.strictObject({
  request_id: requestId,
  status: text,
  events: z.array(usageEventSchema).max(1),
});
export type BackgroundEnd = z.infer<typeof backgroundEndSchema>;

/** Tells that a request has become no job: it was refused, or answered at once. */
export const backgroundDropSchema = z.strictObject({ request_id: requestId });

/** Looks a job of an account up by its upstream's name. */
export const backgroundFindSchema = placeSchema.extend({
  account_id: accountId,
  /** It is over, or is to be: its upstream is asked soon. */
  is_due: z.boolean(),
});
export type BackgroundFind = z.infer<typeof backgroundFindSchema>;
export const foundJobSchema = z.strictObject({
  request_id: requestId,
  model: usageEventFields.model,
  upstream_model: usageEventFields.upstream_model,
  /** Its end is in the books. */
  is_ended: z.boolean(),
});
export type FoundJob = z.infer<typeof foundJobSchema>;
