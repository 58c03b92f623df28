import type { PriceSnapshot } from '@tollgate/catalogue';
import type { StorageConfig } from './export-config.ts';
import type { ExportPlan } from './export-job.ts';
import type { Progress } from './write-export.ts';

/** What the thread of an export is given. */
export interface ThreadInput {
  readonly plan: ExportPlan;
  readonly leaseId: string;
  readonly databaseUrl: string;
  /** Of a replica to read from. */
  readonly replicaUrl: string | undefined;
  readonly storage: StorageConfig;
}

export type FromThread =
  /** Rows are read from the primary, though there is a replica. */
  | { readonly type: 'replica left'; readonly reason: string }
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'snapshot'; readonly version: number }
  | { readonly type: 'done'; readonly done: Progress & { readonly manifest: string } };

/** The prices of a version, or why there are none. */
export type ToThread =
  | { readonly version: number; readonly snapshot: PriceSnapshot }
  | { readonly version: number; readonly reason: string };
