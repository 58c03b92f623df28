import { column, readRows } from '@tollgate/platform';
import type { Logger } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { audit } from '../audit-log/audit.ts';
import { workingHashes } from './former-secrets.ts';
import type { KeyChanges } from './key-changes.ts';

const POLL_MS = 300_000;

const endedKeyRow = z.object({ id: column.uuid, account_id: column.uuid });

/** Deletes temporary keys that have ended, as a person would: usage and the ledger keep their names. Answers how many. */
export async function removeEndedKeys(
  database: DataSource,
  changes: Pick<KeyChanges, 'note' | 'announce'>,
): Promise<number> {
  const removed = await database.transaction(async (manager) => {
    const ended = await readRows(
      manager,
      endedKeyRow,
      `UPDATE billing.api_key SET deleted_at = now(), revision = revision + 1
       WHERE temporary AND deleted_at IS NULL AND expires_at < now() RETURNING id, account_id`,
    );
    for (const { id, account_id } of ended) {
      const what = { object: `key ${id}`, accountId: account_id, reason: 'A temporary key that has ended.' };
      await audit(manager, { ...what, action: 'key.delete' });
    }
    const ids = ended.map(({ id }) => id);
    await changes.note(manager, await workingHashes(manager, ids));
    return ids.length;
  });
  if (removed > 0) await changes.announce();
  return removed;
}

/** Sweeps every few minutes; answers how to end that. */
export function startTemporaryKeySweep(
  database: DataSource,
  changes: KeyChanges,
  logger: Logger,
): () => void {
  const timer = setInterval(() => {
    removeEndedKeys(database, changes).catch((error: Error) =>
      logger.warn(
        { event: 'temporary_key_sweep_failed', reason: error.message },
        'temporary keys that have ended could not be deleted',
      ),
    );
  }, POLL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
