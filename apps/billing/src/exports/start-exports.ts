import { type Logger, type RequestReplyClient, requireWritable } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import type { z } from 'zod';
import type { exportConfigShape } from './export-config.ts';
import { startExportRetention } from './export-retention.ts';
import { startExportRunner } from './export-runner.ts';
import type { Exports } from './exports.controller.ts';
import { createStorage } from './storage/create-storage.ts';

type ExportConfig = z.infer<z.ZodObject<typeof exportConfigShape>> & {
  readonly DATABASE_URL: string;
  readonly DATABASE_READ_URL?: string | undefined;
};

/** Opens the store of exports and begins to write those that wait. */
export async function startExports(parts: {
  readonly config: ExportConfig;
  readonly database: DataSource;
  readonly pricing: RequestReplyClient;
  readonly logger: Logger;
}): Promise<Exports & { stop(): Promise<void> }> {
  const { config, database, pricing, logger } = parts;
  const storageConfig = {
    EXPORT_DIR: config.EXPORT_DIR,
    EXPORT_S3_BUCKET: config.EXPORT_S3_BUCKET,
    EXPORT_S3_ENDPOINT: config.EXPORT_S3_ENDPOINT,
    EXPORT_S3_REGION: config.EXPORT_S3_REGION,
    EXPORT_S3_ACCESS_KEY: config.EXPORT_S3_ACCESS_KEY,
    EXPORT_S3_SECRET: config.EXPORT_S3_SECRET,
    EXPORT_S3_PREFIX: config.EXPORT_S3_PREFIX,
  };
  if (config.EXPORT_S3_BUCKET === undefined) await requireWritable('EXPORT_DIR', config.EXPORT_DIR);
  const storage = await createStorage(storageConfig);
  const retention = startExportRetention({
    database,
    storage,
    logger,
    keepDays: config.EXPORT_KEEP_DAYS,
    customerMb: config.EXPORT_CUSTOMER_MB,
  });
  const runner = startExportRunner({
    database,
    databaseUrl: config.DATABASE_URL,
    replicaUrl: config.DATABASE_READ_URL,
    pricing,
    storage,
    storageConfig,
    logger,
    concurrency: config.EXPORT_CONCURRENCY,
    leaseS: config.EXPORT_LEASE_S,
    onDone: retention.look,
  });
  return {
    storage,
    runner,
    partRows: config.EXPORT_PART_ROWS,
    providerName: config.EXPORT_PROVIDER_NAME,
    async stop() {
      await runner.stop();
      await retention.stop();
      storage.close();
    },
  };
}
