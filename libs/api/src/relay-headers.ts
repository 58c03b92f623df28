import { z } from 'zod';

/** A header of requests that may be there. */
const optionalHeader = (description: string) => z.string().optional().meta({ description });

const ofBodies = {
  'Content-Encoding': z
    .enum(['gzip', 'deflate', 'br', 'zstd', 'identity'])
    .optional()
    .meta({ description: 'How the body is packed' }),
  traceparent: optionalHeader('The trace that the request belongs to (W3C)'),
  'x-stainless-timeout': optionalHeader('After how many seconds the SDK gives up'),
  'x-tollgate-hops': optionalHeader(
    'Marks of the deployments of Tollgate that the request has come through; each adds its own, and refuses what bears it already',
  ),
};

/** Headers that Tollgate itself reads, beside those of the key; others pass where an upstream of the format reads them. */
export const REQUEST_HEADERS: Readonly<Record<'generate' | 'count', z.ZodObject>> = {
  generate: z.object({
    'Idempotency-Key': z
      .string()
      .regex(/^[\x21-\x7e][\x20-\x7e]{0,254}$/)
      .optional()
      .meta({
        description:
          'The request runs once: its repeats with the same key get its answer, and are not billed again',
      }),
    ...ofBodies,
  }),
  count: z.object(ofBodies),
};

/** What Anthropic's clients send beside them. */
export const MESSAGES_HEADERS = z.object({
  'anthropic-version': z.string().default('2023-06-01').meta({ description: 'The version of the format' }),
});

/** A header of answers; documents describe it once, under its name. */
export const answerHeader = (name: string, description: string) =>
  z
    .string()
    .optional()
    .meta({ description, header: { id: name } });

/** Answers of the relay say these beside what the format has. */
export const ANSWER_HEADERS = {
  'x-request-id': answerHeader(
    'x-request-id',
    'The id that the usage log and the log lines name; `request-id` is the same',
  ),
  'request-id': answerHeader('request-id', 'The same as `x-request-id`'),
  'x-tollgate-dropped': answerHeader(
    'x-tollgate-dropped',
    'Fields that were left out, by their paths, because the upstream’s format has nothing like them',
  ),
  'x-tollgate-emulated': answerHeader(
    'x-tollgate-emulated',
    'Fields whose effect was brought about in another way, by their paths',
  ),
  'x-tollgate-estimated': answerHeader(
    'x-tollgate-estimated',
    '`true`: the count is our own estimate, because no upstream of the model counts',
  ),
  'x-tollgate-fallback': answerHeader(
    'x-tollgate-fallback',
    'The model that answered, and is billed, in place of the one that was asked for',
  ),
  'x-tollgate-idempotency': answerHeader(
    'x-tollgate-idempotency',
    '`stored`; or why a repeat would run again: `stream`, `too-large` (over 1 MiB), `no-room` (the account keeps too much), `unavailable` (no Redis)',
  ),
  'idempotency-replayed': answerHeader(
    'idempotency-replayed',
    '`true`: the answer of an earlier request; `x-request-id` is that one’s',
  ),
} as const;

/** Errors say these as well. */
export const ERROR_HEADERS = {
  'x-should-retry': answerHeader(
    'x-should-retry',
    '`false`: the same request cannot succeed later, and SDKs do not repeat it',
  ),
  'retry-after': answerHeader('retry-after', 'Seconds to wait before the next try'),
  'retry-after-ms': answerHeader('retry-after-ms', 'The same in milliseconds'),
} as const;
