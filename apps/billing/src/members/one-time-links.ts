import type { Session } from '@tollgate/contracts';
import { column, httpError, readRow, readRows } from '@tollgate/platform';
import { PERMISSIONS, ROLES } from '@tollgate/vocabulary';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';
import { uuidv7 } from '../accounts/uuid.ts';
import { hashToken, newToken } from './one-time-token.ts';

type Runs = Pick<DataSource | EntityManager, 'query'>;

const DAY_MS = 86_400_000;
/** An invitation may lie in somebody's mail for a while; who asked for a new password waits for it. */
const LIFE_MS = { invite: 7 * DAY_MS, reset: DAY_MS };

const linkRow = z.object({
  id: column.uuid,
  account_id: column.uuid,
  email: column.text,
  /** Of an invitation; null where it sets a new password. */
  role: z.enum(ROLES).nullable(),
  /** Whose password it sets; null for an invitation. */
  user_id: column.uuid.nullable(),
  created_by: column.text,
  /** Null once they are gone. */
  created_by_id: column.uuid.nullable(),
  created_at: column.timestamp,
  expires_at: column.timestamp,
});
const openLinkRow = linkRow.extend({ used_at: column.timestamp.nullable(), is_open: column.boolean });
const inviteRow = linkRow.extend({ role: z.enum(ROLES) });
export type OneTimeLink = Readonly<z.infer<typeof linkRow>>;

/** What a link is for. */
type LinkInput = { readonly accountId: string; readonly email: string; readonly createdBy: Session } & (
  | { readonly role: Session['role'] }
  | { readonly userId: string }
);

/**
 * A link may do no more than the person who made it. They must still be a member, they and their account must be enabled, and
 * their role must allow what the link does: only owners make owners or set their passwords. A disabled account takes nobody in.
 */
const IS_RIGHT = `EXISTS (
    SELECT FROM billing.app_user AS maker WHERE maker.id = link.created_by_id AND maker.status = 'active'
      AND EXISTS (SELECT FROM billing.account WHERE id = maker.account_id AND status = 'active')
      AND maker.role = ANY('{${PERMISSIONS['members:write'].join(',')}}')
      AND (maker.role = 'owner' OR 'owner' <>
        coalesce(link.role, (SELECT role FROM billing.app_user WHERE id = link.user_id)))
  ) AND EXISTS (SELECT FROM billing.account WHERE id = link.account_id AND status = 'active')`;

const IS_OPEN = 'link.used_at IS NULL AND link.revoked_at IS NULL AND link.expires_at > now()';

/** Makes a link; an open one for the same person and purpose works no more. Its token is shown this once. */
export async function makeLink(
  manager: Runs,
  input: LinkInput,
): Promise<{ readonly link: OneTimeLink; readonly token: string }> {
  const token = newToken();
  const [role, userId] = 'role' in input ? [input.role, null] : [null, input.userId];
  await manager.query(
    `UPDATE billing.one_time_link SET revoked_at = now()
     WHERE lower(email) = lower($1) AND user_id IS NOT DISTINCT FROM $2 AND used_at IS NULL AND revoked_at IS NULL`,
    [input.email, userId],
  );
  const expires = new Date(Date.now() + LIFE_MS[role === null ? 'reset' : 'invite']);
  const link = await readRow(
    manager,
    linkRow,
    `INSERT INTO billing.one_time_link (id, token_hash, account_id, email, role, user_id, created_by, created_by_id, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING *`,
    [
      uuidv7(),
      hashToken(token),
      input.accountId,
      input.email,
      role,
      userId,
      input.createdBy.email,
      input.createdBy.user_id,
      expires,
    ],
  );
  if (!link) throw new Error('a link was not made');
  return { link, token };
}

/** The invitations of an account that can still be accepted, the newest first. */
export const openInvites = (database: Runs, accountId: string): Promise<z.infer<typeof inviteRow>[]> =>
  readRows(
    database,
    inviteRow,
    `SELECT link.* FROM billing.one_time_link AS link
     WHERE account_id = $1 AND role IS NOT NULL AND ${IS_OPEN} AND ${IS_RIGHT}
     ORDER BY created_at DESC, id DESC LIMIT 1000`,
    [accountId],
  );

/** Ends the invitations of an address that work, in whatever account. @returns what they were. */
export const revokeInvitesFor = (manager: Runs, email: string): Promise<z.infer<typeof inviteRow>[]> =>
  readRows(
    manager,
    inviteRow,
    `UPDATE billing.one_time_link AS link SET revoked_at = now()
     WHERE lower(email) = lower($1) AND role IS NOT NULL AND ${IS_OPEN} AND ${IS_RIGHT} RETURNING link.*`,
    [email],
  );

/** @returns the invitation, which works no more; undefined where it did not work before. */
export async function revokeInvite(
  manager: Runs,
  accountId: string,
  id: string,
): Promise<OneTimeLink | undefined> {
  return readRow(
    manager,
    linkRow,
    `UPDATE billing.one_time_link SET revoked_at = now()
     WHERE id = $1 AND account_id = $2 AND role IS NOT NULL AND used_at IS NULL AND revoked_at IS NULL RETURNING *`,
    [id, accountId],
  );
}

/**
 * The link of a token; with `hold` nobody else uses it until the transaction ends.
 *
 * @throws HttpException 404 for a token of no link, 410 for one that works no more.
 */
export async function readLink(manager: Runs, token: string, hold = false): Promise<OneTimeLink> {
  const link = await readRow(
    manager,
    openLinkRow,
    `SELECT link.*, ${IS_OPEN} AND ${IS_RIGHT} AS is_open
     FROM billing.one_time_link AS link WHERE token_hash = $1 ${hold ? 'FOR UPDATE OF link' : ''}`,
    [hashToken(token)],
  );
  if (!link)
    throw httpError(404, 'This link is not complete. Copy the whole of it.', 'token', 'link_incomplete');
  if (link.used_at)
    throw httpError(410, 'This link was used already. Sign in instead.', 'token', 'link_used');
  if (!link.is_open) {
    throw httpError(
      410,
      'This link works no more. Ask whoever sent it for a new one.',
      'token',
      'link_expired',
    );
  }
  return link;
}

/** The invitation of somebody who signs in elsewhere; nobody else uses it until the transaction ends. */
export async function findInviteFor(manager: Runs, email: string): Promise<OneTimeLink | undefined> {
  const link = await readRow(
    manager,
    linkRow,
    `SELECT link.* FROM billing.one_time_link AS link
     WHERE lower(email) = lower($1) AND role IS NOT NULL AND ${IS_OPEN} AND ${IS_RIGHT} FOR UPDATE OF link`,
    [email],
  );
  return link;
}

/** Ends what people made, before they are less than they were when they made it. */
export const revokeLinksBy = async (manager: Runs, userIds: readonly string[]): Promise<void> => {
  await manager.query(
    `UPDATE billing.one_time_link SET revoked_at = now()
     WHERE created_by_id = ANY($1) AND used_at IS NULL AND revoked_at IS NULL`,
    [userIds],
  );
};

/** Ends the links that set people's passwords: whoever has one would undo a newer password, or a closed door. */
export const revokeLinksFor = async (manager: Runs, userIds: readonly string[]): Promise<void> => {
  await manager.query(
    `UPDATE billing.one_time_link SET revoked_at = now()
     WHERE user_id = ANY($1) AND used_at IS NULL AND revoked_at IS NULL`,
    [userIds],
  );
};

export const useUp = async (manager: Runs, { id }: OneTimeLink): Promise<void> => {
  await manager.query('UPDATE billing.one_time_link SET used_at = now() WHERE id = $1', [id]);
};
