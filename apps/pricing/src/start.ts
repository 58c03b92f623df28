import { SERVICES } from '@tollgate/api';
import { createResilientLimiter } from '@tollgate/limits';
import {
  connectRedis,
  createLogger,
  createMetrics,
  createRequestReplyClient,
  findCaller,
  Health,
  isTooPowerful,
  type RunningService,
  startService,
  startTracing,
} from '@tollgate/platform';
import { findSession } from './access/billing-sessions.ts';
import { createAuditNotes } from './audit-notes/audit-notes.ts';
import type { PricingConfig } from './config.ts';
import { createDataSource } from './database/data-source.ts';
import { DraftStore } from './drafts/draft-store.ts';
import { startDueDrafts } from './drafts/due-drafts.ts';
import { PricingModule } from './pricing.module.ts';
import { PriceHistoryReader } from './public-pricing/read-price-history.ts';
import { servePricingMetrics } from './snapshots/pricing-metrics.ts';
import { rememberCallersTraces, tracePublications } from './snapshots/publication-traces.ts';
import { SnapshotStore } from './snapshots/snapshot-store.ts';
import { startVersionReports } from './snapshots/version-reports.ts';

/** Starts the pricing service; the schema must be up to date. */
export async function startPricing(config: PricingConfig): Promise<RunningService> {
  const logger = createLogger('pricing', config.LOG_LEVEL);
  const database = await createDataSource(config.DATABASE_URL).initialize();
  if (await isTooPowerful(database))
    logger.warn(
      { event: 'database_role_too_powerful' },
      'the database role owns tables or may do more than this service needs: see "Who owns the tables" in docs/operations.md',
    );
  const redis = connectRedis(config.REDIS_URL, logger);
  const billing = createRequestReplyClient(config.BILLING_TCP_URL, config.SERVICE_SECRETS);
  const tracing = await startTracing('pricing', config, 'inside', logger);
  const snapshots = new SnapshotStore(database, redis, logger, tracing && tracePublications(tracing.tracer));
  const auditNotes = createAuditNotes(billing, logger);
  const metrics = createMetrics('pricing');
  servePricingMetrics(metrics, database);

  const health = new Health();
  health.add('database', async () => void (await database.query('SELECT 1')));

  const service = await startService({
    name: 'pricing',
    config,
    logger,
    health,
    module: PricingModule.with({
      config,
      snapshots,
      priceHistory: new PriceHistoryReader(database),
      drafts: new DraftStore(database),
      limiter: createResilientLimiter(redis),
      billing,
      auditNotes,
      redis,
      tracer: tracing?.tracer ?? null,
    }),
    listener: { port: config.TCP_PORT, secrets: config.SERVICE_SECRETS },
    metrics,
    refusals: {
      personOf: findCaller,
      audit: ({ status, code, message, route }, person, request) =>
        auditNotes.note(request, person, {
          action: 'access.refused',
          object: route,
          reason: message,
          after: { status, code },
        }),
    },
    ...(tracing ? { configure: rememberCallersTraces } : {}),
    openApi: {
      ...SERVICES.pricing,
      isSignedIn: (request) =>
        findSession(billing, request).then(
          (session) => session !== null,
          () => false,
        ),
    },
  });
  // What Redis holds may be older than the database, after a publication without Redis.
  redis.on('ready', () => void snapshots.announceCurrent());
  if (redis.status === 'ready') await snapshots.announceCurrent();
  const dueDrafts = startDueDrafts(database, snapshots, logger);
  const versionReports = startVersionReports({ database, snapshots, billing, logger });
  return {
    ...service,
    async stop() {
      await dueDrafts.close();
      await versionReports.close();
      await service.stop();
      await tracing?.close();
      billing.close();
      redis.disconnect();
      await database.destroy();
    },
  };
}
