import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Who may use what a vendor keeps, and where it is kept. */
export interface Keeping {
  readonly account: string;
  /** Of an upstream and one of its credentials, as {@link placeId} makes it. */
  readonly place: string;
}

/**
 * Binds the ids of what vendors keep to the account that received them. All customers of an upstream share its
 * credential, so that without this one could go on in another's conversation by knowing its id.
 */
export interface StoredIds {
  wrap(id: string, keeping: Keeping): string;
  /** Undefined for an id that was not wrapped, `null` for one that this account did not receive. */
  unwrap(text: string, account: string): { readonly id: string; readonly place: string } | null | undefined;
}

const MARK = 'tg1';
const PLACE_BYTES = 6;
const MAC_BYTES = 15;
/** Both in base64url, which has no remainder at this length. */
const SEAL_LENGTH = ((PLACE_BYTES + MAC_BYTES) * 4) / 3;

/** The name of an upstream's credential in an id; it tells nobody which one it is. */
export const placeId = (upstream: string, credential: string | null): string =>
  createHash('sha256')
    .update(JSON.stringify([upstream, credential]))
    .digest()
    .subarray(0, PLACE_BYTES)
    .toString('base64url');

/** A vendor's prefix, such as `resp_` or `file-`: SDKs look at it, so that it stays in front. */
const PREFIX = /^[A-Za-z]{1,20}[_-]/;
const WRAPPED = new RegExp(`^((?:[A-Za-z]{1,20}[_-])?)${MARK}([\\w-]{${SEAL_LENGTH}})(.*)$`, 's');

/**
 * @param key any secret that all gateways share.
 * @param others keys that it was, or will be: what they wrapped is opened too.
 */
export function createStoredIds(key: Buffer, others: readonly Buffer[] = []): StoredIds {
  const macKeyOf = (each: Buffer) => createHmac('sha256', each).update('tollgate stored ids').digest();
  const ours = macKeyOf(key);
  const macKeys = [ours, ...others.map(macKeyOf)];
  const sealOf = (id: string, { account, place }: Keeping, macKey: Buffer): Buffer => {
    const mac = createHmac('sha256', macKey)
      .update(JSON.stringify([account, place, id]))
      .digest();
    return Buffer.concat([Buffer.from(place, 'base64url'), mac.subarray(0, MAC_BYTES)]);
  };
  return {
    wrap(id, keeping) {
      const prefix = PREFIX.exec(id)?.[0] ?? '';
      const seal = sealOf(id, keeping, ours).toString('base64url');
      return `${prefix}${MARK}${seal}${id.slice(prefix.length)}`;
    },
    unwrap(text, account) {
      const [, prefix, seal, rest] = WRAPPED.exec(text) ?? [];
      if (prefix === undefined || seal === undefined || rest === undefined) return undefined;
      const given = Buffer.from(seal, 'base64url');
      const place = given.subarray(0, PLACE_BYTES).toString('base64url');
      const id = prefix + rest;
      const isMadeWith = (macKey: Buffer) => timingSafeEqual(given, sealOf(id, { account, place }, macKey));
      return macKeys.some(isMadeWith) ? { id, place } : null;
    },
  };
}
