import { createScript, type RedisClient } from '@tollgate/limits';

/** Leases keys in Redis. On all gateways together one request holds a lease, until it stores, gives it back or is gone. */
export interface Leases {
  /** Undefined when the key is now ours for the length of a lease; else its value. */
  take(redisKey: string, lease: Buffer): Promise<Buffer | undefined>;
  /** The value of a key; undefined when nobody has it. */
  look(redisKey: string): Promise<Buffer | undefined>;
  /** Keeps it for another lease. */
  renew(redisKey: string, lease: Buffer): Promise<void>;
  /** False where the lease had lapsed and somebody else has the key. */
  store(redisKey: string, lease: Buffer, value: Buffer, ttlMs: number): Promise<boolean>;
  release(redisKey: string, lease: Buffer): Promise<void>;
}

/** Does nothing where somebody else has the key; one that nobody has is as good as ours. */
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

/** @param leaseMs how long a lease outlives a gateway that is gone. */
export function createLeases(redis: RedisClient, leaseMs: number): Leases {
  const ifOurs = createScript(redis, IF_OURS);
  return {
    async take(redisKey, lease) {
      const held = await redis.setBuffer(redisKey, lease, 'PX', leaseMs, 'NX', 'GET');
      return held ?? undefined;
    },
    look: async (redisKey) => (await redis.getBuffer(redisKey)) ?? undefined,
    async renew(redisKey, lease) {
      await ifOurs([redisKey], [lease, lease, leaseMs]);
    },
    store: async (redisKey, lease, value, ttlMs) => (await ifOurs([redisKey], [lease, value, ttlMs])) === 1,
    async release(redisKey, lease) {
      await ifOurs([redisKey], [lease, '', 0]);
    },
  };
}
