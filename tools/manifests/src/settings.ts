import { billingConfigSchema, billingSeedSchema } from '@tollgate/billing/config';
import { gatewayConfigSchema } from '@tollgate/gateway/config';
import { pricingConfigSchema, pricingSeedSchema } from '@tollgate/pricing/config';
import { ConfigError, loadConfig, migrationShape } from '@tollgate/platform/process';
import type { IContainer } from 'kubernetes-models/v1';
import { z } from 'zod';
import { type Manifest, ofKind } from './manifest.ts';

/** What each program reads of its environment. */
export const SCHEMAS: Readonly<Record<string, z.ZodObject>> = {
  'gateway/main': gatewayConfigSchema,
  'billing/main': billingConfigSchema,
  'pricing/main': pricingConfigSchema,
  'simulator/main': z.object({ HOST: z.string(), PORT: z.string() }),
  'billing/migrate': z.object(migrationShape),
  'pricing/migrate': z.object(migrationShape),
  'billing/seed': billingSeedSchema,
  'pricing/seed': pricingSeedSchema,
};

/** Text that is hardly ever meant. */
const UNMEANT = ['many', '-1', '9'.repeat(20), 'a b%', ':::', 'x'.repeat(5_000)];

/** What `loadConfig` says of a setting's value; undefined where it takes it. */
export function findComplaint(schema: z.ZodObject, name: string, value?: string): string | undefined {
  try {
    loadConfig(z.object({ [name]: schema.shape[name] as z.ZodType }), { [name]: value });
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

/** Values that a setting does not take. */
export const listBadValues = (schema: z.ZodObject, name: string): readonly string[] =>
  UNMEANT.filter((value) => findComplaint(schema, name, value) !== undefined);

/** Whether a setting is for the service alone, by its name. */
export const isSecret = (name: string): boolean =>
  /(?:^|_)(?:SECRETS?|TOKEN|PASSWORD|ACCESS_KEY|API_KEY|SEAL_KEY|SEAL_KEYS_OTHER)$|^(?:SERVICE_)?DATABASE_(?:READ_)?URL$|^REDIS_URL$/.test(
    name,
  );

/** Values in place of those of Secrets, which no manifest shows: any that the schemas take. */
const STAND_INS: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://user:password@postgres:5432/tollgate',
  DATABASE_READ_URL: 'postgres://user:password@postgres-ro:5432/tollgate',
  SERVICE_DATABASE_URL: 'postgres://service:password@postgres:5432/tollgate',
  REDIS_URL: 'redis://redis:6379',
  SEAL_KEY: Buffer.alloc(32).toString('base64'),
  SEAL_KEYS_OTHER: Buffer.alloc(32, 1).toString('base64'),
  SESSION_SECRET: 'x'.repeat(32),
  FACTOR_SEAL_KEY: Buffer.alloc(32, 2).toString('base64'),
  FACTOR_SEAL_KEYS_OTHER: Buffer.alloc(32, 3).toString('base64'),
  SERVICE_SECRETS: 'x'.repeat(32),
  METRICS_TOKEN: 'x'.repeat(32),
  SETUP_TOKEN: 'x'.repeat(32),
};

/** A variable of a container, with its value or where it comes from. */
export interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly from?: {
    readonly kind: 'ConfigMap' | 'Secret';
    readonly name: string;
    readonly key: string;
    /** The program starts without it. */
    readonly optional?: boolean;
  };
}

/** The variables that a container gets; those of a ConfigMap that is not there are left out. */
export function listVariables(container: IContainer, documents: readonly Manifest[]): readonly Variable[] {
  const maps = (container.envFrom ?? []).flatMap(({ configMapRef }) => {
    const map = ofKind(documents, 'ConfigMap').find(({ metadata }) => metadata.name === configMapRef?.name);
    return Object.entries(map?.data ?? {}).map(([name, value]) => ({ name, value }));
  });
  const single = (container.env ?? []).map(({ name, value, valueFrom }): Variable => {
    const secret = valueFrom?.secretKeyRef;
    const map = valueFrom?.configMapKeyRef;
    if (secret) {
      const { name: of = '', key, optional = false } = secret;
      return { name, from: { kind: 'Secret', name: of, key, optional } };
    }
    if (map) return { name, from: { kind: 'ConfigMap', name: map.name ?? '', key: map.key } };
    return { name, value: value ?? '' };
  });
  return [...maps, ...single];
}

/**
 * Reads variables as the program itself would.
 *
 * @param program such as `gateway/main`.
 * @returns its settings as numbers and text, or what is wrong with them.
 */
export function readSettings(
  program: string,
  variables: readonly Variable[],
): { readonly settings: Readonly<Record<string, unknown>>; readonly faults: readonly string[] } {
  const schema = SCHEMAS[program];
  if (!schema) return { settings: {}, faults: [`nothing is known of the settings of ${program}`] };
  const unknown = variables.filter(({ name }) => !(name in schema.shape));
  // An empty variable counts as none.
  const given = Object.fromEntries(
    variables
      .filter(({ value }) => value !== '')
      .map(({ name, value }) => [name, value ?? STAND_INS[name] ?? 'from a secret']),
  );
  const parsed = schema.safeParse(given);
  return {
    settings: parsed.data ?? {},
    faults: [
      ...unknown.map(({ name }) => `${program} has no setting ${name}`),
      ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`),
    ],
  };
}
