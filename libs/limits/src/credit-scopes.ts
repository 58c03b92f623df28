import {
  CREDIT_REDIS_PATTERN,
  type CreditScope,
  creditRedisKey,
  gatewayRedisKey,
  HOLDS_REDIS_KEY,
  scopeOfCreditRedisKey,
} from '@tollgate/contracts';
import type { Redis } from 'ioredis';
import { CHANGE_HOLD, readHold } from './hold-record.ts';
import type { HoldRecord } from './hold.ts';
import { createScript } from './script.ts';

/** KEYS: all holds, then scopes. ARGV: the version, 1 to create scopes, what is left in each, then requests to release. */
const SCRIPT = `
${CHANGE_HOLD}
for i = 2, #KEYS do
  local version = redis.call('HGET', KEYS[i], 'version')
  if version and tonumber(version) < tonumber(ARGV[1]) then
    redis.call('HSET', KEYS[i], 'left', ARGV[i + 1], 'version', ARGV[1])
  elseif not version and ARGV[2] == '1' then
    redis.call('HSET', KEYS[i], 'left', ARGV[i + 1], 'version', ARGV[1], 'held', '0')
    redis.call('EXPIRE', KEYS[i], 3600)
  end
end
for i = #KEYS + 2, #ARGV do change_hold(KEYS[1], ARGV[i], '') end
`;

/** What the books say is left in scopes, in whole micro-USD. */
export interface BookedCredit {
  /** Rises with time: what was read later has a higher one. */
  readonly version: number;
  readonly left: ReadonlyMap<CreditScope, number>;
}

/** The side of the books: they write what is left, and take holds back once a request's cost is among it. */
export interface CreditScopes {
  /** In one step: writes what is newer than what is there, and releases the holds of requests. Repeatable. */
  write(
    booked: BookedCredit,
    options?: { readonly create?: boolean; readonly release?: readonly string[] },
  ): Promise<void>;
  /** The scopes that Redis has, some at a time; one may come twice. */
  known(): AsyncIterable<readonly CreditScope[]>;
  /** All holds, some at a time; one may come twice. */
  holds(): AsyncIterable<readonly HoldRecord[]>;
  holdsOf(requestIds: readonly string[]): Promise<readonly HoldRecord[]>;
  /** Those of these gateways that live. */
  living(gateways: readonly string[]): Promise<ReadonlySet<string>>;
}

const PAGE = 500;

export function createCreditScopes(redis: Redis): CreditScopes {
  const script = createScript(redis, SCRIPT);
  return {
    async write({ version, left }, { create = false, release = [] } = {}) {
      if (left.size === 0 && release.length === 0) return;
      const keys = [HOLDS_REDIS_KEY, ...[...left.keys()].map(creditRedisKey)];
      await script(keys, [version, create ? 1 : 0, ...left.values(), ...release]);
    },
    async *known() {
      let cursor = '0';
      do {
        const [next, keys] = await redis.scan(cursor, 'MATCH', CREDIT_REDIS_PATTERN, 'COUNT', PAGE);
        cursor = next;
        if (keys.length > 0) yield keys.map(scopeOfCreditRedisKey);
      } while (cursor !== '0');
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
    async holdsOf(requestIds) {
      if (requestIds.length === 0) return [];
      const found = await redis.hmget(HOLDS_REDIS_KEY, ...requestIds);
      return requestIds.flatMap((requestId, index) => {
        const text = found[index];
        return typeof text === 'string' ? [readHold(requestId, text)] : [];
      });
    },
    async living(gateways) {
      if (gateways.length === 0) return new Set();
      const found = await redis.mget(...gateways.map(gatewayRedisKey));
      return new Set(gateways.filter((_gateway, index) => found[index] !== null));
    },
  };
}
