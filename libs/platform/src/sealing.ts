import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';

const PREFIX = 'sealed.v1';

/** A 32-byte key in base64, as `SEAL_KEY` holds it. */
export const sealKey = z
  .string()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((key) => key.length === 32, 'must be 32 random bytes in base64 (openssl rand -base64 32)');

/** Names the key that sealed a text, so that a rotation can tell old from new. */
const keyId = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, 8);

/** Seals a secret with AES-256-GCM: `sealed.v1.<key id>.<nonce>.<ciphertext and tag>`, base64url. */
export function seal(secret: string, key: Buffer): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return [PREFIX, keyId(key), nonce.toString('base64url'), text.toString('base64url')].join('.');
}

/** Opens what {@link seal} made. @throws when it was sealed with another key or changed since. */
export function unseal(sealed: string, key: Buffer): string {
  const [prefix, version, id, nonce, text] = sealed.split('.');
  if (`${prefix}.${version}` !== PREFIX || !nonce || !text) throw new Error('not a sealed text');
  if (id !== keyId(key)) throw new Error(`sealed with another key (${id})`);
  const bytes = Buffer.from(text, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), {
    authTagLength: 16,
  });
  decipher.setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8');
}
