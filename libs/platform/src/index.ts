export { AccessGuard, Caller, findCaller, type Sessions, SESSIONS } from './access.guard.ts';
export { listRoutes } from './access.ts';
export {
  addressMatcher,
  clientBlock,
  isRangeWithin,
  normaliseAddressRange,
} from '@tollgate/api/address-range';
export { andThen } from './and-then.ts';
export { API_ANSWER } from './answer-headers.ts';
export { splitAtCommas } from './comma-separated.ts';
export {
  ConfigError,
  databaseUrl,
  HOST_NAME,
  httpUrl,
  nameList,
  loadConfig,
  originUrl,
  port,
  redisUrl,
  serviceConfigSchema,
  tcpUrl,
  wholeNumber,
  wholeSeconds,
} from './config.ts';
export { close, disconnect, stop } from './disposers.ts';
export { atEndOfTurn, endOfTurn } from './end-of-turn.ts';
export { type EventSubscription, onEvent, publishEvent, subscribeEvents } from './events.ts';
export { readGatewayHealth } from './gateway-health.ts';
export { createGroupCommit } from './group-commit.ts';
export { Health } from './health.ts';
export { errorBody, httpError, toHttpException, unavailable } from './http-errors.ts';
export { createLogger, type Logger } from './logging.ts';
export { metricsAccess } from './metrics-access.ts';
export { createMetrics, serveMetrics } from './metrics.ts';
export {
  connectRedis,
  connectRedisForWorker,
  connectRedisOnce,
  listMasters,
  onQueueLost,
  requireConnected,
  waitUntilConnected,
} from './redis.ts';
export { createRequestReplyClient, type RequestReplyClient } from './request-reply.ts';
export {
  type Count,
  createHistogramTally,
  createTally,
  readAtScrape,
  type Reading,
} from './scraped-metrics.ts';
export {
  type Keyring,
  toKeyring,
  reseal,
  seal,
  sealBytes,
  sealKey,
  sealKeys,
  unseal,
  unsealBytes,
} from './sealing.ts';
export { SESSION_COOKIE, withHostName, withPlainName } from './session-cookie.ts';
export { Handles, Input, findRoute } from './route.ts';
export { runService } from './run-service.ts';
export { migrationShape, warnOfPowerfulRole } from './service-role.ts';
export { listenerTls, serviceSecretsShape } from './service-secrets.ts';
export { column, countChanged, hasRows, readRow, readRows, requireRow } from './sql.ts';
export { startService } from './service.ts';
export type { RunningService, TakesRequest } from './service-definition.ts';
export { readTraceparent, startTracing, under, writeTraceparent } from './tracing.ts';
export { assertPublicHost, UpstreamAddressError } from './upstream-address.ts';
export { findUsageQueues } from './usage-queues.ts';
export { VERSION } from './version.ts';
export { requireWritable, syncDirectory } from './writable-directory.ts';
