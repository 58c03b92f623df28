import {
  KEY_COPIES_REDIS_KEY,
  KEY_COPY_TTL_MS,
  type KeyRecord,
  keyRecordRedisKey,
} from '@tollgate/contracts';
import type { Redis } from 'ioredis';

/** A key that is gone is told as gone for longer than any look-up takes that still found it. */
const GONE_TTL_MS = 3_600_000;

/**
 * The copies of key records in Redis that gateways read: they serve while billing or PostgreSQL is away.
 *
 * A change always writes. A look-up writes only where there is no copy: what it found may be older than a change that
 * came meanwhile. So the older never stands over the newer.
 */
export interface KeyCopies {
  /** After the commit of a change; null for a key that is gone. @throws while Redis is away. */
  changed(keyHash: string, record: KeyRecord | null): Promise<void>;
  /** After a look-up of a key that is there. @throws while Redis is away. */
  found(keyHash: string, record: KeyRecord): Promise<void>;
}

export function createKeyCopies(redis: Redis): KeyCopies {
  const noteThatThereAreSome = () => redis.set(KEY_COPIES_REDIS_KEY, '1', 'PX', KEY_COPY_TTL_MS);
  return {
    async changed(keyHash, record) {
      const name = keyRecordRedisKey(keyHash);
      const ttlMs = record ? KEY_COPY_TTL_MS : GONE_TTL_MS;
      await Promise.all([redis.set(name, JSON.stringify(record), 'PX', ttlMs), noteThatThereAreSome()]);
    },
    async found(keyHash, record) {
      const name = keyRecordRedisKey(keyHash);
      const text = JSON.stringify(record);
      const [written] = await Promise.all([
        redis.set(name, text, 'PX', KEY_COPY_TTL_MS, 'NX'),
        noteThatThereAreSome(),
      ]);
      // What it says was true a moment ago: its age begins again at zero.
      if (written === null && (await redis.get(name)) === text) await redis.pexpire(name, KEY_COPY_TTL_MS);
    },
  };
}
