export { Allow, AllowAnybody, type GuardedRoute, listRoutes, requirePermission } from './access.ts';
export type { Refusal } from './access-refusals.ts';
export { addressMatcher, clientBlock, isRangeWithin, normaliseAddressRange } from './address-list.ts';
export { API_ANSWER } from './answer-headers.ts';
export {
  ConfigError,
  databaseUrl,
  httpUrl,
  loadConfig,
  port,
  redisUrl,
  serviceConfigSchema,
  tcpUrl,
  type ServiceConfig,
} from './config.ts';
export { type EventSubscription, onEvent, publishEvent, subscribeEvents } from './events.ts';
export { createGroupCommit, type GroupCommit } from './group-commit.ts';
export { Health, type HealthCheck } from './health.ts';
export { errorBody, httpError, unavailable } from './http-errors.ts';
export { createLogger, type Logger } from './logging.ts';
export { metricsAccess } from './metrics-access.ts';
export { createMetrics, serveMetrics } from './metrics.ts';
export type { OpenApi } from './openapi.ts';
export { connectRedis, connectRedisForWorker, connectRedisOnce, mastersOf, untilConnected } from './redis.ts';
export { createRequestReplyClient, type RequestReplyClient } from './request-reply.ts';
export { mustBeSameSite } from './same-site.ts';
export { type Count, createTally, readAtScrape, type Reading, type Tally } from './scraped-metrics.ts';
export {
  type Keyring,
  keyringOf,
  reseal,
  seal,
  sealBytes,
  sealKey,
  sealKeys,
  unseal,
  unsealBytes,
} from './sealing.ts';
export { SESSION_COOKIE, withHostName, withPlainName } from './session-cookie.ts';
export { runService, type Stoppable } from './run-service.ts';
export { admitServiceRole, isTooPowerful, migrationShape } from './service-role.ts';
export { type ServiceSecrets, serviceSecretsShape } from './service-secrets.ts';
export { type RunningService, type ServiceDefinition, startService } from './service.ts';
export {
  readTraceparent,
  startTracing,
  type Tracing,
  type TracingConfig,
  under,
  writeTraceparent,
} from './tracing.ts';
export {
  type AddressClass,
  type AddressPolicy,
  assertPublic,
  assertPublicHost,
  classifyAddress,
  UpstreamAddressError,
  upstreamConnector,
  upstreamLookup,
} from './upstream-address.ts';
