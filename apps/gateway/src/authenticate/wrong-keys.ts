import { rateLimitCharges, type ResilientLimiter } from '@tollgate/limits';
import { clientBlock } from '@tollgate/platform';
import { LRUCache } from 'lru-cache';

const MINUTE_MS = 60_000;
const MAX_CLIENTS = 100_000;

/** Counts the wrong keys of a client address, over all gateways. Right ones do not count. */
export interface WrongKeys {
  /** Milliseconds for which keys of this address are not looked up; 0 when they are. Asks nobody. */
  blockedMs(address: string): number;
  count(address: string): Promise<void>;
}

/**
 * A gateway learns from the answer to its own count that an address has used up its tries: each of them looks up one
 * more at most than the limit allows.
 */
export function createWrongKeys(limiter: Pick<ResilientLimiter, 'admit'>, perMinute: number): WrongKeys {
  const blockedUntil = new LRUCache<string, number>({
    maxSize: MAX_CLIENTS,
    sizeCalculation: () => 1,
    ttl: MINUTE_MS,
  });
  return {
    blockedMs(address) {
      if (blockedUntil.size === 0) return 0;
      const until = blockedUntil.get(clientBlock(address));
      return until === undefined ? 0 : Math.max(0, until - performance.now());
    },
    async count(address) {
      const client = clientBlock(address);
      const admission = await limiter.admit(
        rateLimitCharges(
          { dimension: 'client', id: `wrong-keys:${client}` },
          { requests_per_minute: perMinute },
          { requests: 1, tokens: 0 },
        ),
      );
      const isLast = admission.buckets.some(({ remaining }) => remaining < 1);
      if (!admission.admitted) blockedUntil.set(client, performance.now() + admission.retryAfterMs);
      else if (isLast) blockedUntil.set(client, performance.now() + MINUTE_MS / perMinute);
    },
  };
}
