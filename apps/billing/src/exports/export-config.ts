import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

/** An empty variable counts as one that is not set. */
const optional = z
  .string()
  .optional()
  .transform((text) => (text === '' ? undefined : text));

/** The settings of billing that are about exports. */
export const exportConfigShape = {
  /** Where files are written, and read again for downloads: with several billings a directory that they share. */
  EXPORT_DIR: z.string().min(1).default(join(tmpdir(), 'tollgate-exports')),
  /** Files are written to this bucket in place of the directory. */
  EXPORT_S3_BUCKET: optional,
  /** The address of an S3-compatible store; without it AWS. */
  EXPORT_S3_ENDPOINT: optional,
  EXPORT_S3_REGION: z.string().min(1).default('us-east-1'),
  EXPORT_S3_ACCESS_KEY: optional,
  EXPORT_S3_SECRET: optional,
  /** What the names of all objects begin with. */
  EXPORT_S3_PREFIX: z.string().default(''),
  /** Rows of a file; a part that is complete is never written again. */
  EXPORT_PART_ROWS: z.coerce.number().int().min(1).max(50_000_000).default(1_000_000),
  /** Exports that one billing writes side by side. */
  EXPORT_CONCURRENCY: z.coerce.number().int().min(1).max(16).default(2),
  /** An export whose writer was not heard of for so long is taken up by another one. */
  EXPORT_LEASE_S: z.coerce.number().int().min(2).max(3_600).default(30),
  /** Who bills, in FOCUS exports. */
  EXPORT_PROVIDER_NAME: z.string().trim().min(1).max(100).default('Tollgate'),
} as const;

/** What of the settings says where files go. */
export interface StorageConfig {
  readonly EXPORT_DIR: string;
  readonly EXPORT_S3_BUCKET?: string | undefined;
  readonly EXPORT_S3_ENDPOINT?: string | undefined;
  readonly EXPORT_S3_REGION: string;
  readonly EXPORT_S3_ACCESS_KEY?: string | undefined;
  readonly EXPORT_S3_SECRET?: string | undefined;
  readonly EXPORT_S3_PREFIX: string;
}
