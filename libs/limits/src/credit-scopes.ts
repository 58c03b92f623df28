import {
  CREDIT_REDIS_PATTERN,
  type CreditScope,
  creditRedisKey,
  gatewayRedisKey,
  HOLDS_REDIS_KEY,
  parseCreditRedisKey,
} from '@tollgate/contracts';
import type { Cluster, Redis } from 'ioredis';
import { SCOPE_TTL_S } from './admission-script.ts';
import { readHold, writeHold } from './hold-record.ts';
import type { CreditHold, HoldRecord } from './hold.ts';
import { keySlot } from './key-slot.ts';
import { createScript, type RedisClient } from './script.ts';

/**
 * KEYS: scopes, then all holds where records are removed. ARGV: the version, 1 to create scopes, how many scopes; for
 * each of them what is left (empty: nothing is said of it), how many requests it is released of, and these; then the
 * requests whose records are removed. Answers the highest version of a scope that is not below the one given.
 *
 * What gives memory back stands first: a Redis that is full refuses a script at its first command that takes some, and no
 * more once it has written. So holds are released though it is full.
 */
const SCRIPT = `
local count, at, newest = tonumber(ARGV[3]), 4, 0
local begins = {}
for i = 1, count do
  begins[i] = at
  at = at + 2 + tonumber(ARGV[at + 1])
end
for i = at, #ARGV do redis.call('HDEL', KEYS[count + 1], ARGV[i]) end
for i = 1, count do
  local key, first, releases = KEYS[i], begins[i] + 2, tonumber(ARGV[begins[i] + 1])
  for j = first, first + releases - 1 do
    local field = 'h:' .. ARGV[j]
    local old = redis.call('HGET', key, field)
    if old then
      redis.call('HDEL', key, field)
      redis.call('HINCRBY', key, 'held', string.format('%d', -tonumber(old)))
    end
  end
end
for i = 1, count do
  local key, left = KEYS[i], ARGV[begins[i]]
  local version = left ~= '' and redis.call('HGET', key, 'version')
  if version and tonumber(version) < tonumber(ARGV[1]) then
    redis.call('HSET', key, 'left', left, 'version', ARGV[1])
  elseif version then
    if tonumber(version) > newest then newest = tonumber(version) end
  elseif left ~= '' and ARGV[2] == '1' then
    redis.call('HSET', key, 'left', left, 'version', ARGV[1], 'held', '0')
    redis.call('EXPIRE', key, 3600)
  end
end
return string.format('%d', newest)
`;

/**
 * KEYS: a scope. ARGV: the request, the amount. Puts back what a request holds, in a scope that is there and has lost it.
 */
const RESTORE = `
if redis.call('HEXISTS', KEYS[1], 'left') == 1 and redis.call('HSETNX', KEYS[1], 'h:' .. ARGV[1], ARGV[2]) == 1 then
  redis.call('HINCRBY', KEYS[1], 'held', ARGV[2])
  redis.call('EXPIRE', KEYS[1], ${SCOPE_TTL_S})
end
return 1
`;

/** What the books say is left in scopes, in whole micro-USD. */
export interface BookedCredit {
  /** Rises with time: what was read later has a higher one. */
  readonly version: number;
  readonly left: ReadonlyMap<CreditScope, number>;
}

/** The side of the books: they write what is left, and take holds back once a request's cost is among it. */
export interface CreditScopes {
  /**
   * Writes balances that are newer than those stored, and releases the holds of requests, in one step for each scope. On a
   * single server all scopes are one step. May be repeated.
   *
   * @returns the highest version of a scope that was not written because a newer one is stored; 0 where all were written.
   */
  write(
    booked: BookedCredit,
    options?: { readonly create?: boolean; readonly release?: readonly string[] },
  ): Promise<number>;
  /** The scopes that Redis has, some at a time; one may come twice. */
  known(): AsyncIterable<readonly CreditScope[]>;
  /** All holds, some at a time; one may come twice. */
  holds(): AsyncIterable<readonly HoldRecord[]>;
  holdsOf(requestIds: readonly string[]): Promise<readonly HoldRecord[]>;
  /** Puts a hold back that Redis has lost, in those of its scopes that Redis has. Repeatable. */
  restore(hold: CreditHold): Promise<void>;
  /** Those of these gateways that live. */
  living(gateways: readonly string[]): Promise<ReadonlySet<string>>;
}

const PAGE = 500;
/** In place of the gateway that held it, which nobody knows any more. */
const RESTORED = 'restored';

export function createCreditScopes(redis: RedisClient): CreditScopes {
  const script = createScript(redis, SCRIPT);
  const restoreScript = createScript(redis, RESTORE);
  const findShard = redis.isCluster ? keySlot : () => 0;

  async function holdsOf(requestIds: readonly string[]): Promise<HoldRecord[]> {
    if (requestIds.length === 0) return [];
    const found = await redis.hmget(HOLDS_REDIS_KEY, ...requestIds);
    return requestIds.flatMap((requestId, index) => {
      const text = found[index];
      return typeof text === 'string' ? [readHold(requestId, text)] : [];
    });
  }

  return {
    holdsOf,
    async write({ version, left }, { create = false, release = [] } = {}) {
      if (left.size === 0 && release.length === 0) return 0;
      const releases = new Map<CreditScope, string[]>([...left.keys()].map((scope) => [scope, []]));
      for (const { requestId, scopes } of await holdsOf(release))
        for (const scope of scopes) {
          const known = releases.get(scope);
          if (known) known.push(requestId);
          else releases.set(scope, [requestId]);
        }
      const shards = Map.groupBy(releases, ([scope]) => findShard(creditRedisKey(scope)));
      const run = async (scopes: readonly [CreditScope, string[]][], records: readonly string[]) =>
        Number(
          await script(
            [
              ...scopes.map(([scope]) => creditRedisKey(scope)),
              ...(records.length > 0 ? [HOLDS_REDIS_KEY] : []),
            ],
            [
              ...[version, create ? 1 : 0, scopes.length],
              ...scopes.flatMap(([scope, requests]) => [left.get(scope) ?? '', requests.length, ...requests]),
              ...records,
            ],
          ),
        );
      // While its record is there, what a request still holds is found again.
      const [only] = shards.values();
      const together = shards.size === 1 && shards.has(findShard(HOLDS_REDIS_KEY));
      if (together && only) return run(only, release);
      const newest = await Promise.all([...shards.values()].map((scopes) => run(scopes, [])));
      if (release.length > 0) await run([], release);
      return Math.max(0, ...newest);
    },
    async *known() {
      for (const server of serversOf(redis)) {
        let cursor = '0';
        do {
          const [next, keys] = await server.scan(cursor, 'MATCH', CREDIT_REDIS_PATTERN, 'COUNT', PAGE);
          cursor = next;
          if (keys.length > 0) yield keys.map(parseCreditRedisKey);
        } while (cursor !== '0');
      }
    },
    async *holds() {
      let cursor = '0';
      do {
        const [next, found] = await redis.hscan(HOLDS_REDIS_KEY, cursor, 'COUNT', PAGE);
        cursor = next;
        const pairs = Array.from({ length: found.length / 2 }, (_, index) =>
          found.slice(2 * index, 2 * index + 2),
        );
        if (pairs.length > 0) yield pairs.map(([requestId = '', text = '']) => readHold(requestId, text));
      } while (cursor !== '0');
    },
    async restore(hold) {
      const { requestId, amount, scopes } = hold;
      // While its record is there, what a request holds is found again.
      await redis.hsetnx(HOLDS_REDIS_KEY, requestId, writeHold(hold, RESTORED, Date.now()));
      for (const scope of scopes) await restoreScript([creditRedisKey(scope)], [requestId, amount]);
    },
    async living(gateways) {
      const found = await Promise.all(gateways.map((gateway) => redis.exists(gatewayRedisKey(gateway))));
      return new Set(gateways.filter((_gateway, index) => found[index] === 1));
    },
  };
}

const serversOf = (redis: RedisClient): readonly Redis[] =>
  redis.isCluster ? (redis as Cluster).nodes('master') : [redis as Redis];
