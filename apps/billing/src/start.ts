import { createResilientLimiter } from '@tollgate/limits';
import {
  connectRedis,
  connectRedisForWorker,
  createLogger,
  createRequestReplyClient,
  Health,
  type RunningService,
  startService,
} from '@tollgate/platform';
import { serveSessions } from './auth/session-cookie.ts';
import { SessionLookup } from './auth/session-lookup.ts';
import { createSessions } from './auth/session-store.ts';
import { BillingModule } from './billing.module.ts';
import type { BillingConfig } from './config.ts';
import { createDataSource } from './database/data-source.ts';
import { createKeyChanges } from './keys/key-changes.ts';
import { startUsageWorker } from './usage/usage-worker.ts';

const SESSION_CLEANUP_MS = 3_600_000;

/** Starts billing: its HTTP API, the look-ups of other services and the usage worker. The schema must be up to date. */
export async function startBilling(config: BillingConfig): Promise<RunningService> {
  const logger = createLogger('billing', config.LOG_LEVEL);
  const database = await createDataSource(config.DATABASE_URL).initialize();
  const redis = connectRedis(config.REDIS_URL, logger);
  const workerRedis = connectRedisForWorker(config.REDIS_URL, logger);
  const pricing = createRequestReplyClient(config.PRICING_TCP_URL);
  const sessions = createSessions(database);
  const changes = createKeyChanges(database, redis, logger);

  const health = new Health();
  health.add('database', async () => void (await database.query('SELECT 1')));

  const service = await startService({
    name: 'billing',
    config,
    logger,
    health,
    module: BillingModule.with({
      database,
      changes,
      pricing,
      limiter: createResilientLimiter(redis),
      sessionLookup: new SessionLookup(sessions, config.SESSION_SECRET),
    }),
    tcpPort: config.TCP_PORT,
    openApi: {
      path: '/api/openapi.json',
      title: 'Tollgate billing',
      description: 'Sign-in, API keys, the usage log and the ledger.',
    },
    configure: (fastify) => serveSessions(fastify, config.SESSION_SECRET, sessions),
  });
  const worker = startUsageWorker({
    redis: workerRedis,
    database,
    pricing,
    changes,
    logger,
    concurrency: config.WORKER_CONCURRENCY,
  });
  const cleanup = setInterval(() => {
    sessions
      .removeExpired()
      .catch((error: Error) => logger.warn({ reason: error.message }, 'expired sessions stay for now'));
  }, SESSION_CLEANUP_MS);
  cleanup.unref();

  return {
    ...service,
    async stop() {
      clearInterval(cleanup);
      await service.stop();
      await worker.close();
      changes.close();
      pricing.close();
      redis.disconnect();
      workerRedis.disconnect();
      await database.destroy();
    },
  };
}
