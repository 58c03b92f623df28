import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpUrl, wholeNumber, wholeSeconds } from '@tollgate/platform';
import { z } from 'zod';

/** The settings of billing that are about exports. */
export const exportConfigShape = {
  EXPORT_DIR: z.string().min(1).default(join(tmpdir(), 'tollgate-exports')).meta({
    description:
      'Where export files are written, and read again for downloads; with several billings a directory that they share',
    default_text: '`tollgate-exports` in the temporary directory',
  }),
  EXPORT_S3_BUCKET: z
    .string()
    .optional()
    .describe('Files are written to this bucket in place of the directory'),
  EXPORT_S3_ENDPOINT: httpUrl
    .optional()
    .describe('Address of an S3-compatible store, addressed path-style; without it AWS'),
  EXPORT_S3_REGION: z.string().min(1).default('us-east-1').describe('Region of the bucket'),
  EXPORT_S3_ACCESS_KEY: z.string().optional().describe('Without it, what the AWS SDK finds'),
  EXPORT_S3_SECRET: z.string().optional().describe('The secret of that access key'),
  EXPORT_S3_PREFIX: z
    .string()
    .default('')
    .describe('What the names of all objects begin with, such as `tollgate/`'),
  EXPORT_PART_ROWS: wholeNumber(1, 50_000_000)
    .default(1_000_000)
    .describe(
      'Rows of a file; after a kill one that is complete is not written again, and one that is not is gone on with from its last tenth',
    ),
  EXPORT_CONCURRENCY: wholeNumber(1, 16).default(2).describe('Exports that one billing writes side by side'),
  EXPORT_LEASE_S: wholeSeconds(2, 3_600)
    .default(30)
    .describe('Seconds of silence after which an export is taken up by another billing'),
  EXPORT_KEEP_DAYS: z
    .union([z.literal('never'), wholeNumber(1, 36_500)], {
      error: 'must be a number of days, 1 or more, or never',
    })
    .default(90)
    .describe('Days after its end when the files of an export are removed; `never` keeps them'),
  EXPORT_CUSTOMER_MB: wholeNumber(1, 10_000_000)
    .default(1_024)
    .describe(
      'MB of files that are kept of what the people of one account have exported themselves: the oldest go for newer ones, of which the newest always stays',
    ),
  EXPORT_PROVIDER_NAME: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .default('Tollgate')
    .describe('Who bills, in FOCUS exports'),
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
