import { column, readRow } from '@tollgate/platform';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { SessionEntity } from '../auth/session.entity.ts';
import { deleteRecoveryCodes, deleteTotp, listPasskeys } from './factor-store.ts';

/** Takes all second factors of a person away, and ends their sessions. @returns what there was. */
export async function resetFactors(
  manager: EntityManager,
  userId: string,
): Promise<{ readonly totp: boolean; readonly passkeys: number }> {
  const passkeys = await listPasskeys(manager, userId);
  await manager.query('DELETE FROM billing.passkey WHERE user_id = $1', [userId]);
  const totp = await deleteTotp(manager, userId);
  await deleteRecoveryCodes(manager, userId);
  await manager.delete(SessionEntity, { userId });
  return { totp, passkeys: passkeys.length };
}

const lastResetRow = z.object({ at: column.timestamp, actor: column.text });

/** When somebody else last took a person's factors away, and who; for the person to see. */
export async function lastReset(
  manager: Pick<EntityManager, 'query'>,
  userId: string,
): Promise<{ readonly at: Date; readonly actor: string } | undefined> {
  const row = await readRow(
    manager,
    lastResetRow,
    `SELECT at, actor FROM billing.audit_log WHERE action = 'factor.reset' AND object = $1
     ORDER BY at DESC LIMIT 1`,
    [`user ${userId}`],
  );
  return row;
}
