export { archiveCommand, restoreBaseBackup, takeBaseBackup } from './base-backup.ts';
export { type ApiDocument, badRequests, findServerErrors } from './bad-inputs.ts';
export { installWithApt } from './apt.ts';
export { measureAwake, sleepAwake } from './awake.ts';
export { findOnPath } from './on-path.ts';
export { type Checkout, openCheckout } from './checkout.ts';
export { CHROMIUM_ARGUMENTS, findChromium } from './chromium.ts';
export { describeSchema } from './describe-schema.ts';
export { digestRows, listColumns } from './digest-rows.ts';
export { findHaproxy, findPrometheus } from './programs.ts';
export { startMariadb } from './mariadb.ts';
export { freePort, isFree } from './ports.ts';
export {
  createDatabase,
  endLeftover as endLeftoverPostgres,
  type RunningPostgres,
  startPostgres,
} from './postgres.ts';
export {
  COMPILE_CACHE,
  isReady,
  PROGRAM_ENV,
  type RunningProcess,
  runToEnd,
  startProcess,
} from './process.ts';
export { findRedis, type RunningRedis, startRedis } from './redis.ts';
export { redisCall } from './redis-call.ts';
export { type RunningRedisCluster, startRedisCluster } from './redis-cluster.ts';
export { type RunningSentinels, startRedisSentinels } from './redis-sentinel.ts';
export { GATEWAY_ENV, type RunningStack, type StackOptions, startStack } from './stack.ts';
export { findProgram } from './seed-stack.ts';
export { makeStackTemplate, type StackTemplate } from './stack-template.ts';
export { newStackSecrets, type StackSecrets, TEST_ANSWER_MS, TEST_SERVICE_SECRET } from './secrets.ts';
export { addressThrough, startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
export { createTestDatabase, type TestDatabase } from './test-database.ts';
export { waitFor } from './wait-for.ts';
export { OIDC_CLIENT, startTestProvider, type TestProvider } from './oidc-provider.ts';
