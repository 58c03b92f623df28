import { randomBytes } from 'node:crypto';
import { freePort, type RunningRedis, type TestDatabase } from '@tollgate/harness';
import { TARGETS } from './dockerfile-policies.ts';
import { makeVolume } from './image-process.ts';
import type { ImageTree } from './image-tree.ts';

type Target = (typeof TARGETS)[number];

/** What the containers of one stack would be given. */
export interface ImageEnvironment {
  readonly secrets: typeof SECRETS;
  readonly url: (target: Target) => string;
  /** Variables beside the image's own; ports are free ones of this machine. */
  readonly of: (target: Target) => Readonly<Record<string, string>>;
}

const SECRETS = {
  SEAL_KEY: randomBytes(32).toString('base64'),
  SESSION_SECRET: randomBytes(32).toString('hex'),
  SERVICE_SECRETS: randomBytes(32).toString('hex'),
};

/** @param directory where volumes are made. */
export async function openEnvironment(
  trees: Readonly<Record<Target, ImageTree>>,
  directory: string,
  redis: RunningRedis,
  database: TestDatabase,
): Promise<ImageEnvironment> {
  const ports: Record<string, number> = {};
  for (const name of [...TARGETS, 'billing_tcp', 'pricing_tcp']) ports[name] = await freePort();
  const url = (target: Target) => `http://127.0.0.1:${ports[target]}`;
  const tcp = (target: Target) => `tcp://127.0.0.1:${ports[`${target}_tcp`]}`;
  const volume = (target: Target, name: string) => makeVolume(trees[target], directory, name);
  const { SEAL_KEY, SESSION_SECRET, SERVICE_SECRETS } = SECRETS;

  const common = (target: Target) => ({
    HOST: '127.0.0.1',
    PORT: String(ports[target]),
    TMPDIR: volume(target, `${target}-tmp`),
  });
  const inner = (target: Target) => ({
    ...common(target),
    SERVICE_SECRETS,
    REDIS_URL: redis.url,
    SHUTDOWN_GRACE_S: '20',
  });
  const behind = (target: 'billing' | 'pricing') => ({
    ...inner(target),
    DATABASE_URL: database.serviceUrl(target),
    TCP_PORT: String(ports[`${target}_tcp`]),
  });
  const variables: Record<Target, () => Record<string, string>> = {
    simulator: () => common('simulator'),
    gateway: () => ({
      ...inner('gateway'),
      SEAL_KEY,
      BILLING_TCP_URL: tcp('billing'),
      PRICING_TCP_URL: tcp('pricing'),
      BILLING_HTTP_URL: url('billing'),
      PRICING_HTTP_URL: url('pricing'),
      SPOOL_DIR: volume('gateway', 'spool'),
      DRAIN_S: '0',
    }),
    billing: () => ({
      ...behind('billing'),
      SESSION_SECRET,
      PRICING_TCP_URL: tcp('pricing'),
      EXPORT_DIR: volume('billing', 'exports'),
    }),
    pricing: () => ({ ...behind('pricing'), SEAL_KEY, BILLING_TCP_URL: tcp('billing') }),
  };
  return { secrets: SECRETS, url, of: (target) => variables[target]() };
}
