import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { admissionOf, type BucketCorrection, type Limiter, type TokenBucketCharge } from './token-bucket.ts';

/**
 * A bucket is one string, "level:milliseconds". ARGV[1] is the time (empty: the server's own), then four numbers a
 * bucket: capacity, refill a minute, what it must hold, what is taken. Answers 1 or 0 and the levels.
 */
const SCRIPT = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local levels, admitted = {}, 1
for i, key in ipairs(KEYS) do
  local at = 4 * i - 2
  local capacity, refill, need = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local level = capacity
  local held = redis.call('GET', key)
  if held then
    local colon = string.find(held, ':', 1, true)
    local since = tonumber(string.sub(held, colon + 1))
    level = tonumber(string.sub(held, 1, colon - 1)) + math.max(0, now - since) * refill / 60000
    if level > capacity then level = capacity end
  end
  if level < need then admitted = 0 end
  levels[i] = level
end
local answer = { admitted }
for i, key in ipairs(KEYS) do
  local at = 4 * i - 2
  if admitted == 1 then
    local capacity, refill = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
    local level = math.min(capacity, levels[i] - tonumber(ARGV[at + 3]))
    levels[i] = level
    local full = math.ceil((capacity - level) * 60000 / refill)
    redis.call('SET', key, string.format('%.17g:%d', level, now), 'PX', math.max(1, full) + 1000)
  end
  answer[i + 1] = string.format('%.17g', levels[i])
end
return answer
`;
const SCRIPT_SHA = createHash('sha1').update(SCRIPT).digest('hex');

/** Token buckets in Redis, exact over all gateways: one script call for all buckets of a request. */
export function createRedisLimiter(redis: Redis, now: () => number | '' = () => ''): Limiter {
  async function run(
    keys: readonly string[],
    figures: readonly number[],
  ): Promise<{ admitted: boolean; levels: number[] }> {
    const args = [keys.length, ...keys, now(), ...figures];
    let answer: unknown;
    try {
      answer = await redis.evalsha(SCRIPT_SHA, ...(args as [number, ...string[]]));
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      answer = await redis.eval(SCRIPT, ...(args as [number, ...string[]]));
    }
    const [admitted, ...levels] = answer as [number, ...string[]];
    return { admitted: admitted === 1, levels: levels.map(Number) };
  }

  return {
    async admit(charges: readonly TokenBucketCharge[]) {
      if (charges.length === 0) return { admitted: true, buckets: [] };
      const { admitted, levels } = await run(
        charges.map(({ key }) => key),
        charges.flatMap(({ capacity, refillPerMinute, cost }) => [
          capacity,
          refillPerMinute,
          Math.min(cost, capacity),
          cost,
        ]),
      );
      return admissionOf(charges, levels, admitted);
    },
    async settle(corrections: readonly BucketCorrection[]) {
      if (corrections.length === 0) return;
      // A correction needs nothing to be there: it was spent already.
      await run(
        corrections.map(({ key }) => key),
        corrections.flatMap(({ capacity, refillPerMinute, delta }) => [
          capacity,
          refillPerMinute,
          -1e300,
          delta,
        ]),
      );
    },
  };
}
