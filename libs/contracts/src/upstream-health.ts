import { z } from 'zod';

/** Milliseconds since 1970. */
const time = z.number().nonnegative();

/**
 * Whether an upstream with one credential may be given requests, from the worst: `disabled` because its credential was refused,
 * `cooling_down` until an upstream's Retry-After has passed, or `ejected` by its circuit breaker.
 */
export const AVAILABILITIES = ['disabled', 'cooling_down', 'ejected', 'ready'] as const;
export type Availability = (typeof AVAILABILITIES)[number];

export const BREAKER_STATES = ['closed', 'open', 'half-open'] as const;
export type BreakerState = (typeof BREAKER_STATES)[number];

/** What one gateway decided about an upstream and credential, told to all others. */
export const healthTransitionSchema = z.strictObject({
  /** The upstream's name and a fingerprint of the credential. */
  id: z.string().min(1),
  state: z.enum(['open', 'closed', 'cooling_down', 'disabled', 'enabled']),
  until: time.nullable(),
  reason: z.string(),
  at: time,
  /** The gateway that decided. */
  by: z.string(),
});
export type HealthTransition = z.infer<typeof healthTransitionSchema>;

/** An admin lets a credential be used again that an upstream had refused. */
export const credentialEnabledSchema = z.strictObject({
  upstream: z.string(),
  credential: z.string(),
  by: z.string(),
});
export type CredentialEnabled = z.infer<typeof credentialEnabledSchema>;

/** An upstream with one credential, as one gateway knows it. */
const targetHealthSchema = z.strictObject({
  upstream: z.string(),
  /** Null for an upstream that wants none. */
  credential: z.string().nullable(),
  id: z.string(),
  availability: z.enum(AVAILABILITIES),
  /** Of its circuit breaker. */
  state: z.enum(BREAKER_STATES),
  /** When the breaker last changed to or from closed. */
  since: time.nullable(),
  until: time.nullable(),
  failureRate: z.number(),
  /** Requests that the failure rate rests on. */
  volume: z.number(),
  latencyMs: z.number().nullable(),
  outstanding: z.int().nonnegative(),
  coolingDownUntil: time.nullable(),
  disabledSince: time.nullable(),
  lastError: z.strictObject({ at: time, reason: z.string() }).nullable(),
});
export type TargetHealth = z.infer<typeof targetHealthSchema>;

export const gatewayHealthSchema = z.strictObject({
  gateway: z.string(),
  at: time,
  /** Credentials that upstreams refused, as this gateway found out, since it started. */
  credential_alerts: z.int().nonnegative(),
  targets: z.array(targetHealthSchema),
});
export type GatewayHealth = z.infer<typeof gatewayHealthSchema>;

/** Redis hash of the JSON of a GatewayHealth for every gateway, written by them every few seconds. */
export const UPSTREAM_HEALTH_REDIS_KEY = 'tollgate:upstream-health';

/** A gateway that has not written for so long is gone. */
export const GATEWAY_HEALTH_MS = 10_000;
