import { Inject, Injectable } from '@nestjs/common';
import type { links, members, RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { httpError } from '@tollgate/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.ts';
import { isAccountActive } from '../accounts/active-people.ts';
import { findByEmail, insertUser, requireRank, UsersService } from '../accounts/users.service.ts';
import type { UserEntity } from '../accounts/user.entity.ts';
import { audit } from '../audit-log/audit.ts';
import { requireUncommonPassword } from '../auth/common-passwords.ts';
import { hashPassword } from '../auth/password.ts';
import { SessionEntity } from '../auth/session.entity.ts';
import { DATABASE } from '../provided.ts';
import {
  makeLink,
  type OneTimeLink,
  readLink,
  revokeInvite,
  revokeInvitesFor,
  useUp,
} from './one-time-links.ts';

type InviteBody = RequestOf<typeof members.createInvite>['body'];
type UseLinkBody = RequestOf<typeof links.takeLink>['body'];

interface Made {
  readonly link: OneTimeLink;
  readonly token: string;
}

/** Lets people in by links that work once. No mail is sent: whoever makes a link hands it over. */
@Injectable()
export class InvitesService {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(UsersService) private readonly users: UsersService,
  ) {}

  invite(person: Session, accountId: string, { email, role }: InviteBody): Promise<Made> {
    requireRank(person, role);
    return this.database.transaction(async (manager) => {
      const account = await manager.findOneBy(AccountEntity, { id: accountId });
      if (!account) throw httpError(404, 'There is no such account.', 'id', 'not_found');
      if (account.status === 'disabled') throw accountIsDisabled();
      if (await findByEmail(manager, email))
        throw httpError(409, 'email: somebody with this address is here already.', 'email', 'email_taken');
      // Whoever invites again takes back what was sent: of an owner's invitation only owners may.
      for (const replaced of await revokeInvitesFor(manager, email))
        await auditRevoked(manager, person, replaced);
      const made = await makeLink(manager, { accountId, email, role, createdBy: person });
      await audit(manager, {
        action: 'invite.create',
        object: `invite ${made.link.id}`,
        accountId,
        after: { email, role },
      });
      return made;
    });
  }

  revoke(person: Session, accountId: string, id: string): Promise<void> {
    return this.database.transaction(async (manager) => {
      const link = await revokeInvite(manager, accountId, id);
      if (!link)
        throw httpError(404, 'There is no such invitation, or it works no more.', 'invite', 'not_found');
      await auditRevoked(manager, person, link);
    });
  }

  /** A link with which somebody sets a new password; the password they have works until they do. */
  resetLink(person: Session, accountId: string, userId: string): Promise<Made> {
    return this.users.withUser(person, accountId, userId, async (manager, { email, status }) => {
      if (status === 'disabled')
        throw httpError(409, 'This person is disabled. Enable them first.', 'user', 'person_disabled');
      if (!(await isAccountActive(manager, accountId))) throw accountIsDisabled();
      const made = await makeLink(manager, { accountId, email, userId, createdBy: person });
      await audit(manager, { action: 'user.reset-link', object: `user ${userId}`, accountId });
      return made;
    });
  }

  /** Makes the person of an invitation, or gives the person of a reset their new password. */
  async use({ token, name, password }: UseLinkBody): Promise<UserEntity> {
    // A guess costs a look-up, not a hash.
    await readLink(this.database, token);
    const passwordHash = await hashPassword(password);
    return this.database.transaction(async (manager) => {
      const link = await readLink(manager, token, true);
      await requireUncommonPassword(password, [link.email, name ?? '']);
      const user =
        link.role === null
          ? await this.#reset(manager, link, passwordHash)
          : await join(manager, link, link.role, { name: name ?? '', passwordHash });
      await useUp(manager, link);
      return user;
    });
  }

  async #reset(manager: EntityManager, { user_id, email }: OneTimeLink, passwordHash: string) {
    const user = await findByEmail(manager, email);
    if (user?.id !== user_id || user?.status !== 'active')
      throw httpError(
        410,
        'This link works no more. Ask whoever sent it for a new one.',
        'token',
        'link_expired',
      );
    await manager.delete(SessionEntity, { userId: user.id });
    await audit(manager, {
      action: 'user.reset-password',
      object: `user ${user.id}`,
      accountId: user.accountId,
      actor: { email, userId: user.id, role: user.role },
    });
    return manager.save(Object.assign(user, { passwordHash }));
  }
}

/** @throws HttpException 403, which undoes it, for what only owners may take back. */
async function auditRevoked(
  manager: EntityManager,
  person: Session,
  { id, account_id, email, role }: OneTimeLink,
): Promise<void> {
  if (role) requireRank(person, role);
  await audit(manager, {
    action: 'invite.revoke',
    object: `invite ${id}`,
    accountId: account_id,
    before: { email, role },
  });
}

const accountIsDisabled = () =>
  httpError(409, 'This account is disabled. Enable it first.', 'id', 'account_disabled');

/** Makes the person of an invitation, in the transaction that uses it up. */
export async function join(
  manager: EntityManager,
  link: OneTimeLink,
  role: Session['role'],
  of: Partial<Pick<UserEntity, 'name' | 'passwordHash' | 'oidcIssuer' | 'oidcSubject'>>,
): Promise<UserEntity> {
  const user = await insertUser(manager, { accountId: link.account_id, email: link.email, role, ...of });
  await audit(manager, {
    action: 'invite.accept',
    object: `invite ${link.id}`,
    accountId: link.account_id,
    actor: { email: user.email, userId: user.id, role },
    after: { email: user.email, role },
  });
  return user;
}
