import { Inject, Injectable } from '@nestjs/common';
import type { Session } from '@tollgate/contracts';
import { httpError } from '@tollgate/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { hashPassword } from '../auth/password.ts';
import { SessionEntity } from '../auth/session.entity.ts';
import { DATABASE } from '../provided.ts';
import { audit } from '../audit-log/audit.ts';
import type { CreateUser } from './account-bodies.ts';
import { AccountEntity } from './account.entity.ts';
import { UserEntity } from './user.entity.ts';
import { uuidv7 } from './uuid.ts';

/** The people of accounts. Owners are made, changed and removed by owners only, and one is always left. */
@Injectable()
export class UsersService {
  constructor(@Inject(DATABASE) private readonly database: DataSource) {}

  list(accountId: string): Promise<UserEntity[]> {
    return this.database
      .getRepository(UserEntity)
      .find({ where: { accountId }, order: { id: 'ASC' }, take: 1_000 });
  }

  async create(person: Session, accountId: string, wanted: CreateUser): Promise<UserEntity> {
    mustRank(person, wanted.role);
    const passwordHash = await hashPassword(wanted.password);
    return this.database.transaction(async (manager) => {
      if (!(await manager.existsBy(AccountEntity, { id: accountId }))) {
        throw httpError(404, 'There is no such account.', 'id');
      }
      const [made]: { id: string }[] = await manager.query(
        `INSERT INTO billing.app_user (id, account_id, email, password_hash, role) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (lower(email)) DO NOTHING RETURNING id`,
        [uuidv7(), accountId, wanted.email, passwordHash, wanted.role],
      );
      if (!made) throw httpError(409, 'email: somebody with this address is here already.', 'email');
      const user = await manager.findOneByOrFail(UserEntity, { id: made.id });
      await audit(manager, { ...about(user), action: 'user.create', after: describeUser(user) });
      return user;
    });
  }

  changeRole(person: Session, accountId: string, userId: string, role: Session['role']): Promise<UserEntity> {
    mustRank(person, role);
    return this.#withUser(person, accountId, userId, async (manager, user) => {
      if (role !== 'owner') await mustLeaveAnOwner(manager, user);
      const before = describeUser(user);
      user.role = role;
      await audit(manager, { ...about(user), action: 'user.change', before, after: describeUser(user) });
      return manager.save(user);
    });
  }

  remove(person: Session, accountId: string, userId: string): Promise<void> {
    return this.#withUser(person, accountId, userId, async (manager, user) => {
      await mustLeaveAnOwner(manager, user);
      await audit(manager, { ...about(user), action: 'user.remove', before: describeUser(user) });
      await manager.remove(user);
    });
  }

  /** Ends the sessions that were begun with the password before. */
  async setPassword(person: Session, accountId: string, userId: string, password: string): Promise<void> {
    const passwordHash = await hashPassword(password);
    await this.#withUser(person, accountId, userId, async (manager, user) => {
      await manager.save(Object.assign(user, { passwordHash }));
      await manager.delete(SessionEntity, { userId });
      await audit(manager, { ...about(user), action: 'user.set-password' });
    });
  }

  #withUser<T>(
    person: Session,
    accountId: string,
    userId: string,
    work: (manager: EntityManager, user: UserEntity) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async (manager) => {
      // Whoever is about to change owners waits here, so that two of them cannot remove each other.
      await manager.query(`SELECT 1 FROM billing.app_user WHERE role = 'owner' ORDER BY id FOR UPDATE`);
      const user = await manager.findOneBy(UserEntity, { id: userId, accountId });
      if (!user) throw httpError(404, 'There is no such person in this account.', 'user');
      mustRank(person, user.role);
      return work(manager, user);
    });
  }
}

const about = ({ id, accountId }: UserEntity) => ({ object: `user ${id}`, accountId });
const describeUser = ({ email, role }: UserEntity) => ({ email, role });

function mustRank(person: Session, role: Session['role']): void {
  if (role === 'owner' && person.role !== 'owner') {
    throw httpError(403, 'Only an owner makes, changes or removes owners.', 'role');
  }
}

async function mustLeaveAnOwner(manager: EntityManager, user: UserEntity): Promise<void> {
  if (user.role !== 'owner' || (await manager.countBy(UserEntity, { role: 'owner' })) > 1) return;
  throw httpError(409, 'This is the last owner: make somebody else an owner first.', 'role');
}
