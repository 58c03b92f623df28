import {
  type BackgroundBegin,
  type BackgroundBegun,
  backgroundBegunSchema,
  type BackgroundEnd,
  type BackgroundStart,
  type FoundJob,
  foundJobSchema,
  type LeasedJob,
  leasedJobsSchema,
  MESSAGE,
} from '@tollgate/contracts';
import type { RequestReplyClient } from '@tollgate/platform';
import { z } from 'zod';

/** Billing posts an end before it answers. */
const END_TIMEOUT_MS = 10_000;

/** Where a job runs: at one credential of an upstream, under the upstream's name of it. */
export interface JobPlace {
  readonly place: string;
  readonly response_id: string;
}

/** The jobs that billing keeps. Everything throws while billing does not answer, and may be told again. */
export interface BackgroundJobs {
  /** Makes room for a job, before its request is sent. */
  begin(job: BackgroundBegin): Promise<BackgroundBegun>;
  /** Notes where it runs; false where the books have given it up meanwhile. */
  start(job: BackgroundStart): Promise<boolean>;
  /** Forgets a request that became no job. */
  drop(requestId: string): Promise<void>;
  /** Jobs whose upstreams are to be asked now, by nobody else for a while. */
  lease(max: number): Promise<readonly LeasedJob[]>;
  /** @param status null where the upstream did not say. */
  polled(requestId: string, status: string | null): Promise<void>;
  /** Resolves when its usage is in the books: true for the one of those that tell its end who has ended it. */
  end(job: BackgroundEnd): Promise<boolean>;
  /** @param isDue its upstream is to be asked soon, whoever does that. */
  find(accountId: string, place: JobPlace, isDue?: boolean): Promise<FoundJob | null>;
}

export function createBackgroundJobs(billing: RequestReplyClient): BackgroundJobs {
  const tell = async (pattern: string, payload: object): Promise<void> => {
    await billing.request(pattern, payload, z.null());
  };
  return {
    begin: (job) => billing.request(MESSAGE.backgroundBegin, job, backgroundBegunSchema),
    start: (job) => billing.request(MESSAGE.backgroundStart, job, z.boolean()),
    drop: (requestId) => tell(MESSAGE.backgroundDrop, { request_id: requestId }),
    lease: (max) => billing.request(MESSAGE.backgroundLease, { max }, leasedJobsSchema),
    polled: (requestId, status) => tell(MESSAGE.backgroundPolled, { request_id: requestId, status }),
    end: (job) => billing.request(MESSAGE.backgroundEnd, job, z.boolean(), END_TIMEOUT_MS),
    find: (accountId, place, isDue = false) =>
      billing.request(
        MESSAGE.backgroundFind,
        { ...place, account_id: accountId, is_due: isDue },
        foundJobSchema.nullable(),
      ),
  };
}
