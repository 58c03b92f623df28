import { modelSchema } from '@tollgate/catalogue';
import { momentSchema } from '@tollgate/contracts';
import { FIELD_RULES } from '@tollgate/vocabulary';
import { z } from 'zod';
import { sortBy, toIdSchema, timestamp, USAGE_DETACHED } from './common.ts';
import { defineResource } from './route.ts';

export const EXPORT_KINDS = ['usage', 'ledger', 'focus'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

export const EXPORT_FORMATS = ['csv', 'parquet', 'jsonl'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const EXPORT_STATUSES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type ExportStatus = (typeof EXPORT_STATUSES)[number];

/** What the files of each format are. */
export const EXPORT_CONTENT_TYPES = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
} as const satisfies Record<ExportFormat, string>;

const exportBody = z
  .strictObject({
    kind: z.enum(EXPORT_KINDS),
    format: z.enum(EXPORT_FORMATS),
    from: momentSchema.meta({ description: 'Booked at or after this' }),
    to: momentSchema.meta({ description: 'Booked before this' }),
    account_id: z.uuid().optional(),
    model: modelSchema.shape.name.optional(),
    key_id: z.uuid().optional(),
  })
  .refine(({ from, to }) => Date.parse(from) < Date.parse(to), {
    path: ['to'],
    message: FIELD_RULES.ends_before_it_begins,
  })
  .refine(({ kind, model }) => kind !== 'ledger' || model === undefined, {
    path: ['model'],
    message: FIELD_RULES.ledger_has_no_models,
  })
  .refine(({ kind, key_id }) => kind !== 'ledger' || key_id === undefined, {
    path: ['key_id'],
    message: FIELD_RULES.ledger_has_no_keys,
  })
  .meta({
    examples: [
      {
        kind: 'usage',
        format: 'parquet',
        from: '2026-11-01T00:00:00Z',
        to: '2026-12-01T00:00:00Z',
      },
    ],
  });

const exportJob = z
  .object({
    id: z.uuid(),
    status: z.enum(EXPORT_STATUSES),
    progress: z
      .number()
      .nullable()
      .meta({ description: 'From 0 to 1; null while nobody knows how much there is' }),
    kind: z.enum(EXPORT_KINDS),
    format: z.enum(EXPORT_FORMATS),
    from: timestamp,
    to: timestamp,
    account_id: z.uuid().nullable(),
    model: z.string().nullable(),
    key_id: z.uuid().nullable(),
    watermark: z.int().meta({ description: 'The last ledger transaction that is in it' }),
    requested_by: z.string(),
    schedule_id: z.uuid().nullable(),
    rows: z.object({ done: z.int(), of: z.int().nullable() }),
    bytes: z.int(),
    rows_per_second: z.number().nullable(),
    eta_s: z.int().nullable(),
    error: z.string().nullable(),
    created_at: timestamp,
    finished_at: timestamp.nullable(),
    files_removed_at: timestamp.nullable().meta({ description: 'Null while its files are there' }),
  })
  .meta({ id: 'ExportJob', description: 'An export and how far it is' });

const sums = z
  .record(z.string(), z.string())
  .meta({ description: 'Of each column: amounts in USD and, beside them, in whole pico-USD' });

const manifest = z
  .object({
    format_version: z.int(),
    generator: z.record(z.string(), z.string()),
    kind: z.enum(EXPORT_KINDS),
    format: z.enum(EXPORT_FORMATS),
    audience: z.enum(['books', 'customer']).meta({ description: 'A customer is not shown upstreams' }),
    filters: z.object({
      from: timestamp,
      to: timestamp,
      account_id: z.string().nullable(),
      model: z.string().nullable(),
      key_id: z.string().nullable(),
    }),
    watermark: z.int(),
    part_rows: z.int(),
    focus_version: z.string().optional(),
    provider_name: z.string().optional(),
    accounts_sha256: z.string().nullable().optional(),
    rows: z.int(),
    sums,
    columns: z.array(z.object({ name: z.string(), type: z.string(), nullable: z.boolean() })),
    files: z.array(
      z.object({
        // Whoever downloads it may take it for the name of a file.
        name: z.string().regex(/^[\w-][\w.-]*$/),
        rows: z.int(),
        bytes: z.int(),
        sha256: z.string(),
        sums,
      }),
    ),
  })
  .meta({
    id: 'ExportManifest',
    description: 'It names no time and no job: the same filters and watermark give the same manifest',
  });

const params = z.strictObject({ id: toIdSchema('export') });
const permission = 'exports:write';

export const dataExports = defineResource({
  createExport: {
    method: 'POST',
    path: '/api/exports',
    summary: 'Ask for files of what was booked in a time',
    description: 'Members may ask for the usage of their own account.',
    permission,
    account: { in: 'body', name: 'account_id', others: 'ledger:read-all' },
    body: exportBody,
    status: 202,
    answer: exportJob,
    errors: {
      409: USAGE_DETACHED,
      429: 'Too many exports of yours are not finished yet.',
    },
  },
  listExports: {
    method: 'GET',
    path: '/api/exports',
    summary: 'List exports, the newest first',
    permission,
    query: z.object({
      schedule_id: z.uuid().optional().meta({ description: 'Those that a schedule asked for' }),
      sort: sortBy(['kind', 'status', 'rows', 'size', 'asked']),
      limit: z.coerce.number().int().min(1).max(200).default(50),
      offset: z.coerce.number().int().min(0).default(0),
    }),
    answer: z.object({ items: z.array(exportJob), total: z.int() }),
  },
  showExport: {
    method: 'GET',
    path: '/api/exports/:id',
    summary: 'Tell how far an export is',
    permission,
    params,
    answer: exportJob,
  },
  showManifest: {
    method: 'GET',
    path: '/api/exports/:id/manifest',
    summary: 'Tell what is in an export that is done',
    description: 'Filters, watermark, sums, and the SHA-256 of each file; in the same bytes each time.',
    permission,
    params,
    answer: { contentType: 'application/json; charset=utf-8', schema: manifest },
    errors: { 409: 'The export is not done.' },
  },
  downloadFile: {
    method: 'GET',
    path: '/api/exports/:id/file',
    summary: 'Download a file of an export that is done',
    description: 'Or a range of its bytes, which is answered with 206.',
    permission,
    params,
    query: z.object({
      part: z.coerce.number().int().min(1).default(1).meta({ description: 'Which file of the manifest' }),
    }),
    answer: { contentType: Object.values(EXPORT_CONTENT_TYPES) },
    errors: {
      409: 'The export is not done.',
      410: 'The file is no longer in the store: ask for the export again.',
      416: 'The file has fewer bytes than the range names.',
    },
  },
  cancelExport: {
    method: 'DELETE',
    path: '/api/exports/:id',
    summary: 'Cancel an export that is not finished',
    permission,
    params,
    status: 204,
    errors: { 409: 'It is finished already.' },
  },
});
