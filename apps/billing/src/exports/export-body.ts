import { modelSchema } from '@tollgate/catalogue';
import { momentSchema } from '@tollgate/contracts';
import { z } from 'zod';
import { EXPORT_FORMATS, EXPORT_KINDS } from './export-job.ts';

/** What is asked for with `POST /api/exports`. */
export const exportBody = z
  .strictObject({
    kind: z.enum(EXPORT_KINDS),
    format: z.enum(EXPORT_FORMATS),
    /** Booked at or after this. */
    from: momentSchema,
    /** Booked before this. */
    to: momentSchema,
    account_id: z.uuid().optional(),
    model: modelSchema.shape.name.optional(),
    key_id: z.uuid().optional(),
  })
  .refine(({ from, to }) => Date.parse(from) < Date.parse(to), {
    path: ['to'],
    message: 'must be later than from',
  })
  .refine(({ kind, model }) => kind !== 'ledger' || model === undefined, {
    path: ['model'],
    message: 'the ledger knows no models; leave it out',
  })
  .refine(({ kind, key_id }) => kind !== 'ledger' || key_id === undefined, {
    path: ['key_id'],
    message: 'the ledger knows no keys; leave it out',
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
export type ExportBody = z.infer<typeof exportBody>;

export const listQuery = z.object({
  schedule_id: z.uuid().optional().meta({ description: 'Those that a schedule asked for' }),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  offset: z.coerce.number().int().min(0).default(0),
});

export const fileQuery = z.object({
  part: z.coerce.number().int().min(1).default(1).meta({ description: 'Which file of the manifest' }),
});
