import type { StorageConfig } from '../export-config.ts';
import { LocalStorage } from './local-storage.ts';
import type { ExportStorage } from './storage.ts';

/** The bucket if one is set, else the directory. */
export async function createStorage(config: StorageConfig): Promise<ExportStorage> {
  if (config.EXPORT_S3_BUCKET === undefined) return new LocalStorage(config.EXPORT_DIR);
  // The SDK is large: who does not use it does not load it.
  const { S3Storage } = await import('./s3-storage.ts');
  return new S3Storage({
    bucket: config.EXPORT_S3_BUCKET,
    endpoint: config.EXPORT_S3_ENDPOINT,
    region: config.EXPORT_S3_REGION,
    accessKey: config.EXPORT_S3_ACCESS_KEY,
    secret: config.EXPORT_S3_SECRET,
    prefix: config.EXPORT_S3_PREFIX,
  });
}
