import { createKey, type NewApiKey } from '../../api/keys.ts';
import { KEY_BUDGET_USD, keptKey, type TemporaryKey } from './temporary-key.ts';

const KEY_NAME = 'Playground';
const HOUR_MS = 3_600_000;

/** Makes a key with a small budget that ends within the hour. @throws ApiError */
export async function makeTemporaryKey(group: string, userId: string): Promise<TemporaryKey> {
  const until = new Date(Date.now() + HOUR_MS).toISOString();
  const made: NewApiKey = await createKey({
    name: KEY_NAME,
    group,
    expires_at: until,
    temporary: true,
    budgets: { total_usd: KEY_BUDGET_USD },
  });
  const key = { key: made.key, masked: made.masked, group, userId, until };
  keptKey.write(key);
  return key;
}
