import {
  canonicalJson,
  type PriceSnapshot,
  unverifiedSnapshotSchema,
  verifySnapshot,
} from '@tollgate/catalogue';
import { CURRENT_SNAPSHOT_REDIS_KEY, publishedSnapshotRedisKey } from '@tollgate/contracts';
import type { Redis } from 'ioredis';

/** A database is put back by some versions, not by a number that somebody made up. */
const MAX_LOST = 10_000;

/** To the letter what was published, however it is read. */
type PublishedVersion = Omit<PriceSnapshot, 'catalogue'> & { readonly catalogue: unknown };

/** Versions that were published and that this database does not have: it was put back to before them. */
interface LostVersions {
  /** The highest number that was given. */
  readonly upTo: number;
  /** Those whose prices Redis still has, by their numbers. */
  readonly found: readonly PublishedVersion[];
}

/**
 * What Redis knows of versions above the newest of the database, or of another one with its number. Null where there are
 * none, as ever but after a restore.
 */
export async function findLostVersions(
  redis: Redis,
  newest: { readonly version: number; readonly hash: string },
): Promise<LostVersions | null> {
  const text = await redis.get(CURRENT_SNAPSHOT_REDIS_KEY);
  const announced = text === null ? null : unverifiedSnapshotSchema.parse(JSON.parse(text));
  if (!announced || announced.version < newest.version || announced.version > newest.version + MAX_LOST)
    return null;
  if (announced.version === newest.version && announced.hash === newest.hash) return null;
  const numbers = Array.from(
    { length: announced.version - newest.version },
    (_, n) => newest.version + 1 + n,
  );
  const texts = await Promise.all(numbers.map((version) => redis.get(publishedSnapshotRedisKey(version))));
  const found = texts.flatMap((each, index) => {
    const snapshot = each === null ? undefined : readSnapshot(each);
    return snapshot && snapshot.version === numbers[index] ? [snapshot] : [];
  });
  const last = readSnapshot(text ?? '');
  if (last && last.version > newest.version && found.at(-1)?.version !== last.version) found.push(last);
  return { upTo: announced.version, found };
}

/** Undefined for what is not to the letter what was published. */
function readSnapshot(text: string): PublishedVersion | undefined {
  try {
    const published = unverifiedSnapshotSchema.parse(JSON.parse(text));
    return { ...verifySnapshot(published), catalogue: published.catalogue };
  } catch {
    return undefined;
  }
}

/** A version as it is stored. */
export const toRow = (
  { version, hash, published_at, catalogue }: PublishedVersion,
  actor: string,
  reason: string,
) => ({
  version,
  hash,
  actor,
  reason,
  publishedAt: new Date(published_at),
  catalogue: canonicalJson(catalogue),
});
