import { MESSAGE, type UsageEvent, usageLookupSchema } from '@tollgate/contracts';
import type { Logger, RequestReplyClient } from '@tollgate/platform';
import { z } from 'zod';
import type { WrittenEvent } from './spool-line.ts';
import type { UsageQueue } from './usage-queue.ts';

/** Billing posts the events before it answers. */
const POST_TIMEOUT_MS = 10_000;

/** Brings usage to billing: by the queue, and past a queue that refuses it, so that nothing waits for Redis. */
export interface UsageDelivery {
  /** @throws when the queue refuses the job, for it is away or full. */
  enqueue(job: string, events: readonly WrittenEvent[]): Promise<void>;
  /** Hands events to billing itself. Resolves when they are in the books. @throws when it does not take them. */
  post(events: readonly UsageEvent[]): Promise<void>;
  /** Whether the queue refused the last job that it was given. */
  queueRefuses(): boolean;
  /** Jobs that the queue refused, since the start. */
  refusals(): number;
  close(): Promise<void>;
}

export function createUsageDelivery(parts: {
  readonly queue: UsageQueue;
  readonly billing: RequestReplyClient;
  readonly logger: Logger;
}): UsageDelivery {
  const { queue, billing, logger } = parts;
  let refusals = 0;
  let refuses = false;
  return {
    async enqueue(job, events) {
      try {
        await queue.add(job, events);
        refuses = false;
      } catch (error) {
        refusals += 1;
        if (!refuses)
          logger.warn(
            { event: 'usage_queue_refuses', reason: (error as Error).message },
            'the queue refuses usage events',
          );
        refuses = true;
        throw error;
      }
    },
    async post(events) {
      await billing.request(MESSAGE.usagePost, { events }, z.null(), POST_TIMEOUT_MS);
    },
    queueRefuses: () => refuses,
    refusals: () => refusals,
    close: () => queue.close(),
  };
}

/** Billing may have to look up thousands of requests while it posts others. */
const LOOKUP_TIMEOUT_MS = 10_000;

/** Asks billing which requests are not in its books. */
export const createMissingUsageLookup =
  (billing: RequestReplyClient) =>
  async (requestIds: readonly string[]): Promise<readonly string[]> => {
    const question = { request_ids: requestIds };
    const answer = await billing.request(
      MESSAGE.usageMissing,
      question,
      usageLookupSchema,
      LOOKUP_TIMEOUT_MS,
    );
    return answer.request_ids;
  };
