import { Inject, Injectable } from '@nestjs/common';
import { rateLimitCharges, type ResilientLimiter } from '@tollgate/limits';
import { clientBlock, errorBody } from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PricingConfig } from '../config.ts';
import { CONFIG, LIMITER } from '../provided.ts';

/** Lets anybody in, so many times a minute from one client (an IPv4 address, a /64 of IPv6); every public route counts towards the same limit. */
@Injectable()
export class PublicEntrance {
  constructor(
    @Inject(LIMITER) private readonly limiter: ResilientLimiter,
    @Inject(CONFIG) private readonly config: PricingConfig,
  ) {}

  /** Whether the request may go on; otherwise it is answered. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const admission = await this.limiter.admit(
      rateLimitCharges(
        { dimension: 'client', id: `pricing:${clientBlock(request.ip)}` },
        { requests_per_minute: this.config.PUBLIC_REQUESTS_PER_MINUTE },
        { requests: 1, tokens: 0 },
      ),
    );
    if (admission.admitted) return true;
    void reply
      .code(429)
      .header('retry-after', String(Math.ceil(admission.retryAfterMs / 1_000)))
      .header('retry-after-ms', String(admission.retryAfterMs))
      .send(
        errorBody(
          429,
          'Too many requests for prices. Keep the answer: its ETag tells when it changed.',
          null,
          'rate_limit_exceeded',
        ),
      );
    return false;
  }
}
