import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** Runs a Lua script by its digest, and sends it whole where Redis does not know it. */
export type RunScript = (keys: readonly string[], args: readonly (string | number)[]) => Promise<unknown>;

export function createScript(redis: Redis, source: string): RunScript {
  const digest = createHash('sha1').update(source).digest('hex');
  return async (keys, args) => {
    const all = [keys.length, ...keys, ...args] as [number, ...string[]];
    try {
      return await redis.evalsha(digest, ...all);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return await redis.eval(source, ...all);
    }
  };
}
