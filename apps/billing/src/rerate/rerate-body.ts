import { modelSchema } from '@tollgate/catalogue';
import { momentSchema } from '@tollgate/contracts';
import { z } from 'zod';

/** What is rated again, and by what: a published version, the versions it was booked with, or a draft. */
export const rerateBody = z
  .strictObject({
    /** Of the moments that usage is booked at; inclusive. */
    from: momentSchema,
    /** Exclusive. */
    to: momentSchema,
    account_id: z.uuid().optional(),
    model: modelSchema.shape.name.optional(),
    version: z.union([z.int().positive(), z.literal('as-booked')]).optional(),
    draft: modelSchema.shape.name.optional(),
  })
  .refine(({ from, to }) => Date.parse(from) < Date.parse(to), {
    path: ['to'],
    message: 'must be after "from"',
  })
  .refine(({ version, draft }) => (version === undefined) !== (draft === undefined), {
    path: ['version'],
    message: 'name either a version (a number or "as-booked") or a draft',
  })
  .meta({
    examples: [{ from: '2026-10-01T00:00:00Z', to: '2026-11-01T00:00:00Z', draft: '2027-prices' }],
  });
export type RerateBody = z.infer<typeof rerateBody>;
