import { z } from 'zod';
import { type PriceSnapshot, priceSnapshotSchema } from './price-snapshot.ts';
import { snapshotHash } from './snapshot-hash.ts';

/** A snapshot before its hash is checked: the hash is over the catalogue as it came, not as our schema reads it. */
export const unverifiedSnapshotSchema = z
  .object({ version: z.int(), hash: z.string(), catalogue: z.unknown() })
  .loose();
export type UnverifiedSnapshot = z.infer<typeof unverifiedSnapshotSchema>;

/** @throws when the catalogue is not the one that the hash names, or none at all. */
export function verifySnapshot(unverified: UnverifiedSnapshot): PriceSnapshot {
  const { version, hash, catalogue } = unverified;
  if (snapshotHash(catalogue) !== hash)
    throw new Error(`version ${version} of the prices does not match its hash ${hash}`);
  return priceSnapshotSchema.parse(unverified);
}
