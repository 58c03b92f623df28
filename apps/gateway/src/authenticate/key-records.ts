import {
  KEY_COPIES_REDIS_KEY,
  KEY_COPY_TTL_MS,
  type KeyRecord,
  keyRecordRedisKey,
  keyRecordSchema,
} from '@tollgate/contracts';
import { addressMatcher, type Logger } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { KeyLookups } from './key-lookups.ts';

/** While change events are heard, a record is good for this long; they say when it is not. */
const HEARD_MS = 60_000;
/** While they may be missed, a record is asked for again after this, so that a disabled key stops within a second. */
const UNHEARD_MS = 900;
/** No source answers and changes may be missed: a record this young still serves. */
const STALE_MS = 60_000;
/** An unknown key is not looked up again for this long, so that guessing does not reach the database. */
const UNKNOWN_MS = 5_000;
/** Billing tells Redis of every change. A copy that it has not confirmed for longer is asked for, while billing answers. */
const COPY_IS_FRESH_MS = 3_600_000;
const MAX_RECORDS = 200_000;

export interface HeldRecord {
  readonly record: KeyRecord;
  /** Milliseconds since the epoch, or infinity. */
  readonly expiresAt: number;
  /** Whether the key may be used from this address. */
  readonly mayComeFrom: (address: string) => boolean;
}

export interface KeyRecords {
  /** Whether this process holds a key with this hash, so that finding it is no guess. */
  holds(keyHash: string): boolean;
  /** At once where this process holds it. Rejects when no source can say whether the key exists. */
  find(keyHash: string): HeldRecord | null | Promise<HeldRecord | null>;
  /** Whether some key can be told from a wrong one: by this process, by billing, or by Redis. */
  canFind(): Promise<boolean>;
  /** Drops one record, or all: what was held may have changed. */
  forget(keyHash?: string): void;
}

interface Entry {
  readonly held: HeldRecord | null;
  readonly loadedAt: number;
}

interface KeySources {
  readonly redis: Redis;
  readonly lookups: KeyLookups;
  readonly changesAreHeard: () => boolean;
  readonly logger: Logger;
}

/**
 * Finds the record of a key by the hash of the key: in this process, else in Redis, else by asking billing. A record in Redis
 * that billing has not confirmed for an hour is used only while billing does not answer. Concurrent requests with the same
 * key share one look-up.
 */
export function createKeyRecords(sources: KeySources): KeyRecords {
  const { redis, lookups, changesAreHeard } = sources;
  // With `max` it would make places for all of them at once.
  const entries = new LRUCache<string, Entry>({ maxSize: MAX_RECORDS, sizeCalculation: () => 1 });
  const pending = new Map<string, Promise<HeldRecord | null>>();
  /** Rises with every `forget`: a look-up that began before must not put its answer back. */
  let generation = 0;

  const isGood = ({ held, loadedAt }: Entry): boolean => {
    const age = performance.now() - loadedAt;
    if (!changesAreHeard()) return age < UNHEARD_MS;
    return age < (held === null ? UNKNOWN_MS : HEARD_MS);
  };

  async function load(keyHash: string): Promise<HeldRecord | null> {
    const begunIn = generation;
    const loadedAt = performance.now();
    let held: HeldRecord | null;
    try {
      held = await askSources(sources, keyHash);
    } catch (error) {
      const old = entries.get(keyHash);
      // A change would have been heard: what is held is what there is, for as long as nobody can tell otherwise.
      if (old && (changesAreHeard() || loadedAt - old.loadedAt < STALE_MS)) return old.held;
      throw error;
    }
    if (generation === begunIn) entries.set(keyHash, { held, loadedAt });
    return held;
  }

  return {
    holds: (keyHash) => (entries.peek(keyHash)?.held ?? null) !== null,
    find(keyHash) {
      const entry = entries.get(keyHash);
      if (entry && isGood(entry)) return entry.held;
      const underWay = pending.get(keyHash);
      if (underWay) return underWay;
      const lookup = load(keyHash).finally(() => {
        if (pending.get(keyHash) === lookup) pending.delete(keyHash);
      });
      pending.set(keyHash, lookup);
      return lookup;
    },
    async canFind() {
      if (lookups.answers()) return true;
      for (const { held } of entries.values()) if (held) return true;
      return redis.exists(KEY_COPIES_REDIS_KEY).then(
        (there) => there === 1,
        () => false,
      );
    },
    forget(keyHash) {
      generation += 1;
      if (keyHash === undefined) entries.clear();
      else {
        entries.delete(keyHash);
        pending.delete(keyHash);
      }
    },
  };
}

const hold = (record: KeyRecord): HeldRecord => ({
  record,
  expiresAt: record.expires_at === null ? Infinity : Date.parse(record.expires_at),
  mayComeFrom: record.allowed_addresses === null ? () => true : addressMatcher(record.allowed_addresses),
});

/** Redis, or billing where Redis has no copy that is fresh. @throws where neither can say. */
async function askSources(
  { redis, lookups, logger }: KeySources,
  keyHash: string,
): Promise<HeldRecord | null> {
  const copy = await readCopy(redis, keyHash, logger);
  if (copy && copy.ageMs < COPY_IS_FRESH_MS) return copy.held;
  try {
    const record = await lookups.find(keyHash);
    return record && hold(record);
  } catch (error) {
    // Nobody can have changed the key: that is done by billing.
    if (copy) return copy.held;
    throw error;
  }
}

/** The copy of a record in Redis; undefined where there is none, or Redis is away. */
async function readCopy(
  redis: Redis,
  keyHash: string,
  logger: Logger,
): Promise<{ readonly held: HeldRecord | null; readonly ageMs: number } | undefined> {
  try {
    const name = keyRecordRedisKey(keyHash);
    const [text, leftMs] = await Promise.all([redis.get(name), redis.pttl(name)]);
    if (text === null) return undefined;
    const record = keyRecordSchema.nullable().parse(JSON.parse(text));
    // That a key is gone stands for a shorter time, and is never old.
    return record ? { held: hold(record), ageMs: KEY_COPY_TTL_MS - leftMs } : { held: null, ageMs: 0 };
  } catch (error) {
    logger.debug(
      { event: 'key_copy_lookup_failed', reason: (error as Error).message },
      'Redis gave no copy of a key record',
    );
    return undefined;
  }
}
