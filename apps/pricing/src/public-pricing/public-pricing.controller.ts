import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import type { PriceSnapshot } from '@tollgate/contracts';
import { ApiQuery } from '@nestjs/swagger';
import { rateLimitCharges, type ResilientLimiter } from '@tollgate/limits';
import { errorBody } from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { PricingConfig } from '../config.ts';
import { CONFIG, LIMITER } from '../provided.ts';
import { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { renderPublicPricing } from './public-pricing.ts';

/** Rises when the body's shape changes, for ETags of the old shape not to match. */
const SHAPE = 2;

/** `GET /api/pricing`: what everything costs, for anybody. */
@Controller('api/pricing')
export class PublicPricingController {
  readonly #bodies = new LRUCache<number, Buffer>({ max: 20 });

  constructor(
    @Inject(SnapshotStore) private readonly snapshots: SnapshotStore,
    @Inject(LIMITER) private readonly limiter: ResilientLimiter,
    @Inject(CONFIG) private readonly config: PricingConfig,
  ) {}

  @Get()
  @ApiQuery({
    name: 'version',
    required: false,
    description: 'A version by its number or its hash; without it the newest',
  })
  async get(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query('version') version: string | undefined,
  ): Promise<void> {
    const admission = await this.limiter.admit(
      rateLimitCharges(
        { dimension: 'client', id: `pricing:${request.ip}` },
        { requests_per_minute: this.config.PUBLIC_REQUESTS_PER_MINUTE },
        { requests: 1, tokens: 0 },
      ),
    );
    if (!admission.admitted) {
      return reply
        .code(429)
        .header('retry-after', String(Math.ceil(admission.retryAfterMs / 1_000)))
        .header('retry-after-ms', String(admission.retryAfterMs))
        .send(
          errorBody(429, 'Too many requests for prices. Keep the answer: its ETag tells when it changed.'),
        );
    }
    if (version !== undefined && !/^(?:\d{1,9}|[0-9a-f]{64})$/.test(version)) {
      return reply
        .code(400)
        .send(
          errorBody(400, 'version: must be a version number or a hash of 64 hexadecimal digits.', 'version'),
        );
    }
    const snapshot = await this.#find(version);
    if (!snapshot) {
      const message =
        version === undefined ? 'No prices are published yet.' : `There is no version ${version}.`;
      return reply.code(404).send(errorBody(404, message, 'version'));
    }
    const etag = `"${SHAPE}-${snapshot.hash}-${snapshot.version}"`;
    void reply
      .header('etag', etag)
      .header('x-pricing-version', String(snapshot.version))
      .header(
        'cache-control',
        version === undefined ? 'public, max-age=0, must-revalidate' : 'public, max-age=31536000, immutable',
      );
    if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.header('content-type', 'application/json; charset=utf-8').send(this.#bodyOf(snapshot));
  }

  #find(version: string | undefined): Promise<PriceSnapshot | null> {
    if (version === undefined) return this.snapshots.current();
    return version.length === 64 ? this.snapshots.byHash(version) : this.snapshots.byVersion(Number(version));
  }

  #bodyOf(snapshot: PriceSnapshot): Buffer {
    const held = this.#bodies.get(snapshot.version);
    if (held) return held;
    const body = Buffer.from(renderPublicPricing(snapshot));
    this.#bodies.set(snapshot.version, body);
    return body;
  }
}

const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  header.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === etag);
