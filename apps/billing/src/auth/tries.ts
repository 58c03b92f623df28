import { rateLimitCharges, type ResilientLimiter } from '@tollgate/limits';
import { clientBlock, httpError } from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Of one client, and of one person where only that person can use them up. */
export const TRIES_PER_MINUTE = 10;

/** Of what a page asks by itself whenever somebody opens it: an office may have one address. */
export const ASKED_PER_MINUTE = 120;

/** What tries are counted against. */
export interface TryBucket {
  readonly id: string;
  readonly perMinute: number;
}

/** The tries of a client: of an IPv4 address, or of a /64 of IPv6, whoever is named in them. */
export const triesOfClient = (
  kind: string,
  { ip }: Pick<FastifyRequest, 'ip'>,
  perMinute = TRIES_PER_MINUTE,
): TryBucket => ({ id: `${kind}:${clientBlock(ip)}`, perMinute });

/** The tries of somebody who is signed in. */
export const triesOfPerson = (kind: string, userId: string): TryBucket => ({
  id: `${kind}:${userId}`,
  perMinute: TRIES_PER_MINUTE,
});

/**
 * Counts a try at something that could be guessed, over all replicas; while Redis is away each replica counts its own.
 *
 * @throws HttpException 429 where a bucket is used up, which takes nothing of the others; the answer says when to come back.
 */
export async function countTry(
  limiter: ResilientLimiter,
  reply: FastifyReply,
  buckets: readonly TryBucket[],
  what: string,
): Promise<void> {
  const admission = await limiter.admit(
    buckets.flatMap(({ id, perMinute }) =>
      rateLimitCharges(
        { dimension: 'client', id },
        { requests_per_minute: perMinute },
        { requests: 1, tokens: 0 },
      ),
    ),
  );
  if (admission.admitted) return;
  void reply.header('retry-after', String(Math.ceil(admission.retryAfterMs / 1_000)));
  throw httpError(
    429,
    `Too many tries to ${what}. Wait a minute and try again.`,
    null,
    'rate_limit_exceeded',
  );
}
