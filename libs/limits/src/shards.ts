import { keySlot } from './key-slot.ts';
import { createBatchedScript, type RedisClient, type RunScript } from './script.ts';

/** After a failure a shard is left alone for this long, so that requests do not each wait for it. */
const REST_MS = 500;

/** Redis did not answer lately, and was not asked. */
export class AwayError extends Error {
  override readonly name = 'AwayError';
}

/**
 * Keys that one script call may touch share a shard: of a single server that is all keys, of a cluster those of one
 * slot. A shard that does not answer rests, and the others are not held up by it.
 */
export interface Shards {
  readonly findShard: (key: string) => number;
  /** All keys share one shard. */
  readonly single: boolean;
  /** Whether a call on one of these would fail at once. */
  away(shards: Iterable<number>): boolean;
  /** Whether any shard rests, or all of Redis is away. */
  readonly degraded: boolean;
  /** @throws when Redis does not answer in time. */
  run(shard: number, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
}

interface ShardOptions {
  readonly prelude: string;
  readonly body: string;
  /** Without it a shard is waited for, and never rests. */
  readonly timeoutMs?: number | undefined;
  /** For tests: where a key lives. */
  readonly findShard?: ((key: string) => number) | undefined;
}

export function createShards(redis: RedisClient, options: ShardOptions): Shards {
  const { prelude, body, timeoutMs } = options;
  const rests = timeoutMs !== undefined;
  const findShard = options.findShard ?? (redis.isCluster ? keySlot : () => 0);
  const scripts = new Map<number, RunScript>();
  const restsUntil = new Map<number, number>();

  function isAway(shard: number, at: number): boolean {
    const until = restsUntil.get(shard);
    if (until === undefined) return false;
    if (at < until) return true;
    restsUntil.delete(shard);
    return false;
  }
  const findScript = (shard: number): RunScript => {
    const known = scripts.get(shard);
    if (known) return known;
    const made = createBatchedScript(redis, { prelude, body, timeoutMs });
    scripts.set(shard, made);
    return made;
  };

  return {
    findShard,
    single: !redis.isCluster && options.findShard === undefined,
    away(shards) {
      if (rests && redis.status !== 'ready') return true;
      if (restsUntil.size === 0) return false;
      const at = performance.now();
      for (const shard of shards) if (isAway(shard, at)) return true;
      return false;
    },
    get degraded() {
      if (redis.status !== 'ready') return true;
      const at = performance.now();
      return [...restsUntil.keys()].some((shard) => isAway(shard, at));
    },
    async run(shard, keys, args) {
      try {
        return await findScript(shard)(keys, args);
      } catch (error) {
        if (rests) restsUntil.set(shard, performance.now() + REST_MS);
        throw error;
      }
    },
  };
}
