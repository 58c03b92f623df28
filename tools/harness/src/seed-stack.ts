import { join } from 'node:path';
import { serviceAddress } from './postgres.ts';
import { runToEnd } from './process.ts';
import type { StackSecrets } from './secrets.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** What is started of an app: its program of that name, in one piece with what it imports, or as it was built. */
export const findProgram = (
  app: string,
  name: string,
  form: 'bundle' | 'dist' = 'bundle',
  root = ROOT,
): string => join(root, 'apps', app, form, `${name}.js`);

/** Who signs in first. */
export interface FirstAdmin {
  readonly email: string;
  readonly password: string;
}

interface SeedOptions {
  readonly secrets: StackSecrets;
  readonly admin: FirstAdmin;
  readonly apiKey: string;
  readonly serviceRoles?: boolean;
  /** Lets the simulator answer for every model that a test adds, not for the simulated ones alone. */
  readonly simulatorServes?: 'every' | undefined;
  /** Variables in which credentials of providers are looked for. */
  readonly providerEnvironment?: Readonly<Record<string, string>> | undefined;
  /** Gives it up. */
  readonly signal?: AbortSignal;
  /** Is told what is waited for. */
  readonly say?: (text: string) => void;
}

/** What a first start leaves in the database. */
export interface Seeded {
  readonly accountId: string;
  readonly apiKey: string;
  /** What was done for the credentials of providers, in words. */
  readonly providers?: readonly string[];
}

/** Where a service connects to; empty where the database is somebody's who may not let us make roles. */
export const toServiceUrl = (
  { secrets, serviceRoles }: SeedOptions,
  databaseUrl: string,
  service: string,
): string =>
  serviceRoles === false
    ? ''
    : serviceAddress(
        databaseUrl,
        `${new URL(databaseUrl).pathname.slice(1)}_${service}`,
        secrets.service_database_password,
      );

/** Brings the schemas up to date, and makes a first account and prices where there are none. */
export async function seedStack(
  options: SeedOptions,
  at: { readonly databaseUrl: string; readonly redisUrl: string; readonly simulatorUrl: string },
): Promise<Seeded> {
  const database = (service: string) => ({
    DATABASE_URL: at.databaseUrl,
    SERVICE_DATABASE_URL: toServiceUrl(options, at.databaseUrl, service),
  });
  const [seeded, priced] = await Promise.all([
    runToEnd(
      findProgram('billing', 'seed'),
      {
        ...database('billing'),
        SEED_ADMIN_EMAIL: options.admin.email,
        SEED_ADMIN_PASSWORD: options.admin.password,
        SEED_API_KEY: options.apiKey,
      },
      options,
    ),
    runToEnd(
      findProgram('pricing', 'seed'),
      {
        ...options.providerEnvironment,
        ...database('pricing'),
        REDIS_URL: at.redisUrl,
        SEAL_KEY: options.secrets.seal_key,
        SIMULATOR_URL: at.simulatorUrl,
        SIMULATOR_SERVES: options.simulatorServes ?? '',
      },
      options,
    ),
  ]);
  const { account_id: accountId, api_key: apiKey } = readLastLine<{ account_id: string; api_key: string }>(
    seeded,
  );
  const { providers } = readLastLine<{ providers: string[] }>(priced);
  return { accountId, apiKey, providers };
}

const readLastLine = <T>(output: string): T => JSON.parse(output.trim().split('\n').at(-1) ?? '{}') as T;
