import { loadConfig, migrationShape } from '@tollgate/platform/process';
import { z } from 'zod';
import { migrate } from './database/migrate.ts';

const config = loadConfig(z.object(migrationShape));
await migrate(config.DATABASE_URL, config.SERVICE_DATABASE_URL);
process.stdout.write('pricing: schema is up to date\n');
