import { type DataSource, type EntityManager, IsNull } from 'typeorm';
import { hashPassword } from '../auth/password.ts';
import { ApiKeyEntity } from '../keys/api-key.entity.ts';
import { hashKey, maskKey, newKey } from '../keys/key-secret.ts';
import { AccountEntity } from './account.entity.ts';
import { UserEntity } from './user.entity.ts';
import { findByEmail } from './users.service.ts';
import { uuidv7 } from './uuid.ts';

interface FirstAccountInput {
  readonly accountName: string;
  readonly email: string;
  readonly password: string;
  /** A key of an earlier seeding: it is kept while it is there. Else a new one is made. */
  readonly apiKey?: string;
}

export interface FirstAccount {
  readonly accountId: string;
  readonly email: string;
  readonly apiKey: string;
}

/** Makes the first account with its owner and an API key. What is there already stays as it is. */
export async function seedFirstAccount(
  database: DataSource,
  input: FirstAccountInput,
): Promise<FirstAccount> {
  const passwordHash = await hashPassword(input.password);
  return database.transaction(async (manager) => {
    await manager.query(`SELECT pg_advisory_xact_lock(hashtext('billing seed'))`);
    const user = (await findByEmail(manager, input.email)) ?? (await makeOwner(manager, input, passwordHash));
    const { accountId, email } = user;
    if (input.apiKey !== undefined && (await isExisting(manager, input.apiKey))) {
      return { accountId, email, apiKey: input.apiKey };
    }
    return { accountId, email, apiKey: await makeKey(manager, user) };
  });
}

async function makeOwner(
  manager: EntityManager,
  { accountName, email }: FirstAccountInput,
  passwordHash: string,
): Promise<UserEntity> {
  const account = await manager.save(
    manager.create(AccountEntity, { id: uuidv7(), name: accountName, status: 'active' }),
  );
  return manager.save(
    manager.create(UserEntity, { id: uuidv7(), accountId: account.id, email, passwordHash, role: 'owner' }),
  );
}

const isExisting = (manager: EntityManager, key: string): Promise<boolean> =>
  manager.existsBy(ApiKeyEntity, { keyHash: hashKey(key), deletedAt: IsNull() });

async function makeKey(manager: EntityManager, { id: ownerId, accountId }: UserEntity): Promise<string> {
  const key = newKey();
  await manager.save(
    manager.create(ApiKeyEntity, {
      id: uuidv7(),
      accountId,
      ownerId,
      name: 'first key',
      keyHash: hashKey(key),
      masked: maskKey(key),
      group: 'default',
      status: 'active',
      expiresAt: null,
      budgetPico: null,
      budgetDailyPico: null,
      budgetMonthlyPico: null,
      requestsPerMinute: null,
      tokensPerMinute: null,
      concurrentRequests: null,
      unitsPerMinute: null,
      models: null,
      allowedAddresses: null,
      strict: false,
      temporary: false,
      lastUsedAt: null,
      deletedAt: null,
    }),
  );
  return key;
}
