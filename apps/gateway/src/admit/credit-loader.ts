import { type CreditLoad, type CreditScope, MESSAGE } from '@tollgate/contracts';
import type { RequestReplyClient } from '@tollgate/platform';
import { z } from 'zod';

/** Has billing write scopes to Redis. Requests at once for the same scopes share one question. */
export type LoadCredit = (scopes: readonly CreditScope[]) => Promise<void>;

/** @returns what throws when billing does not answer. */
export function createCreditLoader(billing: RequestReplyClient): LoadCredit {
  const pending = new Map<string, Promise<void>>();
  return (scopes) => {
    const name = scopes.join(' ');
    const underWay = pending.get(name);
    if (underWay) return underWay;
    const payload: CreditLoad = { scopes: [...scopes] };
    const load = billing
      .request(MESSAGE.creditLoad, payload, z.null())
      .then(() => {})
      .finally(() => pending.delete(name));
    pending.set(name, load);
    return load;
  };
}
