import { createHash } from 'node:crypto';
import type { Cluster, Redis } from 'ioredis';

/** One server, one that a Sentinel names, or a cluster. */
export type RedisClient = Redis | Cluster;

/** Runs a Lua script by its digest, and sends it whole where Redis does not know it. */
export type RunScript = (keys: readonly string[], args: readonly ScriptArgument[]) => Promise<unknown>;

type ScriptArgument = string | number | Buffer;

export function createScript(redis: RedisClient, source: string): RunScript {
  const digest = createHash('sha1').update(source).digest('hex');
  return async (keys, args) => {
    const all = [keys.length, ...keys, ...args] as [number, ...(string | Buffer)[]];
    try {
      return await redis.evalsha(digest, ...all);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return await redis.eval(source, ...all);
    }
  };
}

/**
 * Runs several calls of a Lua function in one script call. What belongs to each stands behind one another in KEYS and
 * ARGV: the function is told after which of them its own begin, and how many keys it has.
 */
const inTurn = (prelude: string, body: string) => `
${prelude}
local function one(k, a, keys)
${body}
end
local answers, k, a = {}, 0, 0
while a < #ARGV do
  local keys, words = tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2])
  local fine, answer = pcall(one, k, a + 2, keys)
  if not fine then answer = { 'failed', type(answer) == 'table' and answer.err or tostring(answer) } end
  answers[#answers + 1] = answer
  k, a = k + keys, a + 2 + words
end
return answers
`;

interface Waiting {
  readonly keys: readonly string[];
  readonly args: readonly ScriptArgument[];
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** More would keep Redis from its other callers for too long. */
const BATCH_MAX_CALLS = 128;

interface ScriptOptions {
  readonly prelude: string;
  /** Of a function of `k`, `a` and `keys`: its own keys are KEYS[k + 1] to KEYS[k + keys], its words ARGV[a + 1] and on. */
  readonly body: string;
  /** A script call that was not answered after this long has failed; without it, it is waited for. */
  readonly timeoutMs?: number | undefined;
}

/**
 * As {@link createScript}, but the calls that one turn of the event loop makes share one script call: a call costs
 * Redis as much as before, and this process half. A call that fails does not touch the others.
 */
export function createBatchedScript(redis: RedisClient, options: ScriptOptions): RunScript {
  const run = createScript(redis, inTurn(options.prelude, options.body));
  let waiting: Waiting[] = [];

  async function send(batch: readonly Waiting[]): Promise<void> {
    const keys: string[] = [];
    const args: ScriptArgument[] = [];
    for (const each of batch) {
      keys.push(...each.keys);
      args.push(each.keys.length, each.args.length, ...each.args);
    }
    try {
      const work = run(keys, args);
      const answers = (await (options.timeoutMs === undefined
        ? work
        : within(options.timeoutMs, work))) as unknown[];
      batch.forEach(({ resolve, reject }, index) => {
        const answer = answers[index];
        if (Array.isArray(answer) && answer[0] === 'failed') reject(new Error(String(answer[1])));
        else resolve(answer);
      });
    } catch (error) {
      batch.forEach(({ reject }) => reject(error as Error));
    }
  }
  const flush = (): void => {
    const all = waiting;
    waiting = [];
    for (let at = 0; at < all.length; at += BATCH_MAX_CALLS) void send(all.slice(at, at + BATCH_MAX_CALLS));
  };

  return (keys, args) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ keys, args, resolve, reject });
    });
}

/** What came while the process stood still is read before time is up: hence one more turn of the event loop. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => setImmediate(() => reject(new Error(`no answer within ${ms} ms`))), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
