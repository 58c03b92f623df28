import { randomUUID } from 'node:crypto';
import { type CreditScope, creditRedisKey, gatewayRedisKey, HOLDS_REDIS_KEY } from '@tollgate/contracts';
import type { Redis } from 'ioredis';
import { CHANGE_HOLD, writeHold } from './hold-record.ts';
import type { CreditAdmission, CreditHold, CreditSettlement } from './hold.ts';
import { createScript } from './script.ts';
import { admissionOf, type BucketCorrection, type Limiter, type TokenBucketCharge } from './token-bucket.ts';

/** A gateway that did not say for so long that it lives is dead: its requests have ended with it. */
export const GATEWAY_TTL_MS = 10_000;
/** Scopes that nobody spends from for so long are forgotten; they are loaded again when they are needed. */
const SCOPE_TTL_S = 7 * 24 * 3_600;

/**
 * A bucket is one string, "level:milliseconds". ARGV: the time (empty: the server's own), the number of buckets, then
 * four numbers a bucket: capacity, refill a minute, what it must hold, what is taken. Then what is done with credit:
 * nothing; `hold`, request, amount, record (KEYS after the buckets: the scopes, all holds, the gateway); or `settle`,
 * request, amount (KEYS after the buckets: all holds). Answers 1 or 0, the levels, and "left:held" a scope, empty for
 * one that is not there.
 */
const SCRIPT = `
${CHANGE_HOLD}
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local count = tonumber(ARGV[2])
local levels, admitted = {}, 1
for i = 1, count do
  local at = 4 * i - 1
  local capacity, refill, need = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local level = capacity
  local held = redis.call('GET', KEYS[i])
  if held then
    local colon = string.find(held, ':', 1, true)
    local since = tonumber(string.sub(held, colon + 1))
    level = tonumber(string.sub(held, 1, colon - 1)) + math.max(0, now - since) * refill / 60000
    if level > capacity then level = capacity end
  end
  if level < need then admitted = 0 end
  levels[i] = level
end
local at = 4 * count + 3
local credit, request, amount = ARGV[at], ARGV[at + 1], ARGV[at + 2]
local scopes = {}
if credit == 'hold' then
  for i = count + 1, #KEYS - 2 do
    local found = redis.call('HMGET', KEYS[i], 'left', 'held')
    if not found[1] then
      admitted = 0
      scopes[i - count] = ''
    else
      if tonumber(found[1]) - tonumber(found[2]) < tonumber(amount) then admitted = 0 end
      scopes[i - count] = found[1] .. ':' .. found[2]
    end
  end
end
local answer = { admitted }
for i = 1, count do
  if admitted == 1 then
    local capacity, refill = tonumber(ARGV[4 * i - 1]), tonumber(ARGV[4 * i])
    local level = math.min(capacity, levels[i] - tonumber(ARGV[4 * i + 2]))
    levels[i] = level
    local full = math.ceil((capacity - level) * 60000 / refill)
    redis.call('SET', KEYS[i], string.format('%.17g:%d', level, now), 'PX', math.max(1, full) + 1000)
  end
  answer[i + 1] = string.format('%.17g', levels[i])
end
if credit == 'hold' and admitted == 1 then
  for i = count + 1, #KEYS - 2 do
    if redis.call('HSETNX', KEYS[i], 'h:' .. request, amount) == 1 then
      redis.call('HINCRBY', KEYS[i], 'held', amount)
    end
    redis.call('EXPIRE', KEYS[i], ${SCOPE_TTL_S})
  end
  redis.call('HSET', KEYS[#KEYS - 1], request, ARGV[at + 3])
  redis.call('SET', KEYS[#KEYS], '1', 'PX', ${GATEWAY_TTL_MS})
end
if credit == 'settle' then change_hold(KEYS[#KEYS], request, amount) end
for _, scope in ipairs(scopes) do answer[#answer + 1] = scope end
return answer
`;

export interface RedisLimiter extends Limiter {
  /** Takes every charge and holds the amount in every scope, or does nothing of it. */
  admitOnCredit(charges: readonly TokenBucketCharge[], hold: CreditHold): Promise<CreditAdmission>;
  /** Corrects the buckets, and the hold to what the request really costs; repeating it changes nothing. */
  settleCredit(corrections: readonly BucketCorrection[], settlement: CreditSettlement): Promise<void>;
  /** Says that this gateway lives; {@link admitOnCredit} says it too. */
  beat(): Promise<void>;
}

export interface RedisLimiterOptions {
  /** For tests; without it the server's clock counts. */
  readonly now?: () => number | '';
  /** The name of this process, whose holds are taken back when it dies. */
  readonly gateway?: string;
}

/** Token buckets and credit in Redis, exact over all gateways: one script call for everything about a request. */
export function createRedisLimiter(redis: Redis, options: RedisLimiterOptions = {}): RedisLimiter {
  const { now = () => '', gateway = randomUUID() } = options;
  const script = createScript(redis, SCRIPT);
  const alive = gatewayRedisKey(gateway);

  async function run(
    buckets: { readonly keys: readonly string[]; readonly figures: readonly number[] },
    credit: { readonly keys: readonly string[]; readonly args: readonly (string | number)[] } = NO_CREDIT,
  ): Promise<{ admitted: boolean; levels: number[]; scopes: string[] }> {
    const { keys, figures } = buckets;
    const args = [now(), keys.length, ...figures, ...credit.args];
    const [admitted, ...rest] = (await script([...keys, ...credit.keys], args)) as [number, ...string[]];
    return {
      admitted: admitted === 1,
      levels: rest.slice(0, keys.length).map(Number),
      scopes: rest.slice(keys.length),
    };
  }

  return {
    async admit(charges) {
      if (charges.length === 0) return { admitted: true, buckets: [] };
      const { admitted, levels } = await run(chargesOf(charges));
      return admissionOf(charges, levels, admitted);
    },
    async settle(corrections) {
      if (corrections.length > 0) await run(correctionsOf(corrections));
    },
    async admitOnCredit(charges, hold) {
      const { admitted, levels, scopes } = await run(chargesOf(charges), {
        keys: [...hold.scopes.map(creditRedisKey), HOLDS_REDIS_KEY, alive],
        args: ['hold', hold.requestId, hold.amount, writeHold(hold, gateway, Date.now())],
      });
      if (admitted) return admissionOf(charges, levels, true);
      return creditRefusal(hold, scopes, charges, levels) ?? admissionOf(charges, levels, false);
    },
    async settleCredit(corrections, { requestId, amount }) {
      await run(correctionsOf(corrections), {
        keys: [HOLDS_REDIS_KEY],
        args: ['settle', requestId, amount ?? ''],
      });
    },
    async beat() {
      await redis.set(alive, '1', 'PX', GATEWAY_TTL_MS);
    },
  };
}

const NO_CREDIT = { keys: [], args: [] };

const chargesOf = (charges: readonly TokenBucketCharge[]) => ({
  keys: charges.map(({ key }) => key),
  figures: charges.flatMap(({ capacity, refillPerMinute, cost }) => [
    capacity,
    refillPerMinute,
    Math.min(cost, capacity),
    cost,
  ]),
});

/** A correction needs nothing to be there: it was spent already. */
const correctionsOf = (corrections: readonly BucketCorrection[]) => ({
  keys: corrections.map(({ key }) => key),
  figures: corrections.flatMap(({ capacity, refillPerMinute, delta }) => [
    capacity,
    refillPerMinute,
    -1e300,
    delta,
  ]),
});

/** Which scope was in the way, if one was: waiting does not mend that, so it is said before any rate limit. */
function creditRefusal(
  { scopes, amount }: CreditHold,
  found: readonly string[],
  charges: readonly TokenBucketCharge[],
  levels: readonly number[],
): CreditAdmission | undefined {
  const { buckets } = admissionOf(charges, levels, true);
  const unknown = scopes.filter((_scope, index) => found[index] === '');
  if (unknown.length > 0) return { admitted: false, buckets, credit: 'unknown', scopes: unknown };
  const states = scopes.map((scope, index) => stateOf(scope, found[index] ?? ''));
  const least = states.reduce((a, b) => (b.left - b.held < a.left - a.held ? b : a));
  if (least.left - least.held >= amount) return undefined;
  return { admitted: false, buckets, credit: 'insufficient', ...least };
}

function stateOf(scope: CreditScope, text: string): { scope: CreditScope; left: number; held: number } {
  const [left, held] = text.split(':');
  return { scope, left: Number(left), held: Number(held) };
}
