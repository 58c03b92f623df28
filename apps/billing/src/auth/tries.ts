import { rateLimitCharges, type ResilientLimiter } from '@tollgate/limits';
import { httpError } from '@tollgate/platform';
import type { FastifyReply } from 'fastify';

const TRIES_PER_MINUTE = { requests_per_minute: 10 };

/**
 * Counts a try at something that could be guessed, against each of the names: a client's address, an e-mail address.
 *
 * @throws HttpException 429 after ten tries of one name within a minute; the answer says when to come back.
 */
export async function countTry(
  limiter: ResilientLimiter,
  reply: FastifyReply,
  names: readonly string[],
  what: string,
): Promise<void> {
  const admission = await limiter.admit(
    names.flatMap((id) =>
      rateLimitCharges({ dimension: 'client', id }, TRIES_PER_MINUTE, { requests: 1, tokens: 0 }),
    ),
  );
  if (admission.admitted) return;
  void reply.header('retry-after', String(Math.ceil(admission.retryAfterMs / 1_000)));
  throw httpError(429, `Too many tries to ${what}. Wait a minute and try again.`);
}
