import {
  canonicalJson,
  type PriceSnapshot,
  type UnverifiedSnapshot,
  unverifiedSnapshotSchema,
  verifySnapshot,
} from '@tollgate/catalogue';
import { CURRENT_SNAPSHOT_REDIS_KEY, publishedSnapshotRedisKey } from '@tollgate/contracts';
import { column, requireRow } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/**
 * After a restore numbers go on so far above the highest that is known: more than were published since any backup, so that
 * none is given again of which nobody knows any more.
 */
export const MARGIN = 10_000;
/** A database is put back by some versions and a few restores, not by a number that somebody made up. */
const MAX_LOST = 100 * MARGIN;
const LOOKED_UP_AT_ONCE = 1_000;

/** To the letter what was published, however it is read. */
type PublishedVersion = Omit<PriceSnapshot, 'catalogue'> & { readonly catalogue: unknown };

/** Versions that were published, or may have been, and that this database does not have: it was put back to before them. */
interface LostVersions {
  /** The highest number that is known to be given. */
  readonly upTo: number;
  /** Those whose prices Redis still has, by their numbers. */
  readonly found: readonly PublishedVersion[];
}

/**
 * Names the state of the database that numbers were last compared with. It is another one after every restore and failover:
 * a server is started for it, and a dump makes the table once more.
 */
export async function identifyDatabase(manager: EntityManager): Promise<string> {
  const { identity } = await requireRow(
    manager,
    z.object({ identity: column.text }),
    "SELECT concat(pg_postmaster_start_time(), ' ', 'pricing.snapshot'::regclass::oid) AS identity",
  );
  return identity;
}

/** What Redis says is the newest version; null where it knows none. */
export async function findAnnounced(redis: Redis): Promise<UnverifiedSnapshot | null> {
  const text = await redis.get(CURRENT_SNAPSHOT_REDIS_KEY);
  return text === null ? null : unverifiedSnapshotSchema.parse(JSON.parse(text));
}

/**
 * What Redis knows of versions above the newest of the database, or of another one with its number. Null where there are
 * none, as ever but after a restore.
 */
export async function findLostVersions(
  redis: Redis,
  announced: UnverifiedSnapshot,
  newest: { readonly version: number; readonly hash: string },
): Promise<LostVersions | null> {
  if (announced.version < newest.version || announced.version > newest.version + MAX_LOST) return null;
  if (announced.version === newest.version && announced.hash === newest.hash) return null;
  const found: PublishedVersion[] = [];
  for (let from = newest.version + 1; from <= announced.version; from += LOOKED_UP_AT_ONCE) {
    const size = Math.min(LOOKED_UP_AT_ONCE, announced.version - from + 1);
    const numbers = Array.from({ length: size }, (_, index) => from + index);
    const texts = await Promise.all(numbers.map((version) => redis.get(publishedSnapshotRedisKey(version))));
    texts.forEach((text, index) => {
      const snapshot = text === null ? undefined : readSnapshot(text);
      if (snapshot && snapshot.version === numbers[index]) found.push(snapshot);
    });
  }
  const last = readSnapshot(announced);
  if (last && last.version > newest.version && found.at(-1)?.version !== last.version) found.push(last);
  return { upTo: announced.version, found };
}

/** Undefined for what is not to the letter what was published. */
function readSnapshot(written: unknown): PublishedVersion | undefined {
  try {
    const published = unverifiedSnapshotSchema.parse(
      typeof written === 'string' ? JSON.parse(written) : written,
    );
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
