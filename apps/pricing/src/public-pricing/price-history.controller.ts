import { Controller, Inject, Req, Res } from '@nestjs/common';
import { publicPrices, type RequestOf } from '@tollgate/api';
import { errorBody, Handles, Input } from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matches } from './etag.ts';
import { PublicEntrance } from './public-entrance.ts';
import { PriceHistoryReader } from './read-price-history.ts';

/** Rises when the body's shape changes, for ETags of the old shape not to match. */
const SHAPE = 2;

/** `GET /api/pricing/history`: what a model has cost, for anybody. */
@Controller()
export class PriceHistoryController {
  constructor(
    @Inject(PriceHistoryReader) private readonly reader: PriceHistoryReader,
    @Inject(PublicEntrance) private readonly entrance: PublicEntrance,
  ) {}

  @Handles(publicPrices.showPriceHistory)
  async get(
    @Input() { query: { model, group } }: RequestOf<typeof publicPrices.showPriceHistory>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (!(await this.entrance.admit(request, reply))) return;
    const history = await this.reader.upToDate();
    const points = history.of(model, group);
    if (!points) {
      return reply
        .code(404)
        .send(errorBody(404, `There never was a model ${model}.`, 'model', 'no_such_model', { name: model }));
    }
    const etag = `"${SHAPE}-${history.version}"`;
    void reply.header('etag', etag).header('cache-control', 'public, max-age=0, must-revalidate');
    if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.send({
      model,
      group,
      price_unit: 'micro-USD per million tokens',
      request_price_unit: 'micro-USD per request',
      unit_price_unit: 'micro-USD per million units',
      snapshot_version: history.version,
      points,
    });
  }
}
