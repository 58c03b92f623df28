import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type PriceSnapshot, priceSnapshotSchema } from './schema.ts';

/** The name of a snapshot: lower-case hexadecimal SHA-256 of the catalogue as {@link canonicalJson}. */
export const hashSnapshot = (catalogue: unknown): string => hashCanonicalJson(canonicalJson(catalogue));

/** As {@link hashSnapshot}, of the text. */
export const hashCanonicalJson = (text: string): string => createHash('sha256').update(text).digest('hex');

/** JSON with the keys of every object in code unit order and no white space: one text for one value. */
export const canonicalJson = (value: unknown): string => JSON.stringify(inOrder(value));

/** A copy with all keys in order: a replacer, called for each part, would take several times as long. */
function inOrder(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((part) => inOrder(part));
  // Such as a date.
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return inOrder(JSON.parse(JSON.stringify(value)));
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value).toSorted()) {
    const part = inOrder((value as Record<string, unknown>)[key]);
    // Assigned, it would be no key but the copy's prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: part, enumerable: true });
    else copy[key] = part;
  }
  return copy;
}

/** A snapshot before its hash is checked: the hash is over the catalogue as it came, not as our schema reads it. */
export const unverifiedSnapshotSchema = z
  .object({ version: z.int(), hash: z.string(), catalogue: z.unknown() })
  .loose();
export type UnverifiedSnapshot = z.infer<typeof unverifiedSnapshotSchema>;

/** @throws when the catalogue is not the one that the hash names, or none at all. */
export function verifySnapshot(unverified: UnverifiedSnapshot): PriceSnapshot {
  const { version, hash, catalogue } = unverified;
  if (hashSnapshot(catalogue) !== hash)
    throw new Error(`version ${version} of the prices does not match its hash ${hash}`);
  return priceSnapshotSchema.parse(unverified);
}
