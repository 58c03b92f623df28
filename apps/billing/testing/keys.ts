import type { DataSource } from 'typeorm';
import { uuidv7 } from '../src/accounts/uuid.ts';
import { ApiKeyEntity } from '../src/keys/api-key.entity.ts';
import { hashKey, maskKey, newKey } from '../src/keys/key-secret.ts';

/** A key of an account, in the group `default`; what matters to a test is stated there. */
export async function addKey(
  database: DataSource,
  of: Partial<ApiKeyEntity> & Pick<ApiKeyEntity, 'accountId'>,
): Promise<ApiKeyEntity> {
  const key = newKey();
  const keys = database.getRepository(ApiKeyEntity);
  return keys.save(
    keys.create({
      id: uuidv7(),
      ownerId: null,
      name: 'a key',
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
      lastUsedAt: null,
      deletedAt: null,
      ...of,
    }),
  );
}
