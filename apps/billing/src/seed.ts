import { databaseUrl, loadConfig } from '@tollgate/platform';
import { IsNull } from 'typeorm';
import { z } from 'zod';
import { AccountEntity } from './accounts/account.entity.ts';
import { UserEntity } from './accounts/user.entity.ts';
import { uuidv7 } from './accounts/uuid.ts';
import { hashPassword } from './auth/password.ts';
import { createDataSource } from './database/data-source.ts';
import { ApiKeyEntity } from './keys/api-key.entity.ts';
import { hashKey, maskKey, newKey } from './keys/key-secret.ts';

// Makes the first account with its owner and an API key. What is there already stays as it is.
// The last line on standard output is {"account_id","admin":{"email"},"api_key"}.
const config = loadConfig(
  z.object({
    DATABASE_URL: databaseUrl,
    SEED_ACCOUNT_NAME: z.string().min(1).default('First account'),
    SEED_ADMIN_EMAIL: z.email(),
    SEED_ADMIN_PASSWORD: z.string().min(12, 'must have at least 12 characters'),
    /** A key of an earlier seeding: it is kept while it is there. Else a new one is made. */
    SEED_API_KEY: z.string().default('new'),
  }),
);
const database = await createDataSource(config.DATABASE_URL).initialize();
const passwordHash = await hashPassword(config.SEED_ADMIN_PASSWORD);

const made = await database.transaction(async (manager) => {
  await manager.query(`SELECT pg_advisory_xact_lock(hashtext('billing seed'))`);
  let user = await manager
    .createQueryBuilder(UserEntity, 'u')
    .where('lower(u.email) = lower(:email)', { email: config.SEED_ADMIN_EMAIL })
    .getOne();
  if (!user) {
    const account = await manager.save(
      manager.create(AccountEntity, { id: uuidv7(), name: config.SEED_ACCOUNT_NAME, status: 'active' }),
    );
    user = await manager.save(
      manager.create(UserEntity, {
        id: uuidv7(),
        accountId: account.id,
        email: config.SEED_ADMIN_EMAIL,
        passwordHash,
        role: 'owner',
      }),
    );
  }
  const standing = { keyHash: hashKey(config.SEED_API_KEY), deletedAt: IsNull() };
  if (await manager.existsBy(ApiKeyEntity, standing)) return { user, key: config.SEED_API_KEY };
  const key = newKey();
  await manager.save(
    manager.create(ApiKeyEntity, {
      id: uuidv7(),
      accountId: user.accountId,
      name: 'first key',
      keyHash: hashKey(key),
      masked: maskKey(key),
      group: 'default',
      status: 'active',
      expiresAt: null,
      budgetPico: null,
      requestsPerMinute: null,
      tokensPerMinute: null,
      lastUsedAt: null,
      deletedAt: null,
    }),
  );
  return { user, key };
});
await database.destroy();
process.stdout.write(
  `${JSON.stringify({ account_id: made.user.accountId, admin: { email: made.user.email }, api_key: made.key })}\n`,
);
