export { createTestDatabase } from './test-database.ts';
export { findRedis, type RunningRedis, startRedis } from './redis.ts';
export { createDatabase, type RunningPostgres, startPostgres } from './postgres.ts';
export { freePort } from './ports.ts';
export { type RunningProcess, startProcess } from './process.ts';
export { type RunningStack, type StackOptions, startStack } from './stack.ts';
export { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
export { waitFor } from './wait-for.ts';
