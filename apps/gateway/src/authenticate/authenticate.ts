import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { KeyRecord } from '@tollgate/contracts';
import { relayError, type RelayError, type RelayErrorKind } from '@tollgate/protocols';
import { API_KEY_FORM } from '@tollgate/vocabulary';
import type { HeldRecord, KeyRecords } from './key-records.ts';
import { readPresentedKey } from './presented-key.ts';
import type { WrongKeys } from './wrong-keys.ts';

type Authentication =
  | { readonly ok: true; readonly key: KeyRecord }
  /** With the key where it was found, and may not be used. */
  | { readonly ok: false; readonly error: RelayError; readonly key?: KeyRecord };

export interface AuthenticationRequest {
  readonly headers: IncomingHttpHeaders;
  readonly queryKey: string | undefined;
  readonly clientAddress: string;
  /** What the request came over, where more may come. */
  readonly connection?: object | undefined;
}

export interface AuthenticationDependencies {
  readonly keys: KeyRecords;
  readonly wrongKeys: WrongKeys;
}

/**
 * Whose key is this, and is it usable? At once where its record is held. Never throws; an unreachable key store is an error of
 * its own.
 */
export function authenticate(
  { keys, wrongKeys }: AuthenticationDependencies,
  { headers, queryKey, clientAddress, connection }: AuthenticationRequest,
): Authentication | Promise<Authentication> {
  const presented = readPresentedKey(headers, queryKey);
  if (presented.kind === 'none') return refuse('missing_key', 'Invalid token');
  if (presented.kind === 'conflict') {
    return refuse('conflicting_keys', 'Two different API keys were sent. Send one, in one header.');
  }
  if (!API_KEY_FORM.test(presented.key))
    return refuse('invalid_key', 'Invalid token: this is not an API key of this service.');

  const keyHash = hashKey(presented.key, connection);
  const blockedMs = wrongKeys.blockedMs(clientAddress);
  // An office behind one address goes on working while one of its programs guesses.
  if (blockedMs > 0 && !keys.holds(keyHash)) return tooManyWrong(blockedMs);
  const held = keys.find(keyHash);
  const judge = (found: HeldRecord | null) =>
    found === null ? refuseUnknown(wrongKeys, clientAddress) : judgeKey(found, clientAddress);
  return held instanceof Promise ? held.then(judge, () => KEYS_AWAY) : judge(held);
}

const KEYS_AWAY: Authentication = {
  ok: false,
  error: relayError('unavailable', 'Keys cannot be checked at the moment. Try again shortly.', {
    retryAfterMs: 1_000,
  }),
};

async function refuseUnknown(wrongKeys: WrongKeys, clientAddress: string): Promise<Authentication> {
  await wrongKeys.count(clientAddress);
  return refuse('invalid_key', 'Invalid token: there is no such API key.');
}

function judgeKey({ record, expiresAt, mayComeFrom }: HeldRecord, clientAddress: string): Authentication {
  const refuseKey = (kind: RelayErrorKind, message: string) => ({ ...refuse(kind, message), key: record });
  if (record.status === 'disabled') return refuseKey('key_disabled', 'This API key is disabled.');
  if (record.account_status === 'disabled')
    return refuseKey('key_disabled', 'The account of this API key is disabled.');
  if (expiresAt <= Date.now())
    return refuseKey('key_expired', `This API key expired at ${record.expires_at}.`);
  if (!mayComeFrom(clientAddress)) {
    return refuseKey('invalid_key', `This API key may not be used from your address, ${clientAddress}.`);
  }
  return { ok: true, key: record };
}

/** A connection mostly brings the same key again: hashing it takes longer than all else that is asked about it. */
const lastKeys = new WeakMap<object, { readonly key: string; readonly keyHash: string }>();

function hashKey(key: string, connection: object | undefined): string {
  const last = connection && lastKeys.get(connection);
  if (last?.key === key) return last.keyHash;
  const keyHash = hash('sha256', key);
  if (connection) lastKeys.set(connection, { key, keyHash });
  return keyHash;
}

const tooManyWrong = (retryAfterMs: number): Authentication => ({
  ok: false,
  error: relayError(
    'rate_limited',
    `Too many wrong API keys came from your address. Try again in ${Math.max(1, Math.ceil(retryAfterMs / 1_000))} s.`,
    { retryAfterMs },
  ),
});

const refuse = (kind: RelayErrorKind, message: string) => ({
  ok: false as const,
  error: relayError(kind, message),
});
