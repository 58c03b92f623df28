import { MESSAGE, usageLookupSchema } from '@tollgate/contracts';
import type { RequestReplyClient } from '@tollgate/platform';

/** Billing may have to look up thousands of requests while it posts others. */
const TIMEOUT_MS = 10_000;

/** Asks billing which requests are not in its books. */
export const createMissingUsageLookup =
  (billing: RequestReplyClient) =>
  async (requestIds: readonly string[]): Promise<readonly string[]> => {
    const question = { request_ids: requestIds };
    const answer = await billing.request(MESSAGE.usageMissing, question, usageLookupSchema, TIMEOUT_MS);
    return answer.request_ids;
  };
