export { CHROMIUM_ARGUMENTS, findChromium } from './chromium.ts';
export { freePort, isFree } from './ports.ts';
export { createDatabase, type RunningPostgres, startPostgres } from './postgres.ts';
export { type RunningProcess, runToEnd, startProcess } from './process.ts';
export { findRedis, type RunningRedis, startRedis } from './redis.ts';
export { type RunningStack, type ServiceName, SERVICES, type StackOptions, startStack } from './stack.ts';
export { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
export { createTestDatabase } from './test-database.ts';
export { waitFor } from './wait-for.ts';
