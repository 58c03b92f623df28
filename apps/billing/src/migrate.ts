import { loadConfig, migrationShape, runScript } from '@tollgate/platform/process';
import { z } from 'zod';
import { migrate } from './database/migrate.ts';

await runScript('billing migrate', async () => {
  const config = loadConfig(z.object(migrationShape));
  await migrate(config.DATABASE_URL, config.SERVICE_DATABASE_URL);
  return 'billing: schema is up to date';
});
