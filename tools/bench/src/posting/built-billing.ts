import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PriceSnapshot } from '@tollgate/catalogue';
import type { UsageEvent } from '@tollgate/contracts';

const BILLING = join(import.meta.dirname, '..', '..', '..', '..', 'apps', 'billing', 'dist');

/** Is told of each query. */
interface QuerySubscriber {
  beforeQuery(event: { readonly query: string }): void;
  afterQuery(event: { readonly query: string }): void;
}

interface Database {
  readonly subscribers: QuerySubscriber[];
  initialize(): Promise<unknown>;
  destroy(): Promise<void>;
}

/** What is measured of billing's built code. */
export interface Billing {
  /** Events of a transaction at the most. */
  readonly EVENTS_PER_COMMIT_MAX: number;
  readonly createDataSource: (url: string) => Database;
  readonly postBatch: (
    database: Database,
    postings: readonly unknown[],
    rejected: readonly [],
  ) => Promise<unknown[]>;
  readonly computePosting: (
    event: UsageEvent,
    snapshot: PriceSnapshot,
  ) => { readonly ok: boolean; readonly value?: unknown };
}

export async function loadBilling(): Promise<Billing> {
  const load = (path: string) => import(pathToFileURL(join(BILLING, path)).href) as Promise<Partial<Billing>>;
  const modules = ['database/data-source.js', 'usage/post-batch.js', 'usage/posting.js'];
  return Object.assign({}, ...(await Promise.all(modules.map(load)))) as Billing;
}
