import { databaseUrl, loadConfig } from '@tollgate/platform';
import { z } from 'zod';
import { seedFirstAccount } from './accounts/first-account.ts';
import { createDataSource } from './database/data-source.ts';

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
const made = await seedFirstAccount(database, {
  accountName: config.SEED_ACCOUNT_NAME,
  email: config.SEED_ADMIN_EMAIL,
  password: config.SEED_ADMIN_PASSWORD,
  apiKey: config.SEED_API_KEY,
});
await database.destroy();
process.stdout.write(
  `${JSON.stringify({ account_id: made.accountId, admin: { email: made.email }, api_key: made.apiKey })}\n`,
);
