import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { splitAtCommas } from './comma-separated.ts';

const PREFIX = 'sealed.v1';

/** A 32-byte key in base64, as `SEAL_KEY` holds it. */
export const sealKey = z
  .string()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((key) => key.length === 32, 'must be 32 random bytes in base64 (openssl rand -base64 32)');

/** Keys as `SEAL_KEYS_OTHER` holds them: comma-separated, each like {@link sealKey}. */
export const sealKeys = z.string().default('').transform(splitAtCommas).pipe(z.array(sealKey));

/** The key that seals, and with it others that still, or already, open what they sealed. */
export type Keyring = readonly [Buffer, ...Buffer[]];

export const toKeyring = (config: {
  readonly SEAL_KEY: Buffer;
  readonly SEAL_KEYS_OTHER: readonly Buffer[];
}): Keyring => [config.SEAL_KEY, ...config.SEAL_KEYS_OTHER];

/** Names the key that sealed a text, so that a rotation can tell old from new. */
const keyId = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, 8);

/** Seals a secret with AES-256-GCM: `sealed.v1.<key id>.<nonce>.<ciphertext and tag>`, base64url. */
export function seal(secret: string, key: Buffer): string {
  const { nonce, text } = encrypt(Buffer.from(secret, 'utf8'), key);
  return [PREFIX, keyId(key), nonce.toString('base64url'), text.toString('base64url')].join('.');
}

/** Opens what {@link seal} made with one of the keys. @throws when it was sealed with another key or changed since. */
export function unseal(sealed: string, keys: Buffer | Keyring): string {
  const [prefix, version, id, nonce, text] = sealed.split('.');
  if (`${prefix}.${version}` !== PREFIX || !nonce || !text) throw new Error('not a sealed text');
  const key = [keys].flat().find((each) => keyId(each) === id);
  if (!key) throw new Error(`sealed with another key (${id})`);
  return decrypt(Buffer.from(nonce, 'base64url'), Buffer.from(text, 'base64url'), key).toString('utf8');
}

/** The same secret sealed with the first key; what that key sealed stays as it is. @throws like {@link unseal}. */
export function reseal(sealed: string, keys: Keyring): string {
  const secret = unseal(sealed, keys);
  return sealed.split('.')[2] === keyId(keys[0]) ? sealed : seal(secret, keys[0]);
}

/** Seals bytes for one place, which is not part of what comes out: nonce, ciphertext and tag. */
export function sealBytes(bytes: Buffer, key: Buffer, place: string): Buffer {
  const { nonce, text } = encrypt(bytes, key, place);
  return Buffer.concat([nonce, text]);
}

/** Opens what {@link sealBytes} made for this place. @throws when it is from elsewhere, another key's, or changed. */
export const unsealBytes = (sealed: Buffer, key: Buffer, place: string): Buffer =>
  decrypt(sealed.subarray(0, NONCE_BYTES), sealed.subarray(NONCE_BYTES), key, place);

const NONCE_BYTES = 12;
const TAG = { authTagLength: 16 };

function encrypt(bytes: Buffer, key: Buffer, place = ''): { nonce: Buffer; text: Buffer } {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, TAG).setAAD(Buffer.from(place));
  return { nonce, text: Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]) };
}

function decrypt(nonce: Buffer, text: Buffer, key: Buffer, place = ''): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, TAG).setAAD(Buffer.from(place));
  decipher.setAuthTag(text.subarray(-TAG.authTagLength));
  return Buffer.concat([decipher.update(text.subarray(0, -TAG.authTagLength)), decipher.final()]);
}
