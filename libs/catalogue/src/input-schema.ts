import { TOKEN_KINDS } from '@tollgate/vocabulary';
import { z } from 'zod';
import { credentialSchema, modelSchema, priceListSchema, priceSchema, upstreamSchema } from './schema.ts';
import { mayHoldSecret } from './upstream-access.ts';

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

/** What an upstream takes as a credential: a key, or the JSON that a cloud gives out. */
export const secretSchema = z
  .string()
  .min(1)
  .max(16_384)
  .regex(
    /^(?:[\x21-\x7e]{1,4096}|\s*\{[\t\r\n\x20-\x7e]*\}\s*)$/,
    'printable ASCII without blanks, at most 4,096 characters, or a JSON object',
  );

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

/** The catalogue is shown: what proves who asks belongs where it is sealed. */
const setHeaders = upstreamSchema.shape.set_headers.unwrap().superRefine((headers, context) => {
  for (const name of Object.keys(headers).filter(mayHoldSecret))
    context.addIssue({
      code: 'custom',
      path: [name],
      message: `would be shown to whoever reads the catalogue; put its value into \`credentials\`, where it is sealed, and name the header in \`auth\`: {"kind":"static","header":"${name.toLowerCase()}"}`,
    });
});

/** A timer that is to wait for longer rings at once, which would end every request. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const { shape } = upstreamSchema;
const timeout = (of: typeof shape.total_timeout_ms) =>
  of.unwrap().max(LONGEST_TIMER_MS).default(of.parse(undefined));

/** An upstream as an admin writes it. Without `credentials` those that stand are kept; an empty list removes them. */
export const upstreamInputSchema = upstreamSchema.omit({ credentials: true }).extend({
  base_url: baseUrl,
  set_headers: setHeaders.default({}),
  connect_timeout_ms: timeout(shape.connect_timeout_ms),
  first_byte_timeout_ms: timeout(shape.first_byte_timeout_ms),
  idle_timeout_ms: timeout(shape.idle_timeout_ms),
  total_timeout_ms: timeout(shape.total_timeout_ms),
  credentials: z.array(credentialInputSchema).max(100).optional(),
  costs: z.record(modelSchema.shape.name, priceListSchema.extend(priceListInputShape)).default({}),
});
