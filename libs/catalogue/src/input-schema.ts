import { TOKEN_KINDS } from '@tollgate/vocabulary';
import { z } from 'zod';
import { credentialSchema, modelSchema, priceListSchema, priceSchema, upstreamSchema } from './schema.ts';

/** Input and output prices are required; the other kinds take theirs where they are left out. */
const pricesInputSchema = z
  .partialRecord(z.enum(TOKEN_KINDS), priceSchema)
  .refine(
    (prices): prices is typeof prices & { input: number; output: number } =>
      prices.input !== undefined && prices.output !== undefined,
    'input and output are required, in whole micro-USD per million tokens',
  );

const priceListInputShape = {
  prices: pricesInputSchema,
  tiers: z
    .array(z.strictObject({ above_input_tokens: z.int().positive(), prices: pricesInputSchema }))
    .max(8)
    .default([]),
};

/** A model as an admin writes it. */
export const modelInputSchema = modelSchema.extend(priceListInputShape);

/** What an upstream takes as a credential. */
export const secretSchema = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[\x21-\x7e]+$/, 'printable ASCII without blanks only');

/** A secret is written, never read: absent keeps the one that stands under this name. */
const credentialInputSchema = credentialSchema.omit({ sealed: true }).extend({
  secret: secretSchema.optional(),
  has_secret: z
    .boolean()
    .optional()
    .meta({ description: 'As it is shown; says nothing in a request', readOnly: true }),
});

/** Whatever stands there beside scheme, host, port and path is shown, logged and never sent, so it cannot be meant. */
const baseUrl = upstreamSchema.shape.base_url
  .refine((text) => !holdsCredential(URL.parse(text)), {
    error: 'must hold no user and password: a credential belongs into `credentials`, where it is sealed',
  })
  .refine((text) => !/[?#]/.test(text), {
    error:
      'must hold no query and no fragment: headers and fields of the body are set by set_headers and set_parameters',
  });

function holdsCredential(url: URL | null): boolean {
  return url !== null && (url.username !== '' || url.password !== '');
}

/** An upstream as an admin writes it. Without `credentials` those that stand are kept; an empty list removes them. */
export const upstreamInputSchema = upstreamSchema.omit({ credentials: true }).extend({
  base_url: baseUrl,
  credentials: z.array(credentialInputSchema).max(100).optional(),
  costs: z.record(modelSchema.shape.name, priceListSchema.extend(priceListInputShape)).default({}),
});
