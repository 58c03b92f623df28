import { creditRedisKey, parseCreditRedisKey } from '@tollgate/contracts';
import type { CreditHold, HoldRecord } from './hold.ts';

/**
 * A hold in the hash of all holds: `o` (open) or `s` (settled), the amount, and in JSON what never changes, such as
 * `o:1500:{"gateway":…,"keys":[…]}`. The script changes the front.
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
    scopes: fixed.keys.map(parseCreditRedisKey),
    at: fixed.at,
  };
}
