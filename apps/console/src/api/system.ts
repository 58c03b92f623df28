import { queryOptions } from '@tanstack/react-query';
import { billingSystemControllerShow } from './generated/sdk/billing-system.gen.ts';
import { bodyOf } from './result.ts';

/** A part of the system; its state is null while it is down. */
export interface Looked<T> {
  readonly up: boolean;
  readonly latency_ms: number;
  readonly error: string | null;
  readonly state: T | null;
}

export interface GatewayState {
  readonly gateway: string;
  readonly seen_at: string;
  readonly started_at: string;
  readonly version: string;
  readonly snapshot_version: number | null;
  readonly spool_files: number;
  readonly pending_events: number;
}

export interface System {
  readonly at: string;
  readonly billing: { readonly version: string; readonly started_at: string };
  /** The snapshot that is published; its state is null before the first too. */
  readonly pricing: Looked<{ readonly version: number; readonly published_at: string }>;
  readonly postgres: Looked<{
    readonly version: string;
    readonly bytes: number;
    readonly connections: number;
    readonly most_connections: number;
    readonly rejected_events: number;
  }>;
  readonly redis: Looked<{
    readonly version: string;
    readonly role: string;
    readonly bytes: number;
    readonly most_bytes: number;
    readonly connections: number;
    readonly uptime_s: number;
  }>;
  readonly gateways: Looked<readonly GatewayState[]>;
  readonly queue: Looked<{
    readonly waiting: number;
    readonly active: number;
    readonly delayed: number;
    readonly failed: number;
  }>;
  readonly audit: {
    readonly at: string;
    readonly to: number;
    readonly imbalance_usd: string;
    readonly difference_count: number;
  } | null;
}

const REFRESH_MS = 5_000;

/** How everything is, asked again and again while somebody looks. */
export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: ({ signal }) => bodyOf<System>(billingSystemControllerShow({ signal })),
  refetchInterval: REFRESH_MS,
});
