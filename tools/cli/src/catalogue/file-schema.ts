import {
  catalogueSchema,
  credentialSchema,
  discountSchema,
  groupSchema,
  poolSchema,
  modelInputSchema,
  upstreamInputSchema,
  vendorSchema,
} from '@tollgate/catalogue';
import { z } from 'zod';

/** A credential by reference: the file names the environment variable that holds the secret, never the secret. */
export const fileCredential = credentialSchema.omit({ sealed: true }).extend({
  secret_env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable')
    .optional(),
});
export type FileCredential = z.infer<typeof fileCredential>;

export const fileUpstream = upstreamInputSchema
  .omit({ credentials: true })
  .extend({ credentials: z.array(fileCredential).max(100).optional() });

/** A catalogue as a file has it. A section that is left out is left as it is; one that is there is the whole of it. */
export const fileSchema = z
  .strictObject({
    vendors: z.array(vendorSchema),
    models: z.array(modelInputSchema),
    groups: z.array(groupSchema),
    upstreams: z.array(fileUpstream),
    pools: z.array(poolSchema),
    discounts: z.array(discountSchema),
    auto_groups: catalogueSchema.shape.auto_groups.unwrap(),
    limits: catalogueSchema.shape.limits,
  })
  .partial();
export type CatalogueFile = z.infer<typeof fileSchema>;
