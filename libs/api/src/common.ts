import { FIELD_RULES, SORT_WINDOW } from '@tollgate/vocabulary';
import { z } from 'zod';
import { isUsd } from './fields.ts';

/** An exact amount in decimal USD with up to 12 places, such as "12.5". */
export const usdAmount = z.string().meta({
  id: 'UsdAmount',
  description: 'Exact decimal US dollars with up to 12 places',
  examples: ['12.5'],
});

/** Decimal USD above zero. */
export const positiveUsd = z
  .string()
  .refine((text) => isUsd(text, (pico) => pico > 0n), FIELD_RULES.not_positive_usd)
  .meta({ description: 'Decimal USD above zero, of at most 12 places', examples: ['12.50'] });

export const timestamp = z.iso.datetime().meta({ examples: ['2026-11-01T09:30:00.000Z'] });

export const EXAMPLE_ID = '0198f1c2-7d1e-7000-8000-000000000001';

/**
 * An id in a path, in lower case as it is stored and compared.
 *
 * @param what such as "key": the refusal says that there is none.
 */
export const toIdSchema = (what: string) =>
  z
    .uuid(`There is no such ${what}.`)
    .toLowerCase()
    .meta({ examples: [EXAMPLE_ID] });

/** An object that has each of these keys. */
export const toObjectSchema = <const K extends string, S extends z.ZodType>(keys: readonly K[], schema: S) =>
  z.object(Object.fromEntries(keys.map((key) => [key, schema])) as Record<K, S>);

/** What a list may be ordered by: the name of a column, with a minus before it for the greatest or last first. */
export const sortBy = <const C extends string>(columns: readonly [C, ...C[]]) =>
  z
    .enum([...columns, ...columns.map((column) => `-${column}` as const)])
    .optional()
    .meta({
      description: 'Without it the newest come first; with a minus the greatest',
      examples: [columns[0]],
    });

/** What is said of a list that has no end and is ordered by more than its time. */
export const WINDOW_ORDERED = `By anything but the time, the newest ${SORT_WINDOW} that fit are ordered.`;

/** Of a request that must be done once, however often it is sent. */
export const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string(FIELD_RULES.not_an_idempotency_key)
    .regex(/^[\x21-\x7e]{1,200}$/, FIELD_RULES.not_an_idempotency_key)
    .meta({
      description:
        'Chosen by the caller, a UUID for example: what is sent again with the same key is done once',
    }),
});

export const USAGE_DETACHED = 'Some of that usage was taken out of the usage log.';

/** Of what reads much. */
export const REPORT_ERRORS = { 429: 'Too many reports of yours are under way. Ask again shortly.' } as const;

/** @param description of what the number is of, and what another one means. */
export const ifMatch = (description: string) =>
  z.object({
    'if-match': z
      .string()
      .regex(/^(?:\*|"?\d{1,9}"?)$/, FIELD_RULES.not_a_version_number)
      .transform((text) => (text === '*' ? undefined : Number(text.replaceAll('"', ''))))
      .optional()
      .meta({ description, examples: ['12'] }),
  });

/** The figures and names of a refusal. */
export const refusalValues = z
  .record(z.string(), z.union([z.string(), z.number()]))
  .optional()
  .meta({ description: 'The figures and names in the message, for who says it in other words' });

/** What every refusal of the services' APIs looks like. */
export const errorAnswer = z
  .object({
    error: z.object({
      message: z.string().meta({ description: 'What happened, and what to do' }),
      type: z.string(),
      param: z.string().nullable().meta({ description: 'The field that is wrong' }),
      code: z.string().nullable().meta({ description: 'What a program does about it' }),
      values: refusalValues,
    }),
  })
  .meta({ id: 'ErrorAnswer' });
