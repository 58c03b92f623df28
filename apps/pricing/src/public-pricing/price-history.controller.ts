import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import { modelSchema } from '@tollgate/catalogue';
import { AllowAnybody, errorBody } from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { matches } from './etag.ts';
import { PublicEntrance } from './public-entrance.ts';
import { PriceHistoryReader } from './read-price-history.ts';

const historyQuery = z.object({
  model: modelSchema.shape.name.meta({ examples: ['acme-large'] }),
  group: z
    .string()
    .min(1)
    .max(128)
    .default('default')
    .meta({ description: 'The group whose prices are told', examples: ['default'] }),
});

/** Rises when the body's shape changes, for ETags of the old shape not to match. */
const SHAPE = 1;

/** `GET /api/pricing/history`: what a model has cost, for anybody. */
@Controller('api/pricing/history')
export class PriceHistoryController {
  constructor(
    @Inject(PriceHistoryReader) private readonly reader: PriceHistoryReader,
    @Inject(PublicEntrance) private readonly entrance: PublicEntrance,
  ) {}

  /** Every version at which a model's price in a group changed, oldest first. */
  @Get()
  @AllowAnybody()
  async get(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query({ schema: historyQuery }) { model, group }: z.infer<typeof historyQuery>,
  ): Promise<void> {
    if (!(await this.entrance.admit(request, reply))) return;
    const history = await this.reader.upToDate();
    const points = history.of(model, group);
    if (!points) {
      return reply.code(404).send(errorBody(404, `There never was a model ${model}.`, 'model'));
    }
    const etag = `"${SHAPE}-${history.version}"`;
    void reply.header('etag', etag).header('cache-control', 'public, max-age=0, must-revalidate');
    if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.send({
      model,
      group,
      price_unit: 'micro-USD per million tokens',
      request_price_unit: 'micro-USD per request',
      snapshot_version: history.version,
      points,
    });
  }
}
