import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import type { PriceSnapshot } from '@tollgate/catalogue';
import { AllowAnybody, errorBody } from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { matches } from './etag.ts';
import { PublicEntrance } from './public-entrance.ts';
import { renderPublicPricing } from './public-pricing.ts';

/** Rises when the body's shape changes, for ETags of the old shape not to match. */
const SHAPE = 2;

/** `GET /api/pricing`: what everything costs, for anybody. */
@Controller('api/pricing')
export class PublicPricingController {
  readonly #bodies = new LRUCache<number, Buffer>({ max: 20 });

  constructor(
    @Inject(SnapshotStore) private readonly snapshots: SnapshotStore,
    @Inject(PublicEntrance) private readonly entrance: PublicEntrance,
  ) {}

  @Get()
  @AllowAnybody()
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
    if (!(await this.entrance.admit(request, reply))) return;
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
