import { Controller, Inject } from '@nestjs/common';
import { systemState } from '@tollgate/api';
import { type GatewayReport, MESSAGE } from '@tollgate/contracts';
import { Handles, type RequestReplyClient, VERSION } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { type LastAudit, showReport } from '../ledger/last-audit.ts';
import { DATABASE, LAST_AUDIT, PRICING, REDIS, USAGE_QUEUE_WATCH } from '../provided.ts';
import { askGateways, askPostgres, askRedis, type UsageQueueWatch } from './stores.ts';
import { look } from './timed.ts';

const STARTED_AT = new Date().toISOString();
const PATIENCE_MS = 3_000;

const publishedSchema = z
  .object({ version: z.int(), hash: z.string(), published_at: z.string() })
  .nullable()
  .transform(
    (found) => found && { version: found.version, hash: found.hash, published_at: found.published_at },
  );

/** How the whole service is. */
@Controller()
export class SystemController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(PRICING) private readonly pricing: RequestReplyClient,
    @Inject(LAST_AUDIT) private readonly lastAudit: LastAudit,
    @Inject(USAGE_QUEUE_WATCH) private readonly queue: UsageQueueWatch,
  ) {}

  /** Each part is asked at the same time; one that is away is told as down and does not make the answer fail. */
  @Handles(systemState.showSystem)
  async show() {
    const { pricing: asked } = this;
    const [pricing, postgres, redis, gateways, queue] = await Promise.all([
      look(() => asked.request(MESSAGE.snapshotGet, { version: 'current' }, publishedSchema), PATIENCE_MS),
      look(() => askPostgres(this.database), PATIENCE_MS),
      look(() => askRedis(this.redis), PATIENCE_MS),
      look(() => askGateways(this.redis), PATIENCE_MS),
      look(() => this.queue.counts(), PATIENCE_MS),
    ]);
    return {
      at: new Date().toISOString(),
      billing: { version: VERSION, started_at: STARTED_AT },
      pricing,
      postgres,
      redis,
      gateways: { ...gateways, state: gateways.state?.map(shownGateway) ?? null },
      queue,
      audit: this.#audit(),
    };
  }

  /** Of this process; null before the first. */
  #audit() {
    const last = this.lastAudit.get();
    return last && { at: last.at.toISOString(), ...showReport(last.report) };
  }
}

const shownGateway = ({ at, started_at, ...report }: GatewayReport) => ({
  ...report,
  seen_at: new Date(at).toISOString(),
  started_at: new Date(started_at).toISOString(),
});
