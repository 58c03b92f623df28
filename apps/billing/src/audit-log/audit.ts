import { canonicalJson } from '@tollgate/catalogue';
import type { AuditAction } from '@tollgate/vocabulary';
import type { DataSource, EntityManager } from 'typeorm';
import { uuidv7 } from '../accounts/uuid.ts';
import { currentCaller, noteAudited } from './caller.ts';

type Fields = Readonly<Record<string, unknown>>;

interface AuditedAction {
  readonly action: AuditAction;
  /** The kind of thing and its name, such as `key 0198f1c2-…`. */
  readonly object?: string;
  readonly accountId?: string | null;
  readonly reason?: string;
  /** Of a change only what it changed stays. Neither may hold a secret. */
  readonly before?: Fields;
  readonly after?: Fields;
  /** Where it was done, if not here. */
  readonly at?: { readonly source: 'pricing'; readonly requestId: string; readonly address: string };
  /** Counts where nobody is signed in, such as the job that closes periods, or somebody who tries to sign in. */
  readonly actor?: { readonly email: string; readonly userId?: string; readonly role?: string };
}

/** Notes who did what, in the transaction that does it: neither is there without the other. */
export const audit = (
  manager: Pick<DataSource | EntityManager, 'query'>,
  action: AuditedAction,
): Promise<void> => writeAudit(manager, action);

/** The same of what another service tells, which may be of a later release and know other actions. */
export async function writeAudit(
  manager: Pick<DataSource | EntityManager, 'query'>,
  action: Omit<AuditedAction, 'action'> & { readonly action: string },
): Promise<void> {
  const caller = currentCaller();
  const signedIn = caller?.person;
  const actor = signedIn ? { ...signedIn, userId: signedIn.user_id } : action.actor;
  const { before, after } = differing(action.before, action.after);
  await manager.query(
    `INSERT INTO billing.audit_log
       (id, source, actor, actor_id, role, action, object, account_id, reason, before, after, request_id, address)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      uuidv7(),
      action.at?.source ?? 'billing',
      actor?.email ?? 'system',
      actor?.userId ?? null,
      actor?.role ?? null,
      action.action,
      action.object ?? null,
      action.accountId ?? null,
      action.reason ?? null,
      before && JSON.stringify(before),
      after && JSON.stringify(after),
      caller?.requestId ?? action.at?.requestId ?? null,
      caller?.address ?? action.at?.address ?? null,
    ],
  );
  noteAudited();
}

function differing(before: Fields | undefined, after: Fields | undefined) {
  if (!before || !after) return { before: before ?? null, after: after ?? null };
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => canonicalJson(before[name] ?? null) !== canonicalJson(after[name] ?? null),
  );
  const only = (fields: Fields): Fields =>
    Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
  return { before: only(before), after: only(after) };
}
