/** A gateway that did not say for so long that it lives is dead: its requests have ended with it. */
export const GATEWAY_TTL_MS = 10_000;
/** Scopes that nobody spends from for so long are forgotten; they are loaded again when they are needed. */
export const SCOPE_TTL_S = 7 * 24 * 3_600;

/** Lua: the server's clock, read once for all calls of a batch. */
export const ADMISSION_PRELUDE = `
local read
local function server_clock()
  if not read then
    local time = redis.call('TIME')
    read = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  return read
end
`;

/**
 * KEYS: buckets, sets of slots, scopes, then the hash of all holds where there is a record, and the gateway's sign of
 * life where it is given. ARGV: the time (empty: the server's own), how many buckets, slots and scopes, what is done
 * with credit (nothing, `hold` or `settle`), request, amount (empty: all is given back), the record, 1 to give a sign
 * of life; then five numbers a bucket: capacity, refill a minute, what it must hold, what is taken, what is leased
 * beside it if it is there; then two words a slot: how many there are (or `release`, or `renew`), and its name.
 *
 * A bucket is one string, "level:milliseconds". Slots are a sorted set by the time at which they lapse. A scope's hash
 * has `left` and `version` from the books, `held`, and a field `h:<request>` for each hold: `held` is their sum.
 *
 * Answers 1 or 0, level and lease a bucket, what is free a set of slots, and "left:held" a scope, empty for one that is
 * not there.
 */
export const ADMISSION = `
local now = tonumber(ARGV[a + 1]) or server_clock()
local buckets, slots, scopes = tonumber(ARGV[a + 2]), tonumber(ARGV[a + 3]), tonumber(ARGV[a + 4])
local credit, request, amount, record = ARGV[a + 5], ARGV[a + 6], ARGV[a + 7], ARGV[a + 8]
local levels, free, found, admitted = {}, {}, {}, 1
for i = 1, buckets do
  local at = 5 * i + 5
  local capacity = tonumber(ARGV[a + at])
  local level = capacity
  local held = redis.call('GET', KEYS[k + i])
  if held then
    local colon = string.find(held, ':', 1, true)
    local since = tonumber(string.sub(held, colon + 1))
    level = tonumber(string.sub(held, 1, colon - 1))
    if now > since then level = level + (now - since) * tonumber(ARGV[a + at + 1]) / 60000 end
    if level > capacity then level = capacity end
  end
  if level < tonumber(ARGV[a + at + 2]) then admitted = 0 end
  levels[i] = level
end
local words = 5 * buckets + 10
for i = 1, slots do
  local key, max = KEYS[k + buckets + i], tonumber(ARGV[a + words + 2 * i - 2])
  if max then
    redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
    free[i] = max - redis.call('ZCARD', key)
    if free[i] < 1 then admitted = 0 end
  else
    free[i] = 0
  end
end
local before = buckets + slots
if credit == 'hold' then
  for i = 1, scopes do
    local fields = redis.call('HMGET', KEYS[k + before + i], 'left', 'held')
    if not fields[1] then
      admitted = 0
      found[i] = ''
    else
      if tonumber(fields[1]) - tonumber(fields[2]) < tonumber(amount) then admitted = 0 end
      found[i] = fields[1] .. ':' .. fields[2]
    end
  end
end
local answer, stamp = { admitted }, string.format(':%d', now)
for i = 1, buckets do
  local leased = 0
  if admitted == 1 then
    local at = 5 * i + 5
    local capacity = tonumber(ARGV[a + at])
    local level = levels[i] - tonumber(ARGV[a + at + 3])
    if level > capacity then level = capacity end
    if ARGV[a + at + 4] ~= '0' and level >= 1 then
      leased = math.min(tonumber(ARGV[a + at + 4]), math.floor(level))
      level = level - leased
    end
    local full = math.ceil((capacity - level) * 60000 / tonumber(ARGV[a + at + 1]))
    if full < 1 then full = 1 end
    local text = string.format('%.17g', level)
    redis.call('SET', KEYS[k + i], text .. stamp, 'PX', full + 1000)
    answer[2 * i] = text
  else
    answer[2 * i] = string.format('%.17g', levels[i])
  end
  answer[2 * i + 1] = leased
end
for i = 1, slots do
  local key, what, slot = KEYS[k + buckets + i], ARGV[a + words + 2 * i - 2], ARGV[a + words + 2 * i - 1]
  if what == 'release' then
    redis.call('ZREM', key, slot)
  elseif admitted == 1 then
    redis.call('ZADD', key, now + ${GATEWAY_TTL_MS}, slot)
    redis.call('PEXPIRE', key, ${2 * GATEWAY_TTL_MS})
    free[i] = free[i] - 1
  end
  answer[#answer + 1] = free[i]
end
local holds = KEYS[k + before + scopes + 1]
if credit == 'hold' and admitted == 1 then
  for i = 1, scopes do
    local key = KEYS[k + before + i]
    if redis.call('HSETNX', key, 'h:' .. request, amount) == 1 then redis.call('HINCRBY', key, 'held', amount) end
    redis.call('EXPIRE', key, ${SCOPE_TTL_S})
  end
  if record ~= '' then redis.call('HSET', holds, request, record) end
elseif credit == 'settle' then
  for i = 1, scopes do
    local key, field = KEYS[k + before + i], 'h:' .. request
    local old = redis.call('HGET', key, field)
    if old and amount == '' then
      redis.call('HDEL', key, field)
      redis.call('HINCRBY', key, 'held', string.format('%d', -tonumber(old)))
    elseif old then
      redis.call('HSET', key, field, amount)
      redis.call('HINCRBY', key, 'held', string.format('%d', tonumber(amount) - tonumber(old)))
    end
  end
  local old = record ~= '' and redis.call('HGET', holds, request)
  if old and amount == '' then redis.call('HDEL', holds, request)
  elseif old then
    redis.call('HSET', holds, request, 's:' .. amount .. ':' .. string.sub(old, string.find(old, '{', 1, true), -1))
  end
end
if ARGV[a + 9] == '1' and admitted == 1 then redis.call('SET', KEYS[k + keys], '1', 'PX', ${GATEWAY_TTL_MS}) end
for _, scope in ipairs(found) do answer[#answer + 1] = scope end
return answer
`;
