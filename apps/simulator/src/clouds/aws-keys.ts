import { createHash, randomBytes } from 'node:crypto';
import { type CloudState, ttlSeconds } from './faults.ts';
import { type AccessKey, type Verified, verifySignature, type WireRequest } from './sigv4.ts';

export type LentKey = AccessKey & { readonly sessionToken: string; readonly expiresAt: number };

/** Access keys of the simulated AWS: long-term ones, and those that were lent. */
export interface AwsKeys {
  /** A key for a while, for the identity that asked. */
  lend(identity: string): LentKey;
  /** Who signed a request for one of these services; the account is the id of the key, or the identity it was lent to. */
  verify(request: WireRequest, services: readonly string[]): Verified & { readonly account?: string };
  clear(): void;
}

/** Any id that begins with this is a long-term key: tests need not ask for one. */
const LONG_TERM = 'AKIASIM';

/** The secret of a long-term key, so that whoever names a key can sign with it. */
export const makeLongTermSecret = (id: string): string =>
  createHash('sha256').update(`secret of ${id}`).digest('base64');

export function createAwsKeys(state: CloudState): AwsKeys {
  const lent = new Map<string, LentKey & { readonly identity: string }>();
  const findKey = (id: string): AccessKey | undefined =>
    id.startsWith(LONG_TERM) ? { id, secret: makeLongTermSecret(id) } : lent.get(id);
  return {
    lend(identity) {
      const key = {
        id: `ASIA${randomBytes(8).toString('hex').toUpperCase()}`,
        secret: randomBytes(30).toString('base64'),
        sessionToken: randomBytes(48).toString('base64'),
        expiresAt: state.now() + ttlSeconds(state) * 1_000,
        identity,
      };
      lent.set(key.id, key);
      state.issued.aws += 1;
      return key;
    },
    verify(request, services) {
      const verified = verifySignature(request, { services, findKey, now: state.now() });
      if (!verified.ok) return verified;
      if (state.takesRefusal()) {
        const message = 'The security token included in the request is expired';
        return { ok: false, status: 403, type: 'ExpiredTokenException', message };
      }
      return { ...verified, account: lent.get(verified.key.id)?.identity ?? verified.key.id };
    },
    clear: () => lent.clear(),
  };
}
