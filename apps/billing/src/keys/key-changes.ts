import { EVENT } from '@tollgate/contracts';
import { column, hasRows, type Logger, publishEvent, readRows } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';
import { createKeyCopies } from './key-copies.ts';
import { lookUpKey } from './key-lookup.ts';

const SWEEP_MS = 500;
const BATCH = 100;

/** Tells gateways of changed keys: at once after the commit, and as often as it takes while Redis is away. */
export interface KeyChanges {
  /** Notes a change in the transaction that makes it. */
  note(manager: EntityManager, keyHashes: readonly string[]): Promise<void>;
  /** Announces what is noted. Never throws. */
  announce(): Promise<void>;
  close(): void;
}

const outboxRow = z.object({ id: column.bigint, key_hash: column.text });

export function createKeyChanges(database: DataSource, redis: Redis, logger: Logger): KeyChanges {
  const copies = createKeyCopies(redis);
  let running: Promise<void> | undefined;
  let again = false;

  async function sweep(): Promise<void> {
    // Two times a second there is nothing: that is asked without a transaction.
    if (!(await hasRows(database, 'SELECT FROM billing.key_change_outbox LIMIT 1'))) return;
    for (;;) {
      const announced = await database.transaction(async (manager) => {
        const rows = await readRows(
          manager,
          outboxRow,
          'SELECT id, key_hash FROM billing.key_change_outbox ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED',
          [BATCH],
        );
        for (const keyHash of new Set(rows.map(({ key_hash }) => key_hash))) await announceOne(keyHash);
        if (rows.length > 0) {
          await manager.query('DELETE FROM billing.key_change_outbox WHERE id = ANY($1)', [
            rows.map(({ id }) => id),
          ]);
        }
        return rows.length;
      });
      if (announced < BATCH) return;
    }
  }

  async function announceOne(keyHash: string): Promise<void> {
    await copies.changed(keyHash, await lookUpKey(database, keyHash));
    await publishEvent(redis, EVENT.keyChanged, { key_hash: keyHash });
  }

  const announce = (): Promise<void> => {
    if (running) {
      again = true;
      return running;
    }
    running = sweep()
      .catch((error: Error) =>
        logger.warn(
          { event: 'key_changes_unannounced', reason: error.message },
          'key changes could not be announced',
        ),
      )
      .finally(() => {
        running = undefined;
        if (again) {
          again = false;
          void announce();
        }
      });
    return running;
  };
  const timer = setInterval(() => void announce(), SWEEP_MS);
  timer.unref();

  return {
    async note(manager, keyHashes) {
      if (keyHashes.length === 0) return;
      await manager.query('INSERT INTO billing.key_change_outbox (key_hash) SELECT unnest($1::text[])', [
        keyHashes,
      ]);
    },
    announce,
    close: () => clearInterval(timer),
  };
}
