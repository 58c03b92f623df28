import { databaseUrl, loadConfig } from '@tollgate/platform/process';
import { z } from 'zod';
import { migrate } from './database/migrate.ts';

const config = loadConfig(z.object({ DATABASE_URL: databaseUrl }));
await migrate(config.DATABASE_URL);
process.stdout.write('pricing: schema is up to date\n');
