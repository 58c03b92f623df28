import { upstreamSchema } from '@tollgate/catalogue';
import { OTHER_OPERATIONS, PROTOCOLS } from '@tollgate/vocabulary';
import { z } from 'zod';

/** One tiny request that an admin wants to be sent through an upstream. */
export const upstreamTestSchema = z.strictObject({
  id: z.uuid(),
  /** The version that names the upstream as the admin sees it; a gateway that is behind catches up first. */
  version: z.int().positive(),
  upstream: z.string(),
  /** Null for an upstream that wants none. */
  credential: z.string().nullable(),
  protocol: z.enum(PROTOCOLS),
  /** The model's name at the upstream; null where it is asked which models it has. */
  model: z.string().min(1).nullable(),
  /** What the model is for, where that is no conversation. */
  operation: z.enum(OTHER_OPERATIONS).optional(),
  /** An upstream that is not published: it is tried as it would be. */
  candidate: upstreamSchema.optional(),
});
export type UpstreamTest = z.infer<typeof upstreamTestSchema>;

export const upstreamTestResultSchema = z.strictObject({
  gateway: z.string(),
  ok: z.boolean(),
  /** Null where no answer came. */
  status: z.int().nullable(),
  /** To the last byte of the answer. */
  latency_ms: z.int().nonnegative(),
  /** What went wrong, without credentials; null where nothing did. */
  error: z.string().nullable(),
  /** By their names there, where it was asked which it has. */
  models: z.array(z.string()).optional(),
});
export type UpstreamTestResult = z.infer<typeof upstreamTestResultSchema>;

/** Redis string with the JSON of an UpstreamTestResult, written by the gateway that carried the test out. */
export const upstreamTestRedisKey = (id: string): string => `tollgate:upstream-test:${id}`;

/** Redis string with the name of the gateway that carries a test out: the first that sets it. */
export const upstreamTestClaimRedisKey = (id: string): string => `tollgate:upstream-test-claim:${id}`;

/** Both are forgotten after so long. */
export const UPSTREAM_TEST_KEPT_S = 60;

/** The longest that a gateway waits for an upstream's answer to a test. */
export const UPSTREAM_TEST_MS = 20_000;
