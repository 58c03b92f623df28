import { runScript } from '@tollgate/platform/process';
import { seedFirstAccount } from './accounts/first-account.ts';
import { loadSeedConfig } from './config.ts';
import { createDataSource } from './database/data-source.ts';
import { migrate } from './database/migrate.ts';

// Brings the schema up to date first. The last line on standard output is {"account_id","admin":{"email"},"api_key"}.
await runScript('billing seed', async () => {
  const config = await loadSeedConfig();
  await migrate(config.DATABASE_URL, config.SERVICE_DATABASE_URL);
  const database = await createDataSource(config.DATABASE_URL).initialize();
  const made = await seedFirstAccount(database, {
    accountName: config.SEED_ACCOUNT_NAME,
    email: config.SEED_ADMIN_EMAIL,
    password: config.SEED_ADMIN_PASSWORD,
    apiKey: config.SEED_API_KEY,
  });
  await database.destroy();
  return JSON.stringify({ account_id: made.accountId, admin: { email: made.email }, api_key: made.apiKey });
});
