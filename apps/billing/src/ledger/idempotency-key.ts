import { httpError } from '@tollgate/platform';
import type { FastifyRequest } from 'fastify';

/** What OpenAPI says about the header. */
export const IDEMPOTENCY_HEADER = {
  name: 'Idempotency-Key',
  required: true,
  description: 'Chosen by the caller, a UUID for example: what is sent again with the same key is done once',
  schema: { type: 'string' as const, maxLength: 200 },
};

/** @throws HttpException 400 without a key of up to 200 visible characters. */
export function idempotencyKeyOf({ headers }: FastifyRequest): string {
  const key = headers['idempotency-key'];
  if (typeof key === 'string' && /^[\x21-\x7e]{1,200}$/.test(key)) return key;
  throw httpError(
    400,
    'Send an Idempotency-Key header of up to 200 visible ASCII characters, such as a UUID.',
    'idempotency-key',
  );
}
