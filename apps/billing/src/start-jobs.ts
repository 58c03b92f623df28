import { close, type Logger, stop } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import type { Registry } from 'prom-client';
import type { Sessions } from './auth/session-store.ts';
import { startBackgroundKeeper } from './background/background-keeper.ts';
import { serveJobMetrics } from './background/job-metrics.ts';
import type { BillingConfig } from './config.ts';
import { serveExportMetrics } from './exports/export-metrics.ts';
import { startScheduleRunner } from './exports/schedules/schedule-runner.ts';
import { resealSecrets } from './factors/sealed-secret.ts';
import type { Infrastructure } from './infrastructure.module.ts';
import { startTemporaryKeySweep } from './keys/temporary-keys.ts';
import { AUDIT_EVERY_MS, startAuditJob } from './ledger/audit-job.ts';
import { createLedgerMetrics } from './ledger/ledger-metrics.ts';
import { startPeriodCloser } from './periods/period-closer.ts';
import { startRequestRetention } from './requests/request-retention.ts';
import { serveRedisMetrics } from './system/redis-metrics.ts';
import { unlessRedisIsAway } from './system/unless-redis-is-away.ts';
import { relieveFullQueue } from './usage/full-queue.ts';
import { startPartitionRounds } from './usage/partitions.ts';
import { serveReviewMetrics } from './usage/review-metrics.ts';
import type { UsageMetrics } from './usage/usage-metrics.ts';
import { startUsageWorkers } from './usage/usage-worker.ts';
import { serveUnbookedMetrics, startWaitingUsage } from './usage/waiting-usage.ts';

const SESSION_CLEANUP_MS = 3_600_000;

/** Starts what billing does without being asked. Its disposal finishes what is in hand. */
export async function startJobs(parts: {
  readonly config: BillingConfig;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly usageMetrics: UsageMetrics;
  readonly workerRedis: Redis;
  readonly sessions: Sessions;
  readonly infrastructure: Infrastructure;
}): Promise<AsyncDisposable> {
  const { config, logger, metrics, usageMetrics, workerRedis, infrastructure } = parts;
  const { databases, redis, books, exports, lastAudit, changes, factors } = infrastructure;
  await resealSecrets(databases.changes, factors.keys, logger);
  await using started = new AsyncDisposableStack();
  const concurrency = config.WORKER_CONCURRENCY;
  const workers = startUsageWorkers({
    redis: workerRedis,
    books,
    logger,
    concurrency,
    metrics: usageMetrics,
  });
  started.defer(() => unlessRedisIsAway(workerRedis, workers.close()));
  started.adopt(startWaitingUsage(databases.changes, books, logger), stop);
  const fullQueue = started.adopt(relieveFullQueue({ redis, books, logger }), close);
  const schedules = startScheduleRunner({ redis: workerRedis, database: databases.changes, exports, logger });
  started.defer(() => unlessRedisIsAway(workerRedis, schedules.stop()));
  const ledgerMetrics = createLedgerMetrics(metrics);
  started.adopt(
    startAuditJob({
      database: databases.reports,
      lastAudit,
      metrics: ledgerMetrics,
      logger,
      everyMs: AUDIT_EVERY_MS,
    }),
    stop,
  );
  const afterDays = config.PERIOD_CLOSE_AFTER_DAYS;
  started.adopt(startPeriodCloser({ database: databases.reports, logger, afterDays }), close);
  started.defer(startPartitionRounds(databases.journal, logger));
  started.adopt(
    startBackgroundKeeper({ database: databases.changes, redis, credit: infrastructure.credit, logger }),
    stop,
  );
  started.defer(startTemporaryKeySweep(databases.changes, changes, logger));
  started.defer(startRequestRetention(databases.changes, config.REQUEST_LOG_DAYS, logger));
  started.defer(startSessionCleanup(parts.sessions, logger));

  serveExportMetrics(metrics, databases.changes);
  serveReviewMetrics(metrics, databases.changes);
  serveUnbookedMetrics(metrics, databases.lookups);
  serveJobMetrics(metrics, databases.lookups);
  serveRedisMetrics(metrics, redis, fullQueue);
  return started.move();
}

/** @returns what ends it. */
function startSessionCleanup(sessions: Sessions, logger: Logger): () => void {
  const timer = setInterval(() => {
    sessions
      .removeExpired()
      .catch((error: Error) =>
        logger.warn(
          { event: 'session_cleanup_failed', reason: error.message },
          'expired sessions could not be removed',
        ),
      );
  }, SESSION_CLEANUP_MS);
  timer.unref();
  return () => clearInterval(timer);
}
