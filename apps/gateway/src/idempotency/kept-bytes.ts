import { createScript, type RedisClient } from '@tollgate/limits';

/** How much of Redis kept answers take, of an account and of all accounts. */
export interface KeptBytes {
  /** Whether so many more may be kept for the length of an answer's life; then they count as kept. */
  take(accountId: string, bytes: number): Promise<boolean>;
}

interface KeptBytesSettings {
  /** What is counted, apart from everything else that is. */
  readonly name: string;
  readonly perAccount: number;
  readonly inAll: number;
  /** How long an answer is kept. */
  readonly ttlMs: number;
}

/** What an answer takes beside its bytes: its key, and what Redis needs for it. */
const OVERHEAD_BYTES = 256;
/** Bytes are counted by when they were kept, in so many spans of an answer's life. */
const SPANS = 24;

/**
 * KEYS: a hash of bytes by span of time. ARGV: bytes, their bound, the length of a span in milliseconds, how many spans an
 * answer lives. Answers 1 when they fit.
 */
const TAKE = `
local time = redis.call('TIME')
local span = math.floor((time[1] * 1000 + math.floor(time[2] / 1000)) / tonumber(ARGV[3]))
local sum, counted = 0, redis.call('HGETALL', KEYS[1])
for i = 1, #counted, 2 do
  if tonumber(counted[i]) < span - tonumber(ARGV[4]) then redis.call('HDEL', KEYS[1], counted[i])
  else sum = sum + tonumber(counted[i + 1]) end
end
if sum + tonumber(ARGV[1]) > tonumber(ARGV[2]) then return 0 end
redis.call('HINCRBY', KEYS[1], string.format('%d', span), ARGV[1])
redis.call('PEXPIRE', KEYS[1], string.format('%d', tonumber(ARGV[3]) * (tonumber(ARGV[4]) + 2)))
return 1
`;

const ALL = 'all accounts';

export function createKeptBytes(redis: RedisClient, settings: KeptBytesSettings): KeptBytes {
  const script = createScript(redis, TAKE);
  const nameOf = (whose: string): string => `tollgate:${settings.name}-bytes:{${whose}}`;
  const spanMs = Math.max(1, Math.ceil(settings.ttlMs / SPANS));
  const take = async (whose: string, bytes: number, bound: number): Promise<boolean> =>
    (await script([nameOf(whose)], [bytes, bound, spanMs, SPANS])) === 1;
  return {
    async take(accountId, bytes) {
      const counted = bytes + OVERHEAD_BYTES;
      // One account's answers are bounded first: what all may keep is for all of them.
      return (
        (await take(accountId, counted, settings.perAccount)) && (await take(ALL, counted, settings.inAll))
      );
    },
  };
}
