import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type PriceSnapshot, priceSnapshotSchema } from './schema.ts';

/** The name of a snapshot: lower-case hexadecimal SHA-256 of the catalogue as {@link canonicalJson}. */
export function hashSnapshot(catalogue: unknown): string {
  return createHash('sha256').update(canonicalJson(catalogue)).digest('hex');
}

/** JSON with the keys of every object in code unit order and no white space: one text for one value. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : part,
  );
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
