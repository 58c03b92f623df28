import { createResilientLimiter } from '@tollgate/limits';
import {
  close,
  connectRedis,
  connectRedisForWorker,
  createLogger,
  createMetrics,
  createRequestReplyClient,
  disconnect,
  type RunningService,
  startTracing,
  stop,
  warnOfPowerfulRole,
} from '@tollgate/platform';
import { KnownDevices } from './auth/known-devices.ts';
import { SessionLookup } from './auth/session-lookup.ts';
import { sessionPolicy } from './auth/session-policy.ts';
import { createSessions } from './auth/session-store.ts';
import { BackgroundJobs } from './background/background-jobs.ts';
import type { BillingConfig } from './config.ts';
import { keepCredit } from './credit/credit-keeper.ts';
import { openDatabases } from './database/data-source.ts';
import { startExports } from './exports/start-exports.ts';
import { factorSettings } from './factors/factor-config.ts';
import { createKeyChanges } from './keys/key-changes.ts';
import { startAuditWork } from './ledger/audit-work.ts';
import { createLastAudit } from './ledger/last-audit.ts';
import { oidcSettings } from './oidc/oidc-config.ts';
import { createProvider } from './oidc/provider.ts';
import { startPeriodWork } from './periods/period-work.ts';
import { offerSetup } from './setup/setup-tokens.ts';
import { startHttp } from './start-http.ts';
import { startJobs } from './start-jobs.ts';
import { watchUsageQueue } from './system/stores.ts';
import { unlessRedisIsAway } from './system/unless-redis-is-away.ts';
import { tracePostings } from './usage/posting-trace.ts';
import { createUsageBooks } from './usage/usage-books.ts';
import { createUsageMetrics } from './usage/usage-metrics.ts';

/**
 * Starts billing: its jobs, then its HTTP API and the look-ups of other services. The schema must be up to date. What is
 * started is stopped in reverse order, also where a later part cannot start: nobody is answered by a part that is gone.
 */
export async function startBilling(config: BillingConfig): Promise<RunningService> {
  const logger = createLogger('billing', config.LOG_LEVEL);
  const oidc = oidcSettings(config);
  await using started = new AsyncDisposableStack();
  const databases = started.adopt(await openDatabases(config.DATABASE_URL), close);
  await warnOfPowerfulRole(databases.changes, logger);
  const redis = started.adopt(connectRedis(config.REDIS_URL, logger), disconnect);
  const workerRedis = started.adopt(connectRedisForWorker(config.REDIS_URL, logger), disconnect);
  const pricing = started.adopt(
    createRequestReplyClient(config.PRICING_TCP_URL, config.SERVICE_SECRETS),
    close,
  );
  const tracing = await startTracing('billing', config, 'inside', logger);
  started.defer(() => tracing?.close());
  const changes = started.adopt(createKeyChanges(databases.changes, redis, logger), close);
  const { credit } = started.adopt(keepCredit(databases.lookups, redis, logger), close);
  const usageQueue = watchUsageQueue(redis);
  started.defer(() => unlessRedisIsAway(redis, usageQueue.close()));
  const metrics = createMetrics('billing');
  const usageMetrics = createUsageMetrics(metrics, usageQueue);
  const books = createUsageBooks({
    database: databases.journal,
    pricing,
    credit,
    logger,
    metrics: usageMetrics,
    trace: tracing && tracePostings(tracing.tracer),
  });
  const exports = started.adopt(
    await startExports({ config, database: databases.changes, pricing, logger }),
    stop,
  );
  const policy = sessionPolicy(config);
  const sessions = createSessions(databases.lookups, policy);
  const infrastructure = {
    databases,
    changes,
    credit,
    keyRules: { defaultGroups: config.DEFAULT_GROUPS, keysPerAccount: config.KEYS_PER_ACCOUNT },
    books,
    backgroundJobs: new BackgroundJobs({
      database: databases.changes,
      books,
      credit,
      limits: { perKey: config.BACKGROUND_JOBS_PER_KEY, perAccount: config.BACKGROUND_JOBS_PER_ACCOUNT },
    }),
    pricing,
    limiter: started.adopt(createResilientLimiter(redis, { timeoutMs: 1_000 }), close),
    sessionLookup: new SessionLookup(sessions, config.SESSION_SECRET),
    sessionPolicy: policy,
    knownDevices: new KnownDevices(config.SESSION_SECRET),
    factors: factorSettings(config),
    exports,
    auditWork: started.adopt(startAuditWork(databases.reports, config.DATABASE_READ_URL, logger), stop),
    periodWork: started.adopt(startPeriodWork({ database: databases.reports, logger }), stop),
    setupToken: config.SETUP_TOKEN,
    oidc: oidc ? { settings: oidc, provider: createProvider(oidc), logger } : null,
    lastAudit: createLastAudit(),
    redis,
    logger,
    usageQueue,
  };
  started.use(
    await startJobs({ config, logger, metrics, usageMetrics, workerRedis, sessions, infrastructure }),
  );
  const service = started.adopt(await startHttp({ config, logger, metrics, sessions, infrastructure }), stop);
  await offerSetup(databases.changes, logger, config.SETUP_TOKEN);
  const resources = started.move();
  return { ...service, stop: () => resources.disposeAsync() };
}
