import {
  catalogueSchema,
  groupSchema,
  modelSchema,
  poolSchema,
  priceSchema,
  tokenKindSchema,
  upstreamSchema,
  vendorSchema,
} from '@tollgate/contracts';
import { z } from 'zod';

/** An entry's name stands in the path. */
const named = { name: true } as const;

export const vendorBody = vendorSchema.omit(named);
export const groupBody = groupSchema.omit(named);
export const poolBody = poolSchema.omit(named);

/** Input and output prices are required; the other kinds take theirs where they are left out. */
export const modelBody = modelSchema.omit(named).extend({
  prices: z
    .partialRecord(tokenKindSchema, priceSchema)
    .refine(
      (prices): prices is typeof prices & { input: number; output: number } =>
        prices.input !== undefined && prices.output !== undefined,
      'input and output are required, in whole micro-USD per million tokens',
    ),
});

/** The credential is written, never read: absent keeps the one there is, null removes it. */
export const upstreamBody = upstreamSchema
  .omit({ name: true, sealed_credential: true })
  .extend({ credential: z.string().min(1).max(4096).nullish() });

export const limitsBody = catalogueSchema.shape.limits;

export const nameParam = z.string().min(1).max(128);
