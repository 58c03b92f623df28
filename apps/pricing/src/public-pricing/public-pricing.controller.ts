import { Controller, Inject, Req, Res } from '@nestjs/common';
import { publicPrices, type RequestOf } from '@tollgate/api';
import type { PriceSnapshot } from '@tollgate/catalogue';
import { errorBody, Handles, Input } from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { matches } from './etag.ts';
import { PublicEntrance } from './public-entrance.ts';
import { renderPublicPricing } from './public-pricing.ts';

/** Rises when the body's shape changes, for ETags of the old shape not to match. */
const SHAPE = 5;

/** `GET /api/pricing`: what everything costs, for anybody. */
@Controller()
export class PublicPricingController {
  readonly #bodies = new LRUCache<number, Buffer>({ max: 20 });

  constructor(
    @Inject(SnapshotStore) private readonly snapshots: SnapshotStore,
    @Inject(PublicEntrance) private readonly entrance: PublicEntrance,
  ) {}

  @Handles(publicPrices.listPrices)
  async get(
    @Input() { query: { version } }: RequestOf<typeof publicPrices.listPrices>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (!(await this.entrance.admit(request, reply))) return;
    const snapshot = await this.#find(version);
    if (!snapshot) {
      return reply
        .code(404)
        .send(
          version === undefined
            ? errorBody(404, 'No prices are published yet.', 'version', 'nothing_published')
            : errorBody(404, `There is no version ${version}.`, 'version', 'no_such_version', { version }),
        );
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
