import { Readable } from 'node:stream';
import { Controller, HttpException, Inject, Res } from '@nestjs/common';
import { type RequestOf, rerates } from '@tollgate/api';
import {
  errorBody,
  Handles,
  httpError,
  Input,
  type Logger,
  type RequestReplyClient,
} from '@tollgate/platform';
import type { FastifyReply } from 'fastify';
import type { DataSource } from 'typeorm';
import { audit } from '../audit-log/audit.ts';
import { LOGGER, PRICING, REPORTS } from '../provided.ts';
import { priceSourceFor } from './price-source.ts';
import { rerate } from './rerate.ts';
import type { RerateNews } from './totals.ts';

/** Each holds a connection of the database and keeps this process busy. */
const AT_ONCE = 2;

/** What usage would have cost by other prices. */
@Controller()
export class RerateController {
  #running = 0;

  constructor(
    @Inject(REPORTS) private readonly database: DataSource,
    @Inject(PRICING) private readonly pricing: RequestReplyClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Handles(rerates.rerate)
  async start(
    @Input() { body }: RequestOf<typeof rerates.rerate>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (this.#running >= AT_ONCE) {
      throw httpError(
        429,
        `${AT_ONCE} re-ratings are running. Start this one when one of them has ended.`,
        null,
        'too_many_dry_runs',
        {
          max: AT_ONCE,
        },
      );
    }
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    this.#running += 1;
    try {
      const prices = await priceSourceFor(body, this.pricing);
      await audit(this.database, {
        action: 'rerate.start',
        accountId: body.account_id ?? null,
        after: { ...body },
      });
      const range = { from: body.from, to: body.to, accountId: body.account_id, model: body.model };
      const lines = this.#linesOf(rerate(this.database, range, prices, gone.signal), gone.signal);
      await reply
        .code(200)
        .header('content-type', 'application/x-ndjson; charset=utf-8')
        .header('cache-control', 'no-store')
        .send(Readable.from(lines, { objectMode: true, highWaterMark: 1 }));
    } finally {
      this.#running -= 1;
    }
  }

  async *#linesOf(values: AsyncIterable<RerateNews>, signal: AbortSignal): AsyncGenerator<string> {
    try {
      for await (const value of values) yield `${JSON.stringify(value)}\n`;
    } catch (error) {
      if (!signal.aborted) yield `${JSON.stringify(this.#shownError(error))}\n`;
    }
  }

  #shownError(error: unknown): object {
    if (error instanceof HttpException) return error.getResponse() as object;
    this.logger.error({ event: 'rerate_failed', err: error }, 'a re-rating failed');
    return errorBody(
      500,
      'Something failed here. The operators can find it in the log.',
      null,
      'failed_here',
    );
  }
}
