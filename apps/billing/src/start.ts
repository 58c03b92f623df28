import { SERVICES } from '@tollgate/api';
import { createResilientLimiter } from '@tollgate/limits';
import {
  connectRedis,
  connectRedisForWorker,
  createLogger,
  createMetrics,
  createRequestReplyClient,
  Health,
  isTooPowerful,
  type RunningService,
  startService,
  startTracing,
} from '@tollgate/platform';
import { audit } from './audit-log/audit.ts';
import { rememberCallers } from './audit-log/caller.ts';
import { KnownDevices } from './auth/known-devices.ts';
import type { SignedInRequest } from './auth/signed-in.guard.ts';
import { serveSessions } from './auth/session-cookie.ts';
import { sessionPolicy } from './auth/session-policy.ts';
import { findSignedIn } from './auth/signed-in.ts';
import { SessionLookup } from './auth/session-lookup.ts';
import { createSessions } from './auth/session-store.ts';
import { BillingModule } from './billing.module.ts';
import type { BillingConfig } from './config.ts';
import { keepCredit } from './credit/credit-keeper.ts';
import { openDatabases } from './database/data-source.ts';
import { serveExportMetrics } from './exports/export-metrics.ts';
import { startScheduleRunner } from './exports/schedules/schedule-runner.ts';
import { startExports } from './exports/start-exports.ts';
import { factorSettings } from './factors/factor-config.ts';
import { resealSecrets } from './factors/sealed-secret.ts';
import { createKeyChanges } from './keys/key-changes.ts';
import { startTemporaryKeySweep } from './keys/temporary-keys.ts';
import { AUDIT_EVERY_MS, startAuditJob } from './ledger/audit-job.ts';
import { createLedgerAudits } from './ledger/audit.ts';
import { createLastAudit } from './ledger/last-audit.ts';
import { createLedgerMetrics } from './ledger/ledger-metrics.ts';
import { startPartitionRounds } from './usage/partition-rounds.ts';
import { serveReviewMetrics } from './usage/review-metrics.ts';
import { createUsageMetrics } from './usage/usage-metrics.ts';
import { tracePostings } from './usage/posting-trace.ts';
import { relieveFullQueue } from './usage/full-queue.ts';
import { serveRedisMetrics } from './system/redis-metrics.ts';
import { createUsageBooks } from './usage/usage-books.ts';
import { startUsageWorker } from './usage/usage-worker.ts';
import { serveUnbookedMetrics, startWaitingUsage } from './usage/waiting-usage.ts';
import { oidcSettings } from './oidc/oidc-config.ts';
import { createProvider } from './oidc/provider.ts';
import { startPeriodCloser } from './periods/period-closer.ts';
import { passCsvOn } from './reconciliation/csv-upload.guard.ts';
import { offerSetup } from './setup/setup-tokens.ts';
import { watchUsageQueue } from './system/stores.ts';
import { unlessRedisIsAway } from './system/unless-redis-is-away.ts';

const SESSION_CLEANUP_MS = 3_600_000;

/** Starts billing: its HTTP API, the look-ups of other services and the usage worker. The schema must be up to date. */
export async function startBilling(config: BillingConfig): Promise<RunningService> {
  const logger = createLogger('billing', config.LOG_LEVEL);
  const oidc = oidcSettings(config);
  const databases = await openDatabases(config.DATABASE_URL);
  const database = databases.changes;
  if (await isTooPowerful(database))
    logger.warn(
      { event: 'database_role_too_powerful' },
      'the database role owns tables or may do more than this service needs: see "Who owns the tables" in docs/operations.md',
    );
  const redis = connectRedis(config.REDIS_URL, logger);
  const workerRedis = connectRedisForWorker(config.REDIS_URL, logger);
  const pricing = createRequestReplyClient(config.PRICING_TCP_URL, config.SERVICE_SECRETS);
  const policy = sessionPolicy(config);
  const factors = factorSettings(config);
  const sessions = createSessions(databases.lookups, policy);
  const changes = createKeyChanges(database, redis, logger);
  const creditKeeper = keepCredit(databases.lookups, redis, logger);
  const audits = createLedgerAudits(databases.reports);
  const lastAudit = createLastAudit();
  const usageQueue = watchUsageQueue(redis);
  const metrics = createMetrics('billing');
  const ledgerMetrics = createLedgerMetrics(metrics);
  const tracing = await startTracing('billing', config, 'inside', logger);
  const usageMetrics = createUsageMetrics(metrics, usageQueue);
  serveExportMetrics(metrics, database);
  serveReviewMetrics(metrics, database);
  serveUnbookedMetrics(metrics, databases.lookups);
  const books = createUsageBooks({
    database: databases.journal,
    pricing,
    credit: creditKeeper.credit,
    logger,
    metrics: usageMetrics,
    trace: tracing && tracePostings(tracing.tracer),
  });

  const exports = await startExports({ config, database, pricing, logger });

  const health = new Health();
  health.add('database', async () => void (await databases.lookups.query('SELECT 1')));

  const service = await startService({
    name: 'billing',
    config,
    logger,
    health,
    module: BillingModule.with({
      databases,
      changes,
      credit: creditKeeper.credit,
      keyRules: { defaultGroups: config.DEFAULT_GROUPS, keysPerAccount: config.KEYS_PER_ACCOUNT },
      books,
      pricing,
      limiter: createResilientLimiter(redis),
      sessionLookup: new SessionLookup(sessions, config.SESSION_SECRET),
      sessionPolicy: policy,
      knownDevices: new KnownDevices(config.SESSION_SECRET),
      factors,
      exports,
      audits,
      setupToken: config.SETUP_TOKEN,
      oidc: oidc ? { settings: oidc, provider: createProvider(oidc), logger } : null,
      lastAudit,
      redis,
      logger,
      usageQueue,
    }),
    listener: { port: config.TCP_PORT, secrets: config.SERVICE_SECRETS },
    metrics,
    publicUrl: config.PUBLIC_URL,
    refusals: {
      personOf: (request) => ('person' in request ? (request as SignedInRequest).person : undefined),
      audit: ({ status, code, message, route }, { account_id: accountId }) =>
        audit(database, {
          action: 'access.refused',
          object: route,
          accountId,
          reason: message,
          after: { status, code },
        }),
    },
    openApi: {
      ...SERVICES.billing,
      isSignedIn: async (request) => (await findSignedIn(databases.lookups, policy, request)) !== undefined,
    },
    configure: async (fastify) => {
      passCsvOn(fastify);
      rememberCallers(fastify);
      await serveSessions(fastify, config.SESSION_SECRET, sessions, policy.idleMs('member'));
    },
  });
  const unopened = await resealSecrets(database, factors.keys);
  if (unopened > 0)
    logger.error(
      { event: 'factor_seal_key_missing', count: unopened },
      'secrets of authenticator apps were sealed with a key that is not here',
    );
  await offerSetup(database, logger, config.SETUP_TOKEN);
  const worker = startUsageWorker({
    redis: workerRedis,
    books,
    logger,
    concurrency: config.WORKER_CONCURRENCY,
    metrics: usageMetrics,
  });
  const waitingUsage = startWaitingUsage(database, books, logger);
  const fullQueue = relieveFullQueue({ redis, books, logger });
  serveRedisMetrics(metrics, redis, fullQueue);
  const scheduleRunner = startScheduleRunner({ redis: workerRedis, database, exports, logger });
  const endPartitionRounds = startPartitionRounds(databases.journal, logger);
  const periodCloser = startPeriodCloser({
    database: databases.reports,
    logger,
    afterDays: config.PERIOD_CLOSE_AFTER_DAYS,
  });
  const auditJob = startAuditJob({
    audits,
    lastAudit,
    metrics: ledgerMetrics,
    logger,
    everyMs: AUDIT_EVERY_MS,
  });
  const cleanup = setInterval(() => {
    sessions
      .removeExpired()
      .catch((error: Error) =>
        logger.warn(
          { event: 'session_cleanup_failed', reason: error.message },
          'expired sessions could not be removed',
        ),
      );
  }, SESSION_CLEANUP_MS);
  cleanup.unref();
  const endKeySweep = startTemporaryKeySweep(database, changes, logger);

  return {
    ...service,
    async stop() {
      clearInterval(cleanup);
      endKeySweep();
      endPartitionRounds();
      await service.stop();
      await periodCloser.close();
      await auditJob.stop();
      await unlessRedisIsAway(workerRedis, scheduleRunner.stop());
      await waitingUsage.stop();
      await exports.stop();
      await fullQueue.close();
      await unlessRedisIsAway(workerRedis, worker.close());
      await tracing?.close();
      await unlessRedisIsAway(redis, usageQueue.close());
      await creditKeeper.close();
      changes.close();
      pricing.close();
      redis.disconnect();
      workerRedis.disconnect();
      await databases.close();
    },
  };
}
