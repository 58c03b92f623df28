import { z } from 'zod';

/** Milliseconds since 1970. */
const time = z.number().nonnegative();

/** How a gateway is, as it says itself. */
export const gatewayReportSchema = z.strictObject({
  gateway: z.string(),
  at: time,
  started_at: time,
  /** Of the software. */
  version: z.string(),
  /** The price snapshot that it serves; null before the first. */
  snapshot_version: z.int().positive().nullable(),
  /** Files of its spool whose events are not confirmed to be in the books. */
  spool_files: z.int().nonnegative(),
  /** Usage events that are neither on its disk nor in the queue yet. */
  pending_events: z.int().nonnegative(),
});
export type GatewayReport = z.infer<typeof gatewayReportSchema>;

/** Redis hash of the JSON of a GatewayReport for every gateway, written by them every few seconds. */
export const GATEWAY_REPORTS_REDIS_KEY = 'tollgate:gateways';

/** A gateway that has not written for so long is gone. */
export const GATEWAY_REPORT_MS = 10_000;
