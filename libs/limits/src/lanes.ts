import { keySlot } from './key-slot.ts';
import { createBatchedScript, type RedisClient, type RunScript } from './script.ts';

/** After a failure a lane is left alone for this long, so that requests do not each wait for it. */
const REST_MS = 500;

/** Redis did not answer lately, and was not asked. */
export class AwayError extends Error {
  override readonly name = 'AwayError';
}

/**
 * Keys that one script call may touch share a lane: of a single server that is all keys, of a cluster those of one
 * slot. A lane that does not answer rests, and the others are not held up by it.
 */
export interface Lanes {
  readonly laneOf: (key: string) => number;
  /** All keys share one lane. */
  readonly single: boolean;
  /** Whether a call on one of these would fail at once. */
  away(lanes: Iterable<number>): boolean;
  /** Whether any lane rests, or all of Redis is away. */
  readonly degraded: boolean;
  /** @throws when Redis does not answer in time. */
  run(lane: number, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
}

interface LaneOptions {
  readonly prelude: string;
  readonly body: string;
  /** Without it a lane is waited for, and never rests. */
  readonly timeoutMs?: number | undefined;
  /** For tests: where a key lives. */
  readonly laneOf?: ((key: string) => number) | undefined;
}

export function createLanes(redis: RedisClient, options: LaneOptions): Lanes {
  const { prelude, body, timeoutMs } = options;
  const rests = timeoutMs !== undefined;
  const laneOf = options.laneOf ?? (redis.isCluster ? keySlot : () => 0);
  const scripts = new Map<number, RunScript>();
  const restsUntil = new Map<number, number>();

  function isAway(lane: number, at: number): boolean {
    const until = restsUntil.get(lane);
    if (until === undefined) return false;
    if (at < until) return true;
    restsUntil.delete(lane);
    return false;
  }
  const scriptOf = (lane: number): RunScript => {
    const known = scripts.get(lane);
    if (known) return known;
    const made = createBatchedScript(redis, { prelude, body, timeoutMs });
    scripts.set(lane, made);
    return made;
  };

  return {
    laneOf,
    single: !redis.isCluster && options.laneOf === undefined,
    away(lanes) {
      if (rests && redis.status !== 'ready') return true;
      if (restsUntil.size === 0) return false;
      const at = Date.now();
      for (const lane of lanes) if (isAway(lane, at)) return true;
      return false;
    },
    get degraded() {
      if (redis.status !== 'ready') return true;
      const at = Date.now();
      return [...restsUntil.keys()].some((lane) => isAway(lane, at));
    },
    async run(lane, keys, args) {
      try {
        return await scriptOf(lane)(keys, args);
      } catch (error) {
        if (rests) restsUntil.set(lane, Date.now() + REST_MS);
        throw error;
      }
    },
  };
}
