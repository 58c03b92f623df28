import { z } from 'zod';
import type { BudgetWindow } from './key-record.ts';

/** A calendar day, such as "2026-11-21". */
const DAY = /^\d{4}-\d\d-\d\d$/;
const SCOPE = /^(?:account:([0-9a-f-]{36})|key:([0-9a-f-]{36}):(total|\d{4}-\d\d(?:-\d\d)?))$/;

/**
 * The name of what a request spends from: an account (`account:<id>`), or a budget of a key, which is for ever
 * (`key:<id>:total`), for a day (`key:<id>:2026-11-21`) or for a month (`key:<id>:2026-11`).
 */
export const creditScopeSchema = z.string().regex(SCOPE);
export type CreditScope = z.infer<typeof creditScopeSchema>;

export const accountScope = (accountId: string): CreditScope => `account:${accountId}`;

/** @param day the day of the request in the time zone of the key's account. */
export const keyScope = (keyId: string, window: BudgetWindow, day: string): CreditScope =>
  `key:${keyId}:${{ total: 'total', daily: day, monthly: day.slice(0, 7) }[window]}`;

export type ParsedCreditScope =
  | { readonly kind: 'account'; readonly accountId: string }
  | {
      readonly kind: 'key';
      readonly keyId: string;
      readonly window: BudgetWindow;
      /** The first day of the window; null for `total`. */
      readonly startsOn: string | null;
    };

/** Undefined for what is not the name of a scope. */
export function parseCreditScope(scope: string): ParsedCreditScope | undefined {
  const match = SCOPE.exec(scope);
  const [, accountId, keyId, window] = match ?? [];
  if (accountId !== undefined) return { kind: 'account', accountId };
  if (keyId === undefined || window === undefined) return undefined;
  if (window === 'total') return { kind: 'key', keyId, window, startsOn: null };
  return DAY.test(window)
    ? { kind: 'key', keyId, window: 'daily', startsOn: window }
    : { kind: 'key', keyId, window: 'monthly', startsOn: `${window}-01` };
}

const PREFIX = 'tollgate:credit:{';

/** Redis hash of what is left in a scope and what of it is held by requests. */
export const creditRedisKey = (scope: CreditScope): string => `${PREFIX}${scope}}`;
export const parseCreditRedisKey = (key: string): CreditScope => key.slice(PREFIX.length, -1);
/** Matches the keys of all scopes. */
export const CREDIT_REDIS_PATTERN = `${PREFIX}*`;

/** Redis hash of every hold by its request id. */
export const HOLDS_REDIS_KEY = 'tollgate:holds';

/** Redis string that is there while a gateway lives; in a cluster it lives where the holds do. */
export const gatewayRedisKey = (gateway: string): string =>
  `tollgate:gateway:{${HOLDS_REDIS_KEY}}:${gateway}`;

/** Asks billing to write scopes to Redis as the books have them. */
export const creditLoadSchema = z.strictObject({ scopes: z.array(creditScopeSchema).min(1).max(4) });
export type CreditLoad = z.infer<typeof creditLoadSchema>;
