import type { CreditAdmission } from '@tollgate/limits';
import { relayError, type RelayError } from '@tollgate/protocols';
import { LRUCache } from 'lru-cache';
import { explainEmpty, explainRate } from './explain.ts';

const MAX_KEYS = 100_000;
const MINUTE_MS = 60_000;
/** A limit may have been raised, or credit added, since. */
const REMEMBERED_MS = { rate: 10_000, credit: 2_000 };

type Refused = Extract<CreditAdmission, { admitted: false }>;

/**
 * Remembers which keys were refused, and until when all of their requests are refused, so that their large bodies need not
 * be read. Each gateway remembers its own refusals and asks nobody.
 */
export interface Refusals {
  note(keyId: string, refused: Refused): void;
  find(keyId: string): RelayError | undefined;
}

interface Remembered {
  readonly until: number;
  readonly error: (leftMs: number) => RelayError;
}

export function createRefusals(now: () => number = () => performance.now()): Refusals {
  // With `max` it would make places for all of them at once.
  const remembered = new LRUCache<string, Remembered>({ maxSize: MAX_KEYS, sizeCalculation: () => 1 });
  return {
    note(keyId, refused) {
      const found = whateverIsAsked(refused);
      if (found) remembered.set(keyId, { ...found, until: now() + found.ms });
    },
    find(keyId) {
      if (remembered.size === 0) return undefined;
      const found = remembered.get(keyId);
      if (!found) return undefined;
      const leftMs = found.until - now();
      if (leftMs > 0) return found.error(leftMs);
      remembered.delete(keyId);
      return undefined;
    },
  };
}

/** How long every request of the key is refused, small as it may be; undefined where another one may be let in. */
function whateverIsAsked(
  refused: Refused,
): { readonly ms: number; readonly error: Remembered['error'] } | undefined {
  if ('credit' in refused) {
    if (refused.credit !== 'insufficient' || refused.left > 0) return undefined;
    const error = relayError('quota_exhausted', explainEmpty(refused.scope));
    return { ms: REMEMBERED_MS.credit, error: () => error };
  }
  if (refused.dimension !== 'key' && refused.dimension !== 'account') return undefined;
  const ms = Math.min(REMEMBERED_MS.rate, msOf(refused));
  const error = (retryAfterMs: number) =>
    relayError('rate_limited', explainRate({ ...refused, retryAfterMs }), { retryAfterMs });
  return ms > 0 ? { ms, error } : undefined;
}

function msOf(refused: Extract<Refused, { unit: unknown }>): number {
  switch (refused.unit) {
    case 'requests':
      return refused.retryAfterMs;
    case 'concurrent':
      return 0;
    default: {
      // A smaller request may pass, unless there is a debt to be paid first.
      const level = refused.buckets.find(
        ({ dimension, unit }) => dimension === refused.dimension && unit === refused.unit,
      )?.remaining;
      return level === undefined || level >= 0 ? 0 : ((-1 - level) * MINUTE_MS) / refused.limit;
    }
  }
}
