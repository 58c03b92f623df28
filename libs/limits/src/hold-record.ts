import { creditRedisKey, scopeOfCreditRedisKey } from '@tollgate/contracts';
import type { CreditHold, HoldRecord } from './hold.ts';

/**
 * A hold in the hash of all holds: `o` (open) or `s` (settled), the amount, and in JSON what never changes, such as
 * `o:1500:{"gateway":…,"keys":[…]}`. The script changes the front and reads the keys.
 */
export function writeHold(hold: CreditHold, gateway: string, at: number): string {
  const { accountId, keyId, amount, scopes } = hold;
  const fixed = { gateway, at, account_id: accountId, key_id: keyId, keys: scopes.map(creditRedisKey) };
  return `o:${amount}:${JSON.stringify(fixed)}`;
}

interface Fixed {
  readonly gateway: string;
  readonly at: number;
  readonly account_id: string;
  readonly key_id: string;
  readonly keys: readonly string[];
}

/** Reads what {@link writeHold} and the script wrote. */
export function readHold(requestId: string, text: string): HoldRecord {
  const begin = text.indexOf('{');
  const fixed = JSON.parse(text.slice(begin)) as Fixed;
  return {
    requestId,
    settled: text.startsWith('s'),
    amount: Number(text.slice(2, begin - 1)),
    gateway: fixed.gateway,
    accountId: fixed.account_id,
    keyId: fixed.key_id,
    scopes: fixed.keys.map(scopeOfCreditRedisKey),
    at: fixed.at,
  };
}

/**
 * Lua: lowers or raises a hold to an amount, or takes it back where that is empty. A scope's hash has `left` and
 * `version` from the books, `held`, and a field `h:<request>` for each hold: `held` is their sum.
 */
export const CHANGE_HOLD = `
local function change_hold(holds, request, amount)
  local record = redis.call('HGET', holds, request)
  if not record then return end
  local fixed = string.sub(record, string.find(record, '{', 1, true), -1)
  for _, key in ipairs(cjson.decode(fixed).keys) do
    local field = 'h:' .. request
    local old = redis.call('HGET', key, field)
    if old and amount == '' then
      redis.call('HDEL', key, field)
      redis.call('HINCRBY', key, 'held', string.format('%d', -tonumber(old)))
    elseif old then
      redis.call('HSET', key, field, amount)
      redis.call('HINCRBY', key, 'held', string.format('%d', tonumber(amount) - tonumber(old)))
    end
  end
  if amount == '' then redis.call('HDEL', holds, request)
  else redis.call('HSET', holds, request, 's:' .. amount .. ':' .. fixed) end
end
`;
