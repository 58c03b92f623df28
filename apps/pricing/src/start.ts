import { createResilientLimiter } from '@tollgate/limits';
import {
  close,
  connectRedis,
  createLogger,
  createMetrics,
  createRequestReplyClient,
  disconnect,
  type RunningService,
  startTracing,
  stop,
  waitUntilConnected,
  warnOfPowerfulRole,
} from '@tollgate/platform';
import { createAuditNotes } from './audit-notes/audit-notes.ts';
import type { PricingConfig } from './config.ts';
import { createDataSource } from './database/data-source.ts';
import { DraftStore } from './drafts/draft-store.ts';
import { startDueDrafts } from './drafts/due-drafts.ts';
import { PriceHistoryReader } from './public-pricing/read-price-history.ts';
import { servePricingMetrics } from './snapshots/pricing-metrics.ts';
import { tracePublications } from './snapshots/publication-traces.ts';
import { SnapshotStore } from './snapshots/snapshot-store.ts';
import { startVersionReports } from './snapshots/version-reports.ts';
import { startHttp } from './start-http.ts';

/**
 * Starts the pricing service; the schema must be up to date. What is started is stopped in reverse order, also where a
 * later part cannot start: nobody is answered by a part that is gone.
 */
export async function startPricing(config: PricingConfig): Promise<RunningService> {
  const logger = createLogger('pricing', config.LOG_LEVEL);
  await using started = new AsyncDisposableStack();
  const database = await createDataSource(config.DATABASE_URL).initialize();
  started.defer(() => database.destroy());
  await warnOfPowerfulRole(database, logger);
  const redis = started.adopt(connectRedis(config.REDIS_URL, logger), disconnect);
  const billing = started.adopt(
    createRequestReplyClient(config.BILLING_TCP_URL, config.SERVICE_SECRETS),
    close,
  );
  const tracing = await startTracing('pricing', config, 'inside', logger);
  started.defer(() => tracing?.close());
  const tracer = tracing?.tracer ?? null;
  const metrics = createMetrics('pricing');
  servePricingMetrics(metrics, database);
  const snapshots = new SnapshotStore(
    database,
    redis,
    logger,
    tracer ? tracePublications(tracer) : undefined,
  );
  // What Redis holds may be older than the database, after a publication without Redis.
  redis.on('ready', () => void snapshots.announceCurrent());
  if (redis.status === 'ready') await snapshots.announceCurrent();
  started.adopt(startVersionReports({ database, snapshots, billing, logger }), close);
  started.adopt(startDueDrafts(database, snapshots, logger), close);
  // Tries that come before Redis is there would be counted by this replica alone.
  await waitUntilConnected(redis, 1_000);
  const service = started.adopt(
    await startHttp({
      config,
      database,
      snapshots,
      priceHistory: new PriceHistoryReader(database),
      drafts: new DraftStore(database),
      limiter: started.adopt(createResilientLimiter(redis, { timeoutMs: 1_000 }), close),
      billing,
      auditNotes: createAuditNotes(billing, logger),
      redis,
      tracer,
      metrics,
      logger,
    }),
    stop,
  );
  const resources = started.move();
  return { ...service, stop: () => resources.disposeAsync() };
}
