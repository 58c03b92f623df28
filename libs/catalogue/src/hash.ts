import { createHash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from './canonical-json.ts';
import { type PriceSnapshot, priceSnapshotSchema } from './schema.ts';

/** The name of a snapshot: lower-case hexadecimal SHA-256 of the catalogue as {@link canonicalJson}. */
export const hashSnapshot = (catalogue: unknown): string => hashCanonicalJson(canonicalJson(catalogue));

/** As {@link hashSnapshot}, of the text. */
export const hashCanonicalJson = (text: string): string => createHash('sha256').update(text).digest('hex');

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
