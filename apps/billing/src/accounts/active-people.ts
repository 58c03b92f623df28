import { column, readRows } from '@tollgate/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';
import { AccountEntity } from './account.entity.ts';
import { UserEntity } from './user.entity.ts';

type Manager = Pick<DataSource | EntityManager, 'getRepository'>;

/** Whoever may be signed in: somebody enabled, of an account that is. Everybody belongs to one account. */
export const findActivePerson = (manager: Manager, id: string): Promise<UserEntity | null> =>
  manager
    .getRepository(UserEntity)
    .createQueryBuilder('person')
    .innerJoin(AccountEntity, 'account', `account.id = person.accountId AND account.status = 'active'`)
    .where(`person.id = :id AND person.status = 'active'`, { id })
    .getOne();

export const isAccountActive = (manager: Manager, id: string): Promise<boolean> =>
  manager.getRepository(AccountEntity).existsBy({ id, status: 'active' });

/** Whoever is about to change owners waits here, so that two of them cannot shut each other out. */
export async function holdOwners(manager: EntityManager): Promise<void> {
  await manager.query(`SELECT 1 FROM billing.app_user WHERE role = 'owner' ORDER BY id FOR UPDATE`);
}

const ownerRow = z.object({ id: column.uuid, account_id: column.uuid });

/** Owners who may be signed in. */
export const listActiveOwners = (manager: EntityManager): Promise<z.infer<typeof ownerRow>[]> =>
  readRows(
    manager,
    ownerRow,
    `SELECT person.id, account_id FROM billing.app_user AS person
     JOIN billing.account AS account ON account.id = account_id AND account.status = 'active'
     WHERE role = 'owner' AND person.status = 'active'`,
  );
