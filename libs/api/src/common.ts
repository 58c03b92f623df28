import { z } from 'zod';

/** An exact amount in decimal USD with up to 12 places, such as "12.5". */
export const usdAmount = z.string().meta({
  id: 'UsdAmount',
  description: 'Exact decimal US dollars with up to 12 places',
  examples: ['12.5'],
});

export const timestamp = z.iso.datetime().meta({ examples: ['2026-11-01T09:30:00.000Z'] });

/**
 * An id in a path, in lower case as it is stored and compared.
 *
 * @param what such as "key": the refusal says that there is none.
 */
export const idOf = (what: string) =>
  z
    .uuid(`There is no such ${what}.`)
    .toLowerCase()
    .meta({ examples: ['0198f1c2-7d1e-7000-8000-000000000001'] });

/** @param description of what the number is of, and what another one means. */
export const ifMatch = (description: string) =>
  z.object({
    'if-match': z
      .string()
      .regex(/^(?:\*|"?\d{1,9}"?)$/, 'must be the number of a version')
      .transform((text) => (text === '*' ? undefined : Number(text.replaceAll('"', ''))))
      .optional()
      .meta({ description, examples: ['12'] }),
  });

/** What every refusal of the services' APIs looks like. */
export const errorAnswer = z
  .object({
    error: z.object({
      message: z.string().meta({ description: 'What happened, and what to do' }),
      type: z.string(),
      param: z.string().nullable().meta({ description: 'The field that is wrong' }),
      code: z.string().nullable().meta({ description: 'What a program does about it' }),
    }),
  })
  .meta({ id: 'ErrorAnswer' });
