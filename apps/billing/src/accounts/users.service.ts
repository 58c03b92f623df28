import { Inject, Injectable } from '@nestjs/common';
import type { members, RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { column, httpError, readRow, readRows } from '@tollgate/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';
import { requireUncommonPassword } from '../auth/common-passwords.ts';
import { hashPassword } from '../auth/password.ts';
import { SessionEntity } from '../auth/session.entity.ts';
import { DATABASE } from '../provided.ts';
import { revokeLinksBy, revokeLinksFor } from '../members/one-time-links.ts';
import { audit } from '../audit-log/audit.ts';
import { holdOwners, listActiveOwners } from './active-people.ts';
import { AccountEntity } from './account.entity.ts';
import { UserEntity } from './user.entity.ts';
import { uuidv7 } from './uuid.ts';

type CreateMember = RequestOf<typeof members.createMember>['body'];
type ChangeMember = RequestOf<typeof members.changeMember>['body'];

const lastSeenRow = z.object({ user_id: column.uuid, seen: column.timestamp });

/** The people of accounts. Owners are made, changed and removed by owners only, and one is always left. */
@Injectable()
export class UsersService {
  constructor(@Inject(DATABASE) private readonly database: DataSource) {}

  /** Who is in an account, and when each was last seen of those who have a session. */
  async list(accountId: string): Promise<{ users: UserEntity[]; lastSeen: ReadonlyMap<string, Date> }> {
    const users = await this.database
      .getRepository(UserEntity)
      .find({ where: { accountId }, order: { id: 'ASC' }, take: 1_000 });
    const rows = await readRows(
      this.database,
      lastSeenRow,
      'SELECT user_id, max(last_seen_at) AS seen FROM billing.session WHERE user_id = ANY($1) GROUP BY 1',
      [users.map(({ id }) => id)],
    );
    return { users, lastSeen: new Map(rows.map(({ user_id, seen }) => [user_id, seen])) };
  }

  async create(person: Session, accountId: string, input: CreateMember): Promise<UserEntity> {
    requireRank(person, input.role);
    await requireUncommonPassword(input.password, [input.email]);
    const passwordHash = await hashPassword(input.password);
    return this.database.transaction(async (manager) => {
      if (!(await manager.existsBy(AccountEntity, { id: accountId }))) {
        throw httpError(404, 'There is no such account.', 'id', 'not_found');
      }
      const user = await insertUser(manager, {
        accountId,
        email: input.email,
        role: input.role,
        passwordHash,
      });
      await audit(manager, { ...about(user), action: 'user.create', after: describeUser(user) });
      return user;
    });
  }

  change(
    person: Session,
    accountId: string,
    userId: string,
    { role, status }: ChangeMember,
  ): Promise<UserEntity> {
    if (role !== undefined) requireRank(person, role);
    return this.withUser(person, accountId, userId, async (manager, user) => {
      if (status === 'disabled' && userId === person.user_id)
        throw httpError(409, 'You cannot disable yourself.', 'status', 'own_access');
      if (status === 'disabled' || (role !== undefined && role !== 'owner'))
        await requireAnotherOwner(manager, user);
      const before = describeUser(user);
      user.role = role ?? user.role;
      user.status = status ?? user.status;
      if (user.status === 'disabled') {
        await manager.delete(SessionEntity, { userId });
        await revokeLinksFor(manager, [userId]);
      }
      if (user.status === 'disabled' || user.role !== before.role) await revokeLinksBy(manager, [userId]);
      await audit(manager, { ...about(user), action: 'user.change', before, after: describeUser(user) });
      return manager.save(user);
    });
  }

  remove(person: Session, accountId: string, userId: string): Promise<void> {
    return this.withUser(person, accountId, userId, async (manager, user) => {
      await requireAnotherOwner(manager, user);
      await revokeLinksBy(manager, [userId]);
      await audit(manager, { ...about(user), action: 'user.remove', before: describeUser(user) });
      await manager.remove(user);
    });
  }

  /** Ends the sessions that were begun with the password before. */
  async setPassword(person: Session, accountId: string, userId: string, password: string): Promise<void> {
    const passwordHash = await hashPassword(password);
    await this.withUser(person, accountId, userId, async (manager, user) => {
      await requireUncommonPassword(password, [user.email, user.name]);
      await manager.save(Object.assign(user, { passwordHash }));
      await manager.delete(SessionEntity, { userId });
      await revokeLinksFor(manager, [userId]);
      await audit(manager, { ...about(user), action: 'user.set-password' });
    });
  }

  /**
   * Acts on one of an account's people.
   *
   * @throws HttpException 404 where they are not in it, 403 where they are an owner and the asker is none.
   */
  withUser<T>(
    person: Session,
    accountId: string,
    userId: string,
    work: (manager: EntityManager, user: UserEntity) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async (manager) => {
      await holdOwners(manager);
      const user = await manager.findOneBy(UserEntity, { id: userId, accountId });
      if (!user) throw httpError(404, 'There is no such person in this account.', 'user', 'not_found');
      requireRank(person, user.role);
      return work(manager, user);
    });
  }
}

/** Whoever has an e-mail address, in whatever case. */
export const findByEmail = (manager: EntityManager, email: string): Promise<UserEntity | null> =>
  manager.createQueryBuilder(UserEntity, 'u').where('lower(u.email) = lower(:email)', { email }).getOne();

const insertedUserRow = z.object({ id: column.uuid });

/** @throws HttpException 409 where somebody has that e-mail address. */
export async function insertUser(
  manager: EntityManager,
  input: Pick<UserEntity, 'accountId' | 'email' | 'role'> &
    Partial<Pick<UserEntity, 'name' | 'passwordHash' | 'oidcIssuer' | 'oidcSubject'>>,
): Promise<UserEntity> {
  const { accountId, email, role, name = '', passwordHash = null } = input;
  const { oidcIssuer = null, oidcSubject = null } = input;
  const made = await readRow(
    manager,
    insertedUserRow,
    `INSERT INTO billing.app_user (id, account_id, email, name, password_hash, role, oidc_issuer, oidc_subject)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (lower(email)) DO NOTHING RETURNING id`,
    [uuidv7(), accountId, email, name, passwordHash, role, oidcIssuer, oidcSubject],
  );
  if (!made)
    throw httpError(409, 'email: somebody with this address is here already.', 'email', 'email_taken');
  return manager.findOneByOrFail(UserEntity, { id: made.id });
}

const about = ({ id, accountId }: UserEntity) => ({ object: `user ${id}`, accountId });
const describeUser = ({ email, role, status }: UserEntity) => ({ email, role, status });

/** @throws HttpException 403 for what only owners may do to owners. */
export function requireRank(person: Session, role: Session['role']): void {
  if (role === 'owner' && person.role !== 'owner') {
    throw httpError(403, 'Only an owner makes, changes or removes owners.', 'role', 'owners_only');
  }
}

async function requireAnotherOwner(manager: EntityManager, user: UserEntity): Promise<void> {
  if (user.role !== 'owner') return;
  const owners = await listActiveOwners(manager);
  if (owners.some(({ id }) => id !== user.id) || !owners.some(({ id }) => id === user.id)) return;
  throw httpError(409, 'This is the last owner: make somebody else an owner first.', 'role', 'last_owner');
}
