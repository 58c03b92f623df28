import { createScript, type RedisClient } from '@tollgate/limits';

/** Claims of places in Redis: of all who want one, on any gateway, one has it until it stores, gives it back or is gone. */
export interface Claims {
  /** Undefined when the place is now ours for the length of a lease; else what stands there. */
  take(place: string, claim: Buffer): Promise<Buffer | undefined>;
  /** What stands at a place; undefined when nobody has it. */
  look(place: string): Promise<Buffer | undefined>;
  /** Keeps it for another lease. */
  renew(place: string, claim: Buffer): Promise<void>;
  /** False where the claim had lapsed and somebody else has the place. */
  store(place: string, claim: Buffer, value: Buffer, ttlMs: number): Promise<boolean>;
  release(place: string, claim: Buffer): Promise<void>;
}

/** Does nothing where somebody else has the place; one that nobody has is as good as ours. */
const IF_OURS = `
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return 0 end
if ARGV[2] == '' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end
return 1
`;

/** @param leaseMs how long a claim outlives a gateway that is gone. */
export function createClaims(redis: RedisClient, leaseMs: number): Claims {
  const ifOurs = createScript(redis, IF_OURS);
  return {
    async take(place, claim) {
      const held = await redis.setBuffer(place, claim, 'PX', leaseMs, 'NX', 'GET');
      return held ?? undefined;
    },
    look: async (place) => (await redis.getBuffer(place)) ?? undefined,
    async renew(place, claim) {
      await ifOurs([place], [claim, claim, leaseMs]);
    },
    store: async (place, claim, value, ttlMs) => (await ifOurs([place], [claim, value, ttlMs])) === 1,
    async release(place, claim) {
      await ifOurs([place], [claim, '', 0]);
    },
  };
}
